package gateway

import (
	"net/http"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func (g *Gateway) configure(c *call) {
	var specs []replicationSpec
	if !g.decodeBody(c, &specs) {
		return
	}
	for i, spec := range specs {
		twice := slices.ContainsFunc(specs[:i], func(other replicationSpec) bool { return other.VMID == spec.VMID })
		f := g.validate(c.r.PathValue("pairing_id"), spec, nil)
		if twice {
			f = &apiError{"VM_ALREADY_CONFIGURED", "The VM is in the request twice."}
		}
		if f != nil && !g.config.Switches.FailInTask {
			g.writeError(c, http.StatusBadRequest, f.code, f.message)
			return
		}
	}
	list := make([]taskInfo, 0, len(specs))
	for _, spec := range specs {
		list = append(list, g.taskInfo(g.configureOne(c.r.PathValue("pairing_id"), spec)))
	}
	g.writeJSON(c, http.StatusAccepted, listAnswer[taskInfo]{List: list, Meta: listMeta{Errors: []metaError{}}})
}

func (g *Gateway) configureOne(pairing string, spec replicationSpec) *task {
	name := spec.VMID
	m, ok := g.local.vc.VMState(moidOf(spec.VMID))
	if ok {
		name = m.Name
	}
	if f := g.validate(pairing, spec, nil); f != nil {
		return g.newTask(
			"configureReplication",
			spec.VMID,
			name,
			&errorInfo{Message: f.message, Details: f.code},
			nil,
			nil,
		)
	}
	g.forceEncryption(&spec, m)
	r := &replication{
		id:            g.replicationID(),
		vmID:          spec.VMID,
		name:          name,
		target:        g.remote,
		spec:          spec,
		created:       g.engine.Now(),
		busy:          true,
		configState:   "IN_PROGRESS",
		recoveryState: "NOT_STARTED",
		server:        g.serverFor(spec.ServerID),
		number:        len(g.replications),
	}
	for _, source := range g.disksOf(g.local, m) {
		if want := findDiskSpec(spec.Disks, source); want != nil {
			r.disks = append(r.disks, newDisk(name, source, *want))
		}
	}
	engineSpec := g.engineSpec(r, m.PowerState == "poweredOn")
	g.postEvents(r, &engineSpec)
	r.engine = g.engine.Add(engineSpec)
	g.replications = append(g.replications, r)
	return g.newTask("configureReplication", r.vmID, r.name, nil, func(_ *task, rule TaskRule) {
		if r.deleted {
			return
		}
		r.busy = false
		r.configState = "OK"
		r.configuredAt = g.engine.Now()
		r.configured++
		g.updateHost(r)
		r.engine.Activate()
		g.writeExtraConfig(r)
		g.finishConfiguration(r, rule.ConfigurationError)
	}, func() { g.removeReplication(r) })
}

func (g *Gateway) finishConfiguration(r *replication, message string) {
	for _, d := range r.disks {
		if !d.spec.Enabled || d.source.IsVMHome || d.seeded {
			continue
		}
		files := g.filesAt(d.spec.DatastoreID)
		if files[d.path] && r.configured == 1 {
			message = "A file " + d.path + " exists on the target datastore."
		}
		files[d.path] = true
	}
	if message == "" {
		return
	}
	r.configState = "ERROR"
	r.configError = &errorInfo{
		Message: message,
		Details: "The configuration of the replication failed.",
	}
	r.engine.Fail(replica.Fault{Message: message})
}

func newDisk(folder string, source vmDisk, want diskSpec) *disk {
	d := &disk{source: source, spec: want, path: folder + "/"}
	if !source.IsVMHome {
		d.path += *source.SourcePath.Filename
	}
	if want.UseSeeds && want.Path != nil {
		d.path = *want.Path
		d.seeded = true
	}
	return d
}

func findDiskSpec(specs []diskSpec, source vmDisk) *diskSpec {
	for i := range specs {
		if specs[i].key() == source.key() {
			return &specs[i]
		}
	}
	return nil
}

func (g *Gateway) replicationID() string {
	return "HmsGroup:GID-" + g.uuid() + ":" + g.local.vrmsID
}

// serverFor returns the server with an ID or, if there is none, the usable server with the fewest replications.
func (g *Gateway) serverFor(id *string) *replicationServer {
	counts := g.servers(g.remote)
	best := g.remote.servers[0]
	least := int32(-1)
	for i, s := range g.remote.servers {
		if id != nil && s.ID == *id {
			return s
		}
		isLeast := least < 0 || counts[i].ReplicationCount < least
		if s.Connected && !s.Decommissioned && isLeast {
			best = s
			least = counts[i].ReplicationCount
		}
	}
	return best
}

func (g *Gateway) forceEncryption(spec *replicationSpec, m vcsim.VMState) {
	if g.capabilityOf(g.local, m).VMEncrypted {
		spec.Encryption = true
	}
}

func orServer(id *string, now *replicationServer) *string {
	if id == nil {
		return &now.ID
	}
	return id
}

func (g *Gateway) removeReplication(r *replication) {
	r.deleted = true
	g.local.vc.SetReplicated(moidOf(r.vmID), 0)
	r.engine.Remove()
	g.writeExtraConfig(r)
	g.replications = slices.DeleteFunc(g.replications, func(other *replication) bool { return other == r })
}

func (g *Gateway) updateHost(r *replication) {
	var keys []int32
	for _, d := range r.disks {
		if d.spec.Enabled && !d.source.IsVMHome {
			keys = append(keys, d.source.key())
		}
	}
	g.local.vc.SetReplicated(moidOf(r.vmID), r.spec.RPO, keys...)
}
