package gateway

import (
	"net/http"
	"slices"
	"time"

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

func (d diskSpec) key() int32 {
	switch {
	case d.Disk.IsVMHome:
		return 0
	case d.Disk.DeviceKey == nil:
		return -1
	}
	return *d.Disk.DeviceKey
}

func (d diskSpec) isHome() bool { return d.key() == 0 }

func (d vmDisk) key() int32 {
	if d.IsVMHome || d.DeviceKey == nil {
		return 0
	}
	return *d.DeviceKey
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

func (g *Gateway) engineSpec(r *replication, powered bool) replica.Spec {
	s := g.config.Switches
	spec := replica.Spec{
		RPO:          time.Duration(r.spec.RPO) * time.Minute,
		ChangeRate:   s.ChangeRate,
		Powered:      powered,
		Factor:       factor(r.spec),
		ChecksumRate: checksumRate,
		Rule:         s.Rule,
	}
	if rate, ok := g.rates[r.vmID]; ok {
		spec.ChangeRate = rate
	}
	for _, d := range r.disks {
		bytes := g.diskBytes(r.vmID, d.source)
		switch {
		case !d.spec.Enabled || d.source.IsVMHome:
		case d.seeded:
			spec.Checksum += d.source.Capacity << 10
			spec.Full += int64(float64(bytes) * seedDelta)
		default:
			spec.Full += bytes
		}
	}
	return spec
}

func factor(spec replicationSpec) float64 {
	if spec.NetworkCompression {
		return compression
	}
	return 1
}

func (g *Gateway) diskBytes(vmID string, d vmDisk) int64 {
	capacity := d.Capacity << 10
	m, ok := g.local.vc.VMState(moidOf(vmID))
	used, known := g.used[vmID]
	if !known && g.config.Switches.UsedFromInventory && ok && m.UsedBytes > 0 {
		used = m.UsedBytes
		known = true
	}
	total := int64(0)
	for _, other := range m.Disks {
		total += other.CapacityBytes
	}
	if !known || total == 0 {
		return capacity
	}
	return int64(float64(used) * float64(capacity) / float64(total))
}

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

func (g *Gateway) deleteFiles(r *replication) {
	for _, d := range r.disks {
		if !d.seeded {
			delete(g.filesAt(d.spec.DatastoreID), d.path)
		}
	}
}

func (g *Gateway) filesAt(datastoreID string) map[string]bool {
	if g.files[datastoreID] == nil {
		g.files[datastoreID] = map[string]bool{}
	}
	return g.files[datastoreID]
}

func (g *Gateway) filesOn(datastoreID string) []string {
	list := make([]string, 0, len(g.files[datastoreID]))
	for file := range g.files[datastoreID] {
		list = append(list, file)
	}
	slices.Sort(list)
	return list
}
