package gateway

import (
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// withReplication calls f with the replication of a VM. It returns false if the VM is not replicated.
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

// fullVMID returns the full ID of a VM. vm is a full ID or a managed object ID.
func (g *Gateway) fullVMID(vm string) string {
	if _, _, ok := parseID(vm, "VirtualMachine"); ok {
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
