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

// TestPause_locked locks the group in another client just before the request. The rejection is final: the client does
// not wait for another operation to end.
func TestPause_locked(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
	require.NoError(t, err)
	s.Traffic().Break(fault.Rule{
		Kind: "pause", Status: http.StatusBadRequest, Body: `{"error_type":"NOT_ALLOWED_IN_CURRENT_STATE"}`,
		Before: func(*http.Request) { s.Edit(g.ID, func(g *lab.Group) { g.Info.Locked = true }) },
	})
	began := s.Now()
	_, err = s.client.Pause(t.Context(), s.cluster, g.ID, waitOptions)
	require.ErrorIs(t, err, snapservice.ErrState)
	assert.Less(t, s.Now().Sub(began), time.Minute)
	assert.Equal(t, 1, s.Traffic().Count("pause"))
}

// TestDelete_byAnother deletes a group that another client has deleted: before the delete, or just before its request.
func TestDelete_byAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remove    bool
		meanwhile bool
		want      string
	}{
		"marked":            {want: snapservice.Deleted},
		"gone":              {remove: true},
		"gone in the while": {remove: true, meanwhile: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, lab.Switches{}, nil)
			g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
			require.NoError(t, err)
			s.AddSnapshots(g.ID, 1)
			other := func(*http.Request) {
				if test.remove {
					s.Remove(g.ID)
				} else {
					s.Edit(g.ID, func(g *lab.Group) { g.Info.Status = snapservice.Deleted })
				}
			}
			if test.meanwhile {
				s.Traffic().Break(fault.Rule{Kind: "delete", Times: 1, Before: other})
			} else {
				other(nil)
			}
			deleted, err := s.client.Delete(t.Context(), s.cluster, g.ID, false, waitOptions)
			require.NoError(t, err)
			assert.Equal(t, test.want, deleted.Status)
		})
	}
}
