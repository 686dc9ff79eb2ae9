package gateway_test

import (
	"cmp"
	"net/http"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestEvents: each sync and each violation of three VMs is in vCenter's log, at its time, with its size.
func TestEvents(t *testing.T) {
	t.Parallel()
	l := connect(t, own(t, gateway.Config{}))
	for i := range 3 {
		spec := l.spec(t, i)
		spec["quiesce_enabled"] = i > 0
		l.SetUsed(l.vm(i), 1e9)
		l.SetChangeRate(l.vm(i), 1e5)
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{spec}).want(t, http.StatusAccepted)
	}
	l.Advance(time.Hour)
	// The link is down for an hour: all three fall out of 15 minutes.
	l.RemoteDown(true)
	l.Advance(time.Hour)
	l.RemoteDown(false)
	l.Advance(time.Hour)
	var want []vcsim.Event
	delta := []string{vcsim.EventDelta, vcsim.EventFSDelta, vcsim.EventAppDelta}
	violations := 0
	for i, r := range l.Replications() {
		id := l.protected.VMs()[i].ID
		for _, s := range r.Syncs {
			kind := delta[i]
			if s.Initial {
				kind = vcsim.EventFullSync
			}
			want = append(want, vcsim.Event{At: s.End, Type: kind, VMID: id, Bytes: s.Bytes})
		}
		for _, v := range r.Violations {
			violations++
			want = append(want,
				vcsim.Event{At: v.Start, Type: vcsim.EventRPOViolated, VMID: id},
				vcsim.Event{At: v.End, Type: vcsim.EventRPORestored, VMID: id})
		}
		if r.SyncCount != len(r.Syncs) {
			t.Fatalf("%d of %d syncs are remembered, so that not all are compared", len(r.Syncs), r.SyncCount)
		}
		settings := l.protected.ExtraConfig(id)
		if settings["hbr_filter.rpo"] != "15" || settings["hbr_filter.pause"] != "false" {
			t.Errorf("%v", settings)
		}
	}
	if violations != 3 {
		t.Errorf("%d violations, want 3", violations)
	}
	got := l.protected.Events().All()
	order := func(a, b vcsim.Event) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.VMID, b.VMID), cmp.Compare(a.Type, b.Type))
	}
	for i := range got {
		got[i] = vcsim.Event{At: got[i].At, Type: got[i].Type, VMID: got[i].VMID, Bytes: got[i].Bytes}
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("%d events, want %d:\n%v\n%v", len(got), len(want), got, want)
	}
	if n := len(l.recovery.Events().All()); n != 0 {
		t.Errorf("%d events are at the recovery site", n)
	}
}

// TestEvents_lasting: a violation that lasts is in the log already, and settings end with the replication.
func TestEvents_lasting(t *testing.T) {
	t.Parallel()
	l := connect(t, own(t, gateway.Config{}))
	l.SetChangeRate(l.vm(0), 1e5)
	l.SetUsed(l.vm(0), 1e9)
	l.configured(t, 0)
	l.Advance(20 * time.Minute)
	l.RemoteDown(true)
	l.Advance(time.Hour)
	events := l.protected.Events().All()
	r := l.Replications()[0]
	if len(r.Violations) != 1 {
		t.Fatalf("%+v, %v", r, events)
	}
	last := events[len(events)-1]
	if want := r.Violations[0].Start; last.Type != vcsim.EventRPOViolated || !last.At.Equal(want) {
		t.Errorf("the last event is %v, want a violation at %v", last, want)
	}
	l.RemoteDown(false)
	l.RemoveReplication(l.vm(0))
	if got, set := l.protected.ExtraConfig(l.protected.VMs()[0].ID)["hbr_filter.rpo"]; set {
		t.Errorf("the RPO is still %q", got)
	}
}
