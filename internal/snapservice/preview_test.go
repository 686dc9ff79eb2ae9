package snapservice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/snapservice"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Unquoted: true}, nil)
	p, err := s.client.Preview(t.Context(), s.cluster, "", s.goldSpec(s.newTag(t, 0, 1, 2)).Targets)
	require.NoError(t, err)
	assert.Equal(t, s.localVMIDs(0, 2), snapservice.CandidateIDs(p.Included, "ADD"))
	other := s.vc.VMs()[1].ID // in the other cluster
	assert.Equal(t, []string{other}, snapservice.CandidateIDs(p.Excluded))
}

// TestPreview_follows checks that a preview is shared for a minute, and then follows the tags.
func TestPreview_follows(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	tag := s.newTag(t, 0)
	count := func() int {
		p, err := s.client.Preview(t.Context(), s.cluster, "", s.goldSpec(tag).Targets)
		require.NoError(t, err)
		return len(p.Included)
	}
	before := count()
	require.NoError(t, s.vc.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: s.vc.VMs()[2].ID}))
	assert.Equal(t, before, count())
	s.Advance(time.Minute + time.Second)
	assert.Equal(t, 2, count())
}
