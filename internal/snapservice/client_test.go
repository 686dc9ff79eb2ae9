package snapservice_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
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

func TestGroup(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Unquoted: true}, nil) // VMs 0, 2, 4 and 6 are in the first cluster
	ctx := t.Context()
	spec := s.goldSpec(s.newTag(t, 0, 1, 2))
	p, err := s.client.Preview(ctx, s.cluster, "", spec.Targets)
	require.NoError(t, err)
	got := snapservice.CandidateIDs(p.Included, "ADD")
	want := s.localVMIDs(0, 2)
	assert.Equal(t, want, got)
	if got, want := snapservice.CandidateIDs(p.Excluded), []string{s.vc.VMs()[1].ID}; !slices.Equal(got, want) {
		t.Errorf("the preview excludes %v, want %v of the other cluster", got, want)
	}
	g, err := s.client.Create(ctx, s.cluster, spec, waitOptions)
	require.NoError(t, err)
	require.Equal(t, s.localVMIDs(0, 2), g.Members)
	hour := []snapservice.Replication{spec.Replication[0]}
	hour[0].RPO = snapservice.Period{Unit: snapservice.Hour, Duration: 1}
	g, err = s.client.Update(ctx, s.cluster, g.ID, snapservice.Change{Replication: &hour}, waitOptions, nil)
	require.NoError(t, err)
	if got, _ := g.Replication[0].RPO.Minutes(); got != 60 {
		t.Errorf("the RPO is %d minutes, want 60", got)
	}
	for range 2 { // pausing a paused group does nothing
		g, err = s.client.Pause(ctx, s.cluster, g.ID, waitOptions)
		require.NoError(t, err)
		require.Equal(t, snapservice.Paused, g.Status)
	}
	g, err = s.client.Resume(ctx, s.cluster, g.ID, waitOptions)
	require.NoError(t, err)
	require.Equal(t, snapservice.Active, g.Status)
	day := snapservice.Period{Unit: snapservice.Day, Duration: 1}
	result, err := s.client.Snapshot(ctx, s.cluster, g.ID, "now", day, waitOptions)
	require.NoError(t, err)
	assert.EqualValues(t, 2, result.Total)
	assert.Zero(t, result.Failed)
	g, err = s.client.Delete(ctx, s.cluster, g.ID, false, waitOptions)
	require.NoError(t, err, "deleted")
	assert.Equal(t, snapservice.Deleted, g.Status, "deleted")
	assert.Len(t, g.SnapshotIDs, 1, "deleted")
	s.Advance(24 * 3600e9)
	assert.Empty(t, s.Groups())
}

func TestReading(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	ctx := t.Context()
	g, err := s.client.Create(ctx, s.cluster, s.goldSpec(s.newTag(t, 0, 2)), waitOptions)
	require.NoError(t, err)
	pairs, err := s.client.Pairs(ctx, s.cluster)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	assert.Equal(t, lab.PeerCluster, pairs[0].Peer.ClusterName)
	assert.Equal(t, "OK", pairs[0].Status)
	modes, err := s.client.LicenseModes(ctx, pairs[0].Peer.SiteID)
	require.NoError(t, err)
	assert.Equal(t, []string{"OPERATIONAL"}, modes)
	able, err := s.client.Capabilities(ctx, s.cluster)
	require.NoError(t, err)
	assert.Contains(t, able, snapservice.CanTag)
	s.CutLink()
	s.Advance(20 * 60e9) // 5 minutes past the RPO
	vms, err := s.client.VMs(ctx, s.cluster)
	require.NoError(t, err)
	require.Len(t, vms, 4)
	for _, vm := range vms {
		out := vm.Outgoing()
		member := slices.Contains(g.Members, vm.ID)
		require.Equal(t, member, len(out) == 1, vm.Name)
		if member {
			assert.Equal(t, "OK", out[0].Status, "VM %s", vm.Name)
			assert.NotNil(t, out[0].Violation, "VM %s", vm.Name)
		}
	}
	assert.Equal(t, 1, s.Traffic().Count("sites"))
	_, err = s.client.Groups(ctx, "domain-c77", snapservice.Shared)
	require.ErrorIs(t, err, snapservice.ErrNotFound)
	_, err = s.client.Group(ctx, "domain-c77", g.ID)
	assert.NotErrorIs(t, err, snapservice.ErrNotFound)
}

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

func TestTask(t *testing.T) {
	t.Parallel()
	t.Run("blocked", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Block(3600e9)
		long := snapservice.WaitOptions{TaskTimeout: 2 * 3600e9, ReadTimeout: 60e9}
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), long)
		assert.NoError(t, err)
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Block(3600e9)
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		assert.ErrorIs(t, err, snapservice.ErrTimeout)
	})
	t.Run("odd status", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Traffic().Break(fault.Rule{Kind: "tasks", Times: 3, Status: http.StatusOK, Body: `{"items":[]}`})
		s.Traffic().Break(fault.Rule{
			Kind:   "task",
			Times:  3,
			Status: http.StatusOK,
			Body:   `{"status":"QUEUED\u001b"}`,
		})
		var statuses []string
		options := waitOptions
		options.Progress = func(status string) { statuses = append(statuses, status) }
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), options)
		require.NoError(t, err)
		assert.Equal(t, []string{snapservice.Printable("QUEUED\x1b"), "SUCCEEDED"}, statuses)
	})
	t.Run("purged", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{PurgeTasks: true}, nil)
		g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		require.NoError(t, err)
		assert.Equal(t, s.GroupByName("gold").ID, g.ID)
	})
	t.Run("failed half way", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.FailCreates(true)
		g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		require.ErrorIs(t, err, snapservice.ErrTask)
		assert.NotEmpty(t, g.ID)
		assert.Equal(t, s.GroupByName("gold").ID, g.ID)
	})
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

func TestRelease90(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{Release: "9.0.0.0"}, nil)
	_, err := s.client.Capabilities(t.Context(), s.cluster)
	require.ErrorIs(t, err, snapservice.ErrRelease)
	_, err = s.client.Preview(t.Context(), s.cluster, "", snapservice.Targets{VMs: []string{"vm-1"}})
	assert.ErrorIs(t, err, snapservice.ErrRelease)
}

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
	s.Advance(61e9)
	assert.Equal(t, 2, count())
}
