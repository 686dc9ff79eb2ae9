package snapservice_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/snapservice"
)

// TestAllGroups_noCluster: a listing without a cluster is an error, because no rule of a tag could be seen.
func TestAllGroups_noCluster(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "clusters", Status: http.StatusOK, Body: `{"items":[]}`})
	if got, err := s.client.AllGroups(t.Context()); !errors.Is(err, snapservice.ErrUnavailable) {
		t.Errorf("got %v, %v, want ErrUnavailable", got, err)
	}
}

// TestGroup goes through the life of a group: preview, create, change, pause, snapshot, delete.
func TestGroup(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{Unquoted: true}, nil) // VMs 0, 2, 4, 6 are in the first cluster
	ctx := t.Context()
	spec := s.gold(s.tag(t, 0, 1, 2))
	p, err := s.client.Preview(ctx, s.cluster, "", spec.Targets)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := snapservice.IDs(p.Included, "ADD"), s.local(0, 2); !slices.Equal(got, want) {
		t.Errorf("the preview adds %v, want %v", got, want)
	}
	if got, want := snapservice.IDs(p.Excluded), []string{s.vc.VMs()[1].ID}; !slices.Equal(got, want) {
		t.Errorf("the preview excludes %v, want %v of the other cluster", got, want)
	}
	g, err := s.client.Create(ctx, s.cluster, spec, patience)
	if err != nil || !slices.Equal(g.Members, s.local(0, 2)) {
		t.Fatalf("created %+v, %v, want the members %v", g, err, s.local(0, 2))
	}
	hour := []snapservice.Replication{spec.Replication[0]}
	hour[0].RPO = snapservice.Period{Unit: snapservice.Hour, Duration: 1}
	if g, err = s.client.Update(ctx, s.cluster, g.ID, snapservice.Change{Replication: &hour}, patience, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := g.Replication[0].RPO.Minutes(); got != 60 {
		t.Errorf("the RPO is %d minutes, want 60", got)
	}
	for range 2 { // the second one is "already in the desired state"
		if g, err = s.client.Pause(ctx, s.cluster, g.ID, patience); err != nil || g.Status != snapservice.Paused {
			t.Fatalf("paused: %s, %v", g.Status, err)
		}
	}
	if g, err = s.client.Resume(ctx, s.cluster, g.ID, patience); err != nil || g.Status != snapservice.Active {
		t.Fatalf("resumed: %s, %v", g.Status, err)
	}
	day := snapservice.Period{Unit: snapservice.Day, Duration: 1}
	result, err := s.client.Snapshot(ctx, s.cluster, g.ID, "now", day, patience)
	if err != nil || result.Total != 2 || result.Failed != 0 {
		t.Errorf("snapshot %+v, %v, want 2 VMs", result, err)
	}
	g, err = s.client.Delete(ctx, s.cluster, g.ID, false, patience)
	if err != nil || g.Status != snapservice.Deleted || len(g.SnapshotIDs) != 1 {
		t.Errorf("deleted: %+v, %v, want a group that is marked for deletion, with a snapshot", g, err)
	}
	s.Advance(24 * 3600e9)
	if left := s.Groups(); len(left) != 0 {
		t.Errorf("%d groups are left, want none when the snapshot has expired", len(left))
	}
}

// TestReading: sites are checked once, pairs, licences, capabilities and VMs are read.
func TestReading(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	ctx := t.Context()
	g, err := s.client.Create(ctx, s.cluster, s.gold(s.tag(t, 0, 2)), patience)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := s.client.Pairs(ctx, s.cluster)
	if err != nil || len(pairs) != 1 || pairs[0].Peer.ClusterName != lab.PeerCluster || pairs[0].Status != "OK" {
		t.Errorf("pairs %+v, %v", pairs, err)
	}
	modes, err := s.client.LicenceModes(ctx, pairs[0].Peer.SiteID)
	if err != nil || !slices.Equal(modes, []string{"OPERATIONAL"}) {
		t.Errorf("licence modes %v, %v", modes, err)
	}
	able, err := s.client.Capabilities(ctx, s.cluster)
	if err != nil || !slices.Contains(able, snapservice.CanTag) {
		t.Errorf("capabilities %v, %v", able, err)
	}
	s.CutLink()
	s.Advance(20 * 60e9) // 5 minutes past the RPO
	vms, err := s.client.VMs(ctx, s.cluster)
	if err != nil || len(vms) != 4 {
		t.Fatalf("%d VMs, %v, want 4", len(vms), err)
	}
	for _, vm := range vms {
		out := vm.Outgoing()
		member := slices.Contains(g.Members, vm.ID)
		if (len(out) == 1) != member || (member && (out[0].Status != "OK" || out[0].Violation == nil)) {
			t.Errorf("VM %s: %+v, want a violation of members only", vm.Name, out)
		}
	}
	if n := s.Traffic().Count("sites"); n != 1 {
		t.Errorf("the sites are read %d times, want once", n)
	}
	if _, err := s.client.Groups(ctx, "domain-c77", snapservice.Shared); !errors.Is(err, snapservice.ErrNotFound) {
		t.Errorf("an unknown cluster: %v, want %v", err, snapservice.ErrNotFound)
	}
	if _, err := s.client.Group(ctx, "domain-c77", g.ID); errors.Is(err, snapservice.ErrNotFound) {
		t.Errorf("a group of an unknown cluster: %v, want an error that is no proof of its absence", err)
	}
}

// TestCreate_uncertain: a create without an answer leads to one group, for each form of a task's result; the group of
// another client is not adopted.
func TestCreate_uncertain(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"string", "object", "none"} {
		for name, rule := range map[string]fault.Rule{
			"answered": {Kind: "none"}, "lost": {Kind: "create", Times: 1, Cut: true, Done: true},
		} {
			t.Run(form+" "+name, func(t *testing.T) {
				t.Parallel()
				s := start(t, lab.Switches{TaskResult: form, NoTarget: form == "none", Hide: 2}, nil)
				s.Traffic().Break(rule)
				g, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), patience)
				if err != nil || len(s.Groups()) != 1 || g.ID != s.Groups()[0].ID {
					t.Errorf("created %q, %v; there are %d groups", g.ID, err, len(s.Groups()))
				}
			})
		}
	}
	t.Run("of another client", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		vm := s.vc.VMs()[0].ID
		s.Traffic().Break(fault.Rule{Kind: "create", Times: 1, Cut: true, Before: func(*http.Request) {
			s.Add(s.cluster, lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{vm}}})
		}})
		g, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), patience)
		if !errors.Is(err, snapservice.ErrForeign) || g.ID != "" {
			t.Errorf("got %q, %v, want %v", g.ID, err, snapservice.ErrForeign)
		}
	})
}

// TestCreate_before: a group with the planned name and form that was there before a create is not its result.
func TestCreate_before(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	spec := s.gold(s.tag(t, 0))
	if _, err := s.client.Create(t.Context(), s.cluster, spec, patience); err != nil {
		t.Fatal(err)
	}
	s.Traffic().Break(fault.Rule{Kind: "create", Cut: true})
	g, err := s.client.Create(t.Context(), s.cluster, spec, patience)
	if g.ID != "" || !errors.Is(err, snapservice.ErrUncertain) {
		t.Errorf("got %q, %v, want no group and %v", g.ID, err, snapservice.ErrUncertain)
	}
}

// TestCreate_cancelled: a create that is cancelled while its task runs returns the group.
func TestCreate_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := start(t, lab.Switches{TaskResult: "none", NoTarget: true}, func(c *snapservice.Config) {
		sleep := c.Sleep
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			cancel()
			return sleep(ctx, d)
		}
	})
	g, err := s.client.Create(ctx, s.cluster, s.gold(s.tag(t, 0)), patience)
	if !errors.Is(err, context.Canceled) || g.ID == "" || g.ID != s.Named("gold").ID {
		t.Errorf("got %q, %v, want group %q and %v", g.ID, err, s.Named("gold").ID, context.Canceled)
	}
}

// TestTask: one that is blocked is waited for, one that is forgotten is read from what it made, one that failed half
// way returns the group.
func TestTask(t *testing.T) {
	t.Parallel()
	t.Run("blocked", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		s.Block(3600e9)
		long := snapservice.Patience{Limit: 2 * 3600e9, Read: 60e9}
		if _, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), long); err != nil {
			t.Error(err)
		}
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		s.Block(3600e9)
		_, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), patience)
		if !errors.Is(err, snapservice.ErrTimeout) {
			t.Errorf("got %v, want %v", err, snapservice.ErrTimeout)
		}
	})
	t.Run("purged", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{Purge: true}, nil)
		g, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), patience)
		if err != nil || g.ID != s.Named("gold").ID {
			t.Errorf("created %q, %v", g.ID, err)
		}
	})
	t.Run("failed half way", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		s.FailCreates("after")
		g, err := s.client.Create(t.Context(), s.cluster, s.gold(s.tag(t, 0)), patience)
		if !errors.Is(err, snapservice.ErrTask) || g.ID == "" || g.ID != s.Named("gold").ID {
			t.Errorf("got %q, %v, want the group and %v", g.ID, err, snapservice.ErrTask)
		}
	})
}

// TestWrite_refused: a locked group, and one that failed over, are refused before anything is sent; a write that got no
// answer is sent again after a read.
func TestWrite_refused(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
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
		id := s.Add(s.cluster, test.info)
		if _, err := s.client.Update(ctx, s.cluster, id, rename, patience, nil); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.info.Name, err, test.want)
		}
	}
	if n := s.Traffic().Count("update"); n != 0 {
		t.Errorf("%d updates were sent, want none", n)
	}
	id := s.Add(s.cluster, lab.Info{Name: "gold"})
	s.Traffic().Break(fault.Rule{Kind: "update", Times: 1, Cut: true})
	if _, err := s.client.Update(ctx, s.cluster, id, rename, patience, nil); err != nil || s.Named(name).ID != id {
		t.Errorf("the repeated update: %v; the group is %+v", err, s.Groups())
	}
}

// TestRelease90: what 9.0 lacks is reported as such, whatever its refusal is.
func TestRelease90(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{Release: "9.0.0.0"}, nil)
	if _, err := s.client.Capabilities(t.Context(), s.cluster); !errors.Is(err, snapservice.ErrRelease) {
		t.Errorf("capabilities: got %v, want %v", err, snapservice.ErrRelease)
	}
	targets := snapservice.Targets{VMs: []string{"vm-1"}}
	if _, err := s.client.Preview(t.Context(), s.cluster, "", targets); !errors.Is(err, snapservice.ErrRelease) {
		t.Errorf("preview: got %v, want %v", err, snapservice.ErrRelease)
	}
}

// TestPreview_follows: a preview is kept for a minute, and dropped by writes.
func TestPreview_follows(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	tag := s.tag(t, 0)
	count := func() int {
		p, err := s.client.Preview(t.Context(), s.cluster, "", s.gold(tag).Targets)
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Included)
	}
	before := count()
	if err := s.vc.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: s.vc.VMs()[2].ID}); err != nil {
		t.Fatal(err)
	}
	if kept := count(); kept != before {
		t.Errorf("%d members, want %d as within the same minute", kept, before)
	}
	s.Advance(61e9)
	if got := count(); got != 2 {
		t.Errorf("%d members, want 2", got)
	}
}
