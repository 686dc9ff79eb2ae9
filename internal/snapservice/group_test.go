package snapservice_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
)

// TestAllGroups_noCluster checks that an empty list of clusters is an error, because it may mean that the account
// cannot see the clusters and their groups.
func TestAllGroups_noCluster(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "clusters", Status: http.StatusOK, Body: `{"items":[]}`})
	got, err := s.client.AllGroups(t.Context())
	assert.ErrorIs(t, err, snapservice.ErrUnavailable, "%+v", got)
}

func TestGroup_lifeCycle(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Unquoted: true}, nil)
	ctx := t.Context()
	spec := s.goldSpec(s.newTag(t, 0, 1, 2))
	g, err := s.client.Create(ctx, s.cluster, spec, waitOptions)
	require.NoError(t, err)
	require.Equal(t, s.localVMIDs(0, 2), g.Members)
	hourly := []snapservice.Replication{spec.Replication[0]}
	hourly[0].RPO = snapservice.Period{Unit: snapservice.Hour, Duration: 1}
	g, err = s.client.Update(ctx, s.cluster, g.ID, snapservice.Change{Replication: &hourly}, waitOptions, nil)
	require.NoError(t, err)
	minutes, _ := g.Replication[0].RPO.Minutes()
	assert.EqualValues(t, 60, minutes)
	for range 2 { // pausing a paused group does nothing
		g, err = s.client.Pause(ctx, s.cluster, g.ID, waitOptions)
		require.NoError(t, err)
		require.Equal(t, snapservice.Paused, g.Status)
	}
	g, err = s.client.Resume(ctx, s.cluster, g.ID, waitOptions)
	require.NoError(t, err)
	require.Equal(t, snapservice.Active, g.Status)
	_, err = s.client.Delete(ctx, s.cluster, g.ID, false, waitOptions)
	require.NoError(t, err)
	assert.Empty(t, s.Groups())
}

// TestDelete_keepsSnapshots checks that a deleted group remains until its snapshots expire.
func TestDelete_keepsSnapshots(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Unquoted: true}, nil)
	g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0, 2)), waitOptions)
	require.NoError(t, err)
	day := snapservice.Period{Unit: snapservice.Day, Duration: 1}
	result, err := s.client.Snapshot(t.Context(), s.cluster, g.ID, "now", day, waitOptions)
	require.NoError(t, err)
	assert.EqualValues(t, 2, result.Total)
	assert.Zero(t, result.Failed)
	g, err = s.client.Delete(t.Context(), s.cluster, g.ID, false, waitOptions)
	require.NoError(t, err)
	assert.Equal(t, snapservice.Deleted, g.Status)
	assert.Len(t, g.SnapshotIDs, 1)
	s.Advance(24 * time.Hour)
	assert.Empty(t, s.Groups())
}
