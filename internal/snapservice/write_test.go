package snapservice_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
)

func TestCreate_uncertain(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"string", "object", "none"} {
		for name, rule := range map[string]fault.Rule{
			"answered": {Kind: "none"},
			"lost":     {Kind: "create", Times: 1, CloseConnection: true, HandleFirst: true},
		} {
			t.Run(form+" "+name, func(t *testing.T) {
				t.Parallel()
				s := startSite(t, lab.Switches{TaskResult: form, NoTarget: form == "none", HideReads: 2}, nil)
				s.Traffic().Break(rule)
				g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
				require.NoError(t, err)
				require.Len(t, s.Groups(), 1)
				assert.Equal(t, s.Groups()[0].ID, g.ID)
			})
		}
	}
	for name, test := range map[string]struct {
		status  string
		foreign bool
	}{
		"of another client":          {"ACTIVE", true},
		"of another client, deleted": {snapservice.Deleted, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, lab.Switches{}, nil)
			vm := s.vc.VMs()[0].ID
			s.Traffic().Break(fault.Rule{
				Kind:            "create",
				Times:           1,
				CloseConnection: true,
				Before: func(*http.Request) {
					id := s.Add(s.cluster, lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{vm}}})
					s.AddSnapshots(id, 1) // a deleted group remains until its snapshots expire
					s.Edit(id, func(g *lab.Group) { g.Info.Status = test.status })
				},
			})
			g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
			require.ErrorIs(t, err, snapservice.ErrUncertain)
			assert.Equal(t, test.foreign, errors.Is(err, snapservice.ErrForeign))
			assert.Empty(t, g.ID)
		})
	}
}

func TestCreate_before(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	spec := s.goldSpec(s.newTag(t, 0))
	_, err := s.client.Create(t.Context(), s.cluster, spec, waitOptions)
	require.NoError(t, err)
	s.Traffic().Break(fault.Rule{Kind: "create", CloseConnection: true})
	g, err := s.client.Create(t.Context(), s.cluster, spec, waitOptions)
	require.Empty(t, g.ID)
	assert.ErrorIs(t, err, snapservice.ErrUncertain)
}

func TestCreate_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := startSite(t, lab.Switches{TaskResult: "none", NoTarget: true}, func(c *snapservice.Config) {
		sleep := c.Sleep
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			cancel()
			return sleep(ctx, d)
		}
	})
	g, err := s.client.Create(ctx, s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, g.ID)
	assert.Equal(t, s.GroupByName("gold").ID, g.ID)
}

func TestWrite_refused(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	ctx := t.Context()
	name := "silver"
	rename := snapservice.Change{Name: &name}
	for _, test := range []struct {
		info lab.Info
		want error
	}{
		{lab.Info{Name: "locked", Locked: true}, snapservice.ErrUnsupported},
		{lab.Info{Name: "demoted", Status: "DEMOTED"}, snapservice.ErrState},
	} {
		_, err := s.client.Update(ctx, s.cluster, s.Add(s.cluster, test.info), rename, waitOptions, nil)
		require.ErrorIs(t, err, test.want)
	}
	assert.Equal(t, 0, s.Traffic().Count("update"))
	id := s.Add(s.cluster, lab.Info{Name: "gold"})
	s.Traffic().Break(fault.Rule{Kind: "update", Times: 1, CloseConnection: true})
	_, err := s.client.Update(ctx, s.cluster, id, rename, waitOptions, nil)
	require.NoError(t, err)
	assert.Equal(t, id, s.GroupByName(name).ID)
}

// TestCreate_hidden creates a group again that the appliance does not list yet. The lost request of the second create
// does not claim the first group.
func TestCreate_hidden(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{HideReads: 2}, nil)
	spec := s.goldSpec(s.newTag(t, 0))
	impatient := snapservice.WaitOptions{TaskTimeout: time.Minute}
	first, err := s.client.Create(t.Context(), s.cluster, spec, impatient)
	require.Error(t, err)
	require.NotEmpty(t, first.ID)
	s.Traffic().Break(fault.Rule{Kind: "create", CloseConnection: true})
	second, err := s.client.Create(t.Context(), s.cluster, spec, waitOptions)
	require.ErrorIs(t, err, snapservice.ErrUncertain)
	assert.Empty(t, second.ID)
}

// TestPause_byAnother locks or deletes the group in another client just before the request. The rejection is final: the
// client does not wait for another operation to end.
func TestPause_byAnother(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*lab.Group){
		"locked":  func(g *lab.Group) { g.Info.Locked = true },
		"deleted": func(g *lab.Group) { g.Info.Status = snapservice.Deleted },
	} {
		s := startSite(t, lab.Switches{}, nil)
		g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		require.NoError(t, err)
		s.AddSnapshots(g.ID, 1) // a deleted group remains until its snapshots expire
		s.Traffic().Break(fault.Rule{
			Kind:   "pause",
			Status: http.StatusBadRequest,
			Body:   `{"error_type":"NOT_ALLOWED_IN_CURRENT_STATE"}`,
			Before: func(*http.Request) { s.Edit(g.ID, change) },
		})
		began := s.Now()
		_, err = s.client.Pause(t.Context(), s.cluster, g.ID, waitOptions)
		require.ErrorIs(t, err, snapservice.ErrState, name)
		assert.Less(t, s.Now().Sub(began), time.Minute, name)
		assert.Equal(t, 1, s.Traffic().Count("pause"), name)
	}
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

// TestSnapshot_listedMeanwhile lists the groups in another caller while the task is running. After the snapshot, the
// listing contains it.
func TestSnapshot_listedMeanwhile(t *testing.T) {
	t.Parallel()
	meanwhile := func() {}
	s := startSite(t, lab.Switches{}, func(c *snapservice.Config) {
		sleep := c.Sleep
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			meanwhile()
			return sleep(ctx, d)
		}
	})
	g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
	require.NoError(t, err)
	list := func() []string {
		groups, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
		assert.NoError(t, err)
		return groups[0].SnapshotIDs
	}
	meanwhile = func() { assert.Empty(t, list()) }
	day := snapservice.Period{Unit: snapservice.Day, Duration: 1}
	_, err = s.client.Snapshot(t.Context(), s.cluster, g.ID, "now", day, waitOptions)
	require.NoError(t, err)
	assert.Len(t, list(), 1)
}
