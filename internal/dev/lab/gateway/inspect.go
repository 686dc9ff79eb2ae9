package gateway

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// Replication is a replication as recorded by the appliance.
type Replication struct {
	ID, VM, Name            string
	RPOMinutes              int64
	Quiesce                 bool
	Compression             bool
	Encryption              bool
	AutoReplicate           bool
	MPIT                    bool
	DataSets                bool
	Enhanced                bool
	MPITInstances, MPITDays int32
	// ServerID identifies the server in use. AskedServerID identifies the requested server, and is empty if none was
	// requested.
	ServerID, AskedServerID string
	Disks                   []Disk
	Status                  string
	RPOViolation            bool
	Paused                  bool
	ConfigurationState      string
	// Configured is the number of successful configurations, including the first.
	Configured int
	// Syncs contains the latest syncs, newest last. SyncCount is the total number of syncs.
	Syncs      []Sync
	SyncCount  int
	Violations []Violation
}

// Disk is a disk of a replicated VM. Key is 0 for the VM's home folder.
type Disk struct {
	Key                           int32
	Home, Replicated, Seeded      bool
	DatastoreID, PolicyID, Format string
	// Path is the disk's path on the target datastore.
	Path string
}

// Sync is a completed sync.
type Sync struct {
	Start, End time.Time
	Bytes      int64
	Initial    bool
}

// Violation is a period during which the RPO was violated. End is zero while the violation lasts.
type Violation struct{ Start, End time.Time }

// Replications returns all replications in the order in which they were configured.
func (g *Gateway) Replications() []Replication {
	defer g.lock()()
	g.tick()
	list := make([]Replication, 0, len(g.replications))
	for _, r := range g.replications {
		list = append(list, r.record())
	}
	return list
}

func (r *replication) record() Replication {
	status := r.status()
	t := Replication{
		ID:                 r.id,
		VM:                 r.vmID,
		Name:               r.name,
		RPOMinutes:         r.spec.RPO,
		Quiesce:            r.spec.Quiesce,
		Compression:        r.spec.NetworkCompression,
		Encryption:         r.spec.Encryption,
		AutoReplicate:      r.spec.AutoReplicate,
		MPIT:               r.spec.MPIT,
		DataSets:           r.spec.VMDataSets,
		Enhanced:           r.spec.Enhanced != nil && *r.spec.Enhanced,
		MPITInstances:      r.spec.MPITInstances,
		MPITDays:           r.spec.MPITDays,
		ServerID:           r.server.ID,
		Status:             status.Status,
		RPOViolation:       status.RPOViolation,
		Paused:             r.engine.Paused(),
		ConfigurationState: r.configState,
		Configured:         r.configured,
		SyncCount:          r.engine.Count(),
	}
	if r.spec.ServerID != nil {
		t.AskedServerID = *r.spec.ServerID
	}
	for _, d := range r.disks {
		shown := Disk{
			Home:        d.source.IsVMHome,
			Replicated:  d.spec.Enabled,
			Seeded:      d.seeded,
			DatastoreID: d.spec.DatastoreID,
			Format:      d.spec.Format,
			Path:        d.path,
		}
		if d.source.DeviceKey != nil {
			shown.Key = *d.source.DeviceKey
		}
		if d.spec.PolicyID != nil {
			shown.PolicyID = *d.spec.PolicyID
		}
		t.Disks = append(t.Disks, shown)
	}
	for _, s := range r.engine.Syncs() {
		t.Syncs = append(
			t.Syncs,
			Sync{Start: Epoch.Add(s.Start), End: Epoch.Add(s.End), Bytes: s.Bytes, Initial: s.Kind == replica.Initial},
		)
	}
	for _, v := range r.engine.Violations() {
		shown := Violation{Start: Epoch.Add(v.Start)}
		if v.End != 0 {
			shown.End = Epoch.Add(v.End)
		}
		t.Violations = append(t.Violations, shown)
	}
	return t
}

func (g *Gateway) withReplication(vm string, f func(*replication)) bool {
	defer g.lock()()
	g.tick()
	r := g.byVM(vm)
	if r != nil {
		f(r)
	}
	return r != nil
}

// RemoveReplication removes a VM's replication, as another client would. vm is a full ID or a managed object ID. It
// returns false if the VM is not replicated.
func (g *Gateway) RemoveReplication(vm string) bool {
	return g.withReplication(vm, func(r *replication) {
		g.deleteFiles(r)
		g.removeReplication(r)
	})
}

// PauseReplication pauses or resumes a replication, as another client would.
func (g *Gateway) PauseReplication(vm string, paused bool) bool {
	return g.withReplication(vm, func(r *replication) {
		if paused {
			r.engine.Pause()
		} else {
			r.engine.Resume()
		}
		g.writeExtraConfig(r)
	})
}

// ChangeRPO changes a replication's RPO, as another client would.
func (g *Gateway) ChangeRPO(vm string, minutes int64) bool {
	return g.withReplication(vm, func(r *replication) {
		r.spec.RPO = minutes
		r.engine.SetRPO(time.Duration(minutes) * time.Minute)
		g.writeExtraConfig(r)
	})
}

// SetRecoverySolution sets the solution that manages a VM's recovery; empty means none.
func (g *Gateway) SetRecoverySolution(vm, solution string) bool {
	return g.withReplication(vm, func(r *replication) {
		r.solution = nil
		if solution != "" {
			r.solution = &solution
		}
	})
}

// SetRecoveryState sets recovery_state to NOT_STARTED, IN_PROGRESS, ERROR, OK or UNKNOWN.
func (g *Gateway) SetRecoveryState(vm, state string) bool {
	return g.withReplication(vm, func(r *replication) { r.recoveryState = state })
}

// SetStatus overrides the reported status of a replication with an arbitrary value. An empty status removes the
// override.
func (g *Gateway) SetStatus(vm, status string) bool {
	return g.withReplication(vm, func(r *replication) { r.statusOverride = status })
}

// FailReplication stops a replication with an error. An empty message clears the error.
func (g *Gateway) FailReplication(vm, message, details string) bool {
	return g.withReplication(vm, func(r *replication) {
		if message == "" {
			r.engine.Clear()
			return
		}
		r.engine.Fail(replica.Fault{Message: message, Details: details})
	})
}

func (g *Gateway) fullVMID(vm string) string {
	if _, _, ok := split(vm, "VirtualMachine"); ok {
		return vm
	}
	return vmID(g.local, vm)
}

// SetChangeRate sets a VM's change rate. vm is a full ID or a managed object ID.
func (g *Gateway) SetChangeRate(vm string, bytesPerSecond float64) {
	defer g.lock()()
	g.tick()
	g.rates[g.fullVMID(vm)] = bytesPerSecond
	if r := g.byVM(vm); r != nil {
		r.engine.SetChangeRate(bytesPerSecond)
	}
}

// SetUsed sets the number of bytes used on a VM's disks. It also sets the size of the initial sync, unless that has
// already started.
func (g *Gateway) SetUsed(vm string, bytes int64) {
	defer g.lock()()
	g.tick()
	g.used[g.fullVMID(vm)] = bytes
	if r := g.byVM(vm); r != nil {
		r.engine.SetFull(g.engineSpec(r, true).Full)
	}
}

// SetCapability sets a VM's replication capability. vm is a full ID or a managed object ID.
func (g *Gateway) SetCapability(vm string, k Capability) {
	defer g.lock()()
	g.capabilities[g.fullVMID(vm)] = k
}

// SetDatastore overrides the accessibility, status and free space of the datastore with the given full ID.
func (g *Gateway) SetDatastore(id string, accessible bool, status string, free int64) {
	defer g.lock()()
	g.stores[id] = func(d *datastore) {
		d.Accessible = accessible
		d.OverallStatus = status
		d.FreeSpace = free
	}
}

// AddFile adds a disk file to a target datastore, for example a seed or a conflicting file. path has the form
// "folder/file.vmdk".
func (g *Gateway) AddFile(datastoreID, path string) {
	defer g.lock()()
	g.filesAt(datastoreID)[path] = true
}

// Files returns the sorted paths of the disk files on a target datastore.
func (g *Gateway) Files(datastoreID string) []string {
	defer g.lock()()
	return g.filesOn(datastoreID)
}

// RemoteDown disconnects or reconnects the remote site. While the site is down, no data is transferred and requests
// that need it fail.
func (g *Gateway) RemoteDown(down bool) {
	defer g.lock()()
	g.tick()
	g.remoteDown = down
	g.setLink()
}

// Restart restarts the appliance. Sessions and tasks end, but replications are kept.
func (g *Gateway) Restart() {
	defer g.lock()()
	clear(g.sessions.active)
	g.tasks.list = nil
}

// Deny makes the operations with the given IDs return 403.
func (g *Gateway) Deny(operations ...string) {
	defer g.lock()()
	for _, id := range operations {
		g.denied[id] = true
	}
}

// Allow undoes all calls to Deny.
func (g *Gateway) Allow() {
	defer g.lock()()
	clear(g.denied)
}

// AccessLog returns an entry for each answered request.
func (g *Gateway) AccessLog() []Access {
	defer g.lock()()
	return slices.Clone(g.log)
}

// RemotePolicies returns the IDs of the remote site's storage policies: the datastore default, a policy that matches
// every datastore, and a policy that matches none.
func (g *Gateway) RemotePolicies() []string {
	var list []string
	for _, p := range g.remote.policies {
		list = append(list, p.ID)
	}
	return list
}
