package snapservice_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
)

func TestPairs(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	pairs, err := s.client.Pairs(t.Context(), s.cluster)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	assert.Equal(t, lab.PeerCluster, pairs[0].Peer.ClusterName)
	assert.Equal(t, lab.PeerSite, pairs[0].Peer.SiteID)
	assert.Equal(t, "OK", pairs[0].Status)
}

func TestLicenseModes(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	modes, err := s.client.LicenseModes(t.Context(), lab.PeerSite)
	require.NoError(t, err)
	assert.Equal(t, []string{"OPERATIONAL"}, modes)
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	capabilities, err := s.client.Capabilities(t.Context(), s.cluster)
	require.NoError(t, err)
	assert.Contains(t, capabilities, snapservice.CanTag)
	assert.Equal(t, 1, s.Traffic().Count("sites"))
}

// TestVMs_violation reads the VMs after the link between the sites has been down for longer than the RPO of 15 minutes.
func TestVMs_violation(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0, 2)), waitOptions)
	require.NoError(t, err)
	s.CutLink()
	s.Advance(20 * time.Minute)
	vms, err := s.client.VMs(t.Context(), s.cluster)
	require.NoError(t, err)
	require.Len(t, vms, 4)
	for _, vm := range vms {
		outgoing := vm.Outgoing()
		if !slices.Contains(g.Members, vm.ID) {
			assert.Empty(t, outgoing, vm.Name)
			continue
		}
		require.Len(t, outgoing, 1, vm.Name)
		assert.Equal(t, "OK", outgoing[0].Status, vm.Name)
		assert.NotNil(t, outgoing[0].Violation, vm.Name)
	}
	assert.Equal(t, 1, s.Traffic().Count("sites"))
}

// TestGroups_unknownCluster checks that only the listing reports a missing cluster as ErrNotFound: a group that is read
// from it might exist.
func TestGroups_unknownCluster(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
	require.NoError(t, err)
	_, err = s.client.Groups(t.Context(), "domain-c77", snapservice.Shared)
	require.ErrorIs(t, err, snapservice.ErrNotFound)
	_, err = s.client.Group(t.Context(), "domain-c77", g.ID)
	assert.NotErrorIs(t, err, snapservice.ErrNotFound)
}

// TestRelease90 verifies that release 9.0 is reported for functions that it lacks.
func TestRelease90(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Release: "9.0.0.0"}, nil)
	_, err := s.client.Capabilities(t.Context(), s.cluster)
	require.ErrorIs(t, err, snapservice.ErrRelease)
	_, err = s.client.Preview(t.Context(), s.cluster, "", snapservice.Targets{VMs: []string{"vm-1"}})
	assert.ErrorIs(t, err, snapservice.ErrRelease)
}
