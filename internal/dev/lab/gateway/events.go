// What the appliance leaves in vCenter: events of syncs and violations, and settings in a VM's extra configuration. The
// names are known from community scripts. That bytes are counted before compression, and that a violation's event has
// the time of its beginning, are assumptions of the lab.

package gateway

import (
	"strconv"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// report makes a replication post its events.
func (g *Gateway) report(r *replication, spec *replica.Spec) {
	post := func(at time.Duration, kind string, bytes int64) {
		g.local.vc.Events().Post(vcsim.Event{At: Epoch.Add(at), Type: kind, VMID: moid(r.vmID), Bytes: bytes})
	}
	spec.Synced = func(s replica.Sync) { post(s.End, r.syncEvent(s.Kind), s.Bytes) }
	spec.Violated = func(at time.Duration) { post(at, vcsim.EventRPOViolated, 0) }
	spec.Restored = func(at time.Duration) { post(at, vcsim.EventRPORestored, 0) }
}

// syncEvent is the event of a sync. Of the VMs that are quiesced every second one has an application to quiesce.
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

// notice posts what has happened up to now.
func (g *Gateway) notice() {
	for _, r := range g.replications {
		r.engine.Notice()
	}
	g.local.vc.Events().Reach(Epoch.Add(g.engine.Now()))
}

// mark writes the settings of a replication into the VM's extra configuration.
func (g *Gateway) mark(r *replication) {
	settings := map[string]string{
		"hbr_filter.gid":            "",
		"hbr_filter.destination":    "",
		"hbr_filter.rpo":            "",
		"hbr_filter.quiesce":        "",
		"hbr_filter.netCompression": "",
		"hbr_filter.netEncryption":  "",
		"hbr_filter.pause":          "",
	}
	if !r.gone {
		if r.server.Name != nil {
			settings["hbr_filter.destination"] = *r.server.Name
		}
		settings["hbr_filter.gid"] = vcsim.ReplicationID(moid(r.vmID))
		settings["hbr_filter.rpo"] = strconv.FormatInt(r.spec.RPO, 10)
		settings["hbr_filter.quiesce"] = strconv.FormatBool(r.spec.Quiesce)
		settings["hbr_filter.netCompression"] = strconv.FormatBool(r.spec.NetworkCompression)
		settings["hbr_filter.netEncryption"] = strconv.FormatBool(r.spec.Encryption)
		settings["hbr_filter.pause"] = strconv.FormatBool(r.engine.Paused())
	}
	_ = g.local.vc.SetExtraConfig(moid(r.vmID), settings) // the VM may be gone
}
