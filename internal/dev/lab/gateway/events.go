package gateway

import (
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// postEvents makes a replication post its events to the local vCenter. The lab assumes that the sizes in events are in
// bytes before compression, and that the time of a violation event is the start of the violation.
func (g *Gateway) postEvents(r *replication, spec *replica.Spec) {
	post := func(at time.Duration, kind string, bytes int64) {
		g.local.vc.Events().Post(vcsim.Event{At: Epoch.Add(at), Type: kind, VMID: moidOf(r.vmID), Bytes: bytes})
	}
	spec.Synced = func(s replica.Sync) { post(s.End, r.syncEvent(s.Kind), s.Bytes) }
	spec.Violated = func(at time.Duration) { post(at, vcsim.EventRPOViolated, 0) }
	spec.Restored = func(at time.Duration) { post(at, vcsim.EventRPORestored, 0) }
}

func (r *replication) syncEvent(kind replica.Kind) string {
	switch {
	case kind != replica.Delta:
		return vcsim.EventFullSync
	case !r.spec.Quiesce:
		return vcsim.EventDelta
	case r.number%2 == 0:
		return vcsim.EventAppDelta
	default:
		return vcsim.EventFSDelta
	}
}

func (g *Gateway) detectViolations() {
	for _, r := range g.replications {
		r.engine.DetectViolation()
	}
	g.local.vc.Events().AdvanceTo(Epoch.Add(g.engine.Now()))
}
