package gateway

import (
	"slices"
	"time"
)

func (g *Gateway) reconfigure(c *call) {
	r := g.replicationOf(c)
	if r == nil {
		return
	}
	var spec replicationSpec
	if !g.decodeBody(c, &spec) {
		return
	}
	spec.VMID = r.vmID
	spec.TargetVCID = r.target.vcID
	if g.rejectInvalid(c, r.vmID, r.name, g.validate(c.r.PathValue("pairing_id"), spec, r)) {
		return
	}
	r.busy = true
	r.configState = "IN_PROGRESS"
	before := r.configError
	g.writeTask(c, g.newTask("reconfigureReplication", r.vmID, r.name, nil, func(_ *task, rule TaskRule) {
		if r.deleted {
			return
		}
		r.busy = false
		r.configState = "OK"
		r.configError = nil
		r.configuredAt = g.engine.Now()
		r.configured++
		g.change(r, spec)
		g.updateHost(r)
		g.finishConfiguration(r, rule.ConfigurationError)
	}, func() {
		r.busy = false
		r.configState = "OK"
		if before != nil {
			r.configState = "ERROR"
		}
	}))
}

func (g *Gateway) changeDisk(r *replication, spec replicationSpec, source vmDisk) (full, moved int64) {
	old := r.disk(source.key())
	want := findDiskSpec(spec.Disks, source)
	if want == nil {
		return 0, 0
	}
	added := newDisk(r.name, source, *want)
	bytes := g.diskBytes(r.vmID, source)
	switch {
	case source.IsVMHome || !want.Enabled:
	case old == nil || !old.spec.Enabled:
		full = bytes
	case old.spec.DatastoreID != want.DatastoreID:
		delete(g.filesAt(old.spec.DatastoreID), old.path)
		moved = bytes
	}
	if old == nil {
		r.disks = append(r.disks, added)
		return full, moved
	}
	if old.seeded {
		added.path = old.path
		added.seeded = true
	}
	*old = *added
	return full, moved
}

func (g *Gateway) change(r *replication, spec replicationSpec) {
	if spec.ServerID == nil || *spec.ServerID != r.server.ID {
		r.server = g.serverFor(orServer(spec.ServerID, r.server))
	}
	if spec.ServerID == nil && g.config.Switches.NullServerMoves {
		at := slices.Index(g.remote.servers, r.server)
		r.server = g.remote.servers[(at+1)%len(g.remote.servers)]
	}
	m, _ := g.local.vc.VMState(moidOf(r.vmID))
	var full, moved int64
	for _, source := range g.disksOf(g.local, m) {
		f, mv := g.changeDisk(r, spec, source)
		full += f
		moved += mv
	}
	g.forceEncryption(&spec, m)
	r.spec = spec
	r.engine.SetRPO(time.Duration(spec.RPO) * time.Minute)
	r.engine.SetFactor(factor(spec))
	g.writeExtraConfig(r)
	if !r.vmDeleted {
		r.engine.Clear()
	}
	if full > 0 {
		r.engine.AddFull(full)
	}
	if moved > 0 {
		r.engine.Move(time.Duration(float64(moved) / moveRate * float64(time.Second)))
	}
}
