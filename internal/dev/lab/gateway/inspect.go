package gateway

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// Replication is the appliance's record of a replication.
type Replication struct {
	ID, VM, Name string
	RPOMinutes   int64
	// The settings, by their meaning.
	Quiesce, Compression, Encryption, AutoReplicate, MPIT, DataSets, Enhanced bool
	MPITInstances, MPITDays                                                   int32
	// ServerID is the server that it uses; AskedServerID the one that was asked for, empty for none.
	ServerID, AskedServerID string
	Disks                   []Disk
	Status                  string
	RPOViolation            bool
	Paused                  bool
	ConfigurationState      string
	// Configured counts the configurations that ended well, the first included.
	Configured int
	// Syncs are the newest syncs, the newest last; SyncCount is how many there were.
	Syncs      []Sync
	SyncCount  int
	Violations []Violation
}

// Disk is a disk of a replication. Key is 0 for the VM's folder.
type Disk struct {
	Key                           int32
	Home, Replicated, Seeded      bool
	DatastoreID, PolicyID, Format string
	// Path is its place at the target.
	Path string
}

// Sync is a sync that ended.
type Sync struct {
	Start, End time.Time
	Bytes      int64
	Initial    bool
}

// Violation is a time of violation; End is zero while it lasts.
type Violation struct{ Start, End time.Time }

// Replications returns all replications, in the order in which they were configured.
func (g *Gateway) Replications() []Replication {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	list := make([]Replication, 0, len(g.replications))
	for _, r := range g.replications {
		list = append(list, r.truth())
	}
	return list
}

func (r *replication) truth() Replication {
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

func (g *Gateway) on(vm string, f func(*replication)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	r := g.byVM(vm)
	if r != nil {
		f(r)
	}
	return r != nil
}

// RemoveReplication ends the replication of a VM, by its full id or moid, as another client would. It reports whether
// there was one.
func (g *Gateway) RemoveReplication(vm string) bool {
	return g.on(vm, func(r *replication) { g.clean(r); g.drop(r) })
}

// PauseReplication pauses, or with false resumes, as another client would.
func (g *Gateway) PauseReplication(vm string, paused bool) bool {
	return g.on(vm, func(r *replication) {
		if paused {
			r.engine.Pause()
		} else {
			r.engine.Resume()
		}
		g.mark(r)
	})
}

// ChangeRPO changes the RPO, as another client would.
func (g *Gateway) ChangeRPO(vm string, minutes int64) bool {
	return g.on(vm, func(r *replication) {
		r.spec.RPO = minutes
		r.engine.SetRPO(time.Duration(minutes) * time.Minute)
		g.mark(r)
	})
}

// SetRecoverySolution sets the solution that manages the recovery of a VM: empty for none.
func (g *Gateway) SetRecoverySolution(vm, solution string) bool {
	return g.on(vm, func(r *replication) {
		r.solution = nil
		if solution != "" {
			r.solution = &solution
		}
	})
}

// SetRecoveryState sets recovery_state: NOT_STARTED, IN_PROGRESS, ERROR, OK or UNKNOWN.
func (g *Gateway) SetRecoveryState(vm, state string) bool {
	return g.on(vm, func(r *replication) { r.recoveryState = state })
}

// SetStatus makes a replication report a status, of this API or not; empty ends that.
func (g *Gateway) SetStatus(vm, status string) bool {
	return g.on(vm, func(r *replication) { r.forced = status })
}

// FailReplication stops a replication with an error; an empty message ends that.
func (g *Gateway) FailReplication(vm, message, details string) bool {
	return g.on(vm, func(r *replication) {
		if message == "" {
			r.engine.Clear()
			return
		}
		r.engine.Fail(replica.Fault{Message: message, Details: details})
	})
}

func (g *Gateway) full(vm string) string {
	if _, _, ok := split(vm, "VirtualMachine"); ok {
		return vm
	}
	return vmID(g.local, vm)
}

// SetChangeRate sets the change rate of a VM from now on, in bytes per second, by its full id or moid.
func (g *Gateway) SetChangeRate(vm string, bytesPerSecond float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.rates[g.full(vm)] = bytesPerSecond
	if r := g.byVM(vm); r != nil {
		r.engine.SetChangeRate(bytesPerSecond)
	}
}

// SetUsed sets the used bytes of a VM's disks: the size of its initial sync, if that has not begun.
func (g *Gateway) SetUsed(vm string, bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.used[g.full(vm)] = bytes
	if r := g.byVM(vm); r != nil {
		r.engine.SetFull(g.engineSpec(r, true).Full)
	}
}

// SetCapability sets the capability of a VM's replication, by the VM's full id or moid.
func (g *Gateway) SetCapability(vm string, k Capability) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.capabilities[g.full(vm)] = k
}

// SetDatastore makes a datastore, by its full id, inaccessible, red or nearly full; free is in bytes.
func (g *Gateway) SetDatastore(id string, accessible bool, status string, free int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stores[id] = func(d *datastore) { d.Accessible, d.OverallStatus, d.FreeSpace = accessible, status, free }
}

// AddFile puts a disk's file on a datastore of the target: a seed, or something in the way. path is "folder/file.vmdk".
func (g *Gateway) AddFile(datastoreID, path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.filesAt(datastoreID)[path] = true
}

// Files are the disks' files on a datastore of the target, in order.
func (g *Gateway) Files(datastoreID string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.filesOn(datastoreID)
}

// RemoteDown cuts the remote site off: nothing moves, and what needs it fails.
func (g *Gateway) RemoteDown(down bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.remoteDown = down
	g.setLink()
}

// Restart restarts the appliance: all sessions and tasks are gone, replications stay.
func (g *Gateway) Restart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.sessions.live)
	g.tasks.list = nil
}

// Deny answers 403 to these operationIds.
func (g *Gateway) Deny(operations ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range operations {
		g.denied[id] = true
	}
}

// Allow takes every Deny back.
func (g *Gateway) Allow() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.denied)
}

// AccessLog returns a line for each request that was answered.
func (g *Gateway) AccessLog() []Access {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.log)
}

// RemotePolicies are the ids of the remote site's storage policies: the datastore's default, one that every datastore
// complies with, and one that none does.
func (g *Gateway) RemotePolicies() []string {
	var list []string
	for _, p := range g.remote.policies {
		list = append(list, p.ID)
	}
	return list
}
