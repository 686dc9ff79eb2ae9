package replica

import (
	"time"
)

// Kind is a kind of sync.
type Kind int

// Kinds of sync.
const (
	None    Kind = iota
	Initial      // first transfer of all data
	Delta        // changed data only
	Full         // later transfer of all data, or of a new disk
)

// Sync is a completed sync. It creates an instance that contains the VM's state at Start.
type Sync struct {
	Kind       Kind
	Start, End time.Duration
	Bytes      int64
}

// Violation is a period in which the newest instance was older than the RPO. End is 0 while the violation lasts.
type Violation struct{ Start, End time.Duration }

// Fault is the error that stopped a replication.
type Fault struct{ Message, Details string }

// Spec is the initial state of a replication. Sizes are in bytes, and rates are in bytes per second.
type Spec struct {
	RPO time.Duration
	// Full is the size of the initial sync.
	Full int64
	// Checksum is the amount of data compared with seeds before the transfer. The comparison runs at ChecksumRate and
	// does not use the link.
	Checksum     int64
	ChecksumRate float64
	// Factor is the number of bytes sent over the link per byte of data. The default is 1, which means no compression.
	Factor float64
	// ChangeRate is the VM's change rate while it is running. MinDelta is the number of bytes that each delta sync
	// transfers in addition to the changes.
	ChangeRate float64
	MinDelta   int64
	Powered    bool
	// Rule determines when the next sync starts. The default is NextStart.
	Rule Rule
	// Synced is called when a sync ends. Violated is called when an RPO violation is detected, and receives the start
	// of the violation, which can be earlier. Restored is called when the violation ends.
	Synced   func(Sync)
	Violated func(at time.Duration)
	Restored func(at time.Duration)
}

const maxSyncs = 16

// Replica is a single replication. It is inactive until Activate is called.
type Replica struct {
	engine *Engine
	spec   Spec

	active  bool
	paused  bool
	powered bool
	fault   *Fault
	moving  time.Duration // end of the move; 0 if not moving

	// dirty is the number of bytes changed between the newest instance and dirtyAt.
	dirty   float64
	dirtyAt time.Duration
	// full and checksum are the remaining bytes of a pending or interrupted full sync.
	full       float64
	checksum   float64
	current    *run
	scheduleID uint64 // number of the current schedule; older schedules are ignored

	syncs         []Sync
	count         int
	load          float64 // see Rule
	durations     []time.Duration
	violations    []Violation
	idleCallbacks []func()
}

const unknownLoad = 1

// Add adds an inactive replication.
func (e *Engine) Add(spec Spec) *Replica {
	if spec.Factor == 0 {
		spec.Factor = 1
	}
	if spec.Rule == nil {
		spec.Rule = NextStart
	}
	if spec.Synced == nil {
		spec.Synced = func(Sync) {}
	}
	if spec.Violated == nil {
		spec.Violated = func(time.Duration) {}
	}
	if spec.Restored == nil {
		spec.Restored = func(time.Duration) {}
	}
	return &Replica{
		engine:   e,
		spec:     spec,
		powered:  spec.Powered,
		dirtyAt:  e.now,
		full:     float64(spec.Full),
		checksum: float64(spec.Checksum),
		load:     unknownLoad,
	}
}

// Activate starts a replication that has been configured.
func (r *Replica) Activate() {
	r.active = true
	r.reschedule()
}

// Remove stops the replication permanently.
func (r *Replica) Remove() {
	r.active = false
	r.reschedule()
}

// Pause stops the replication until Resume.
func (r *Replica) Pause() {
	r.paused = true
	r.reschedule()
}

// Resume ends a pause and starts a sync of the changes made in the meantime.
func (r *Replica) Resume() {
	r.paused = false
	r.reschedule()
	r.SyncNow()
}

// Paused reports whether the replication is paused.
func (r *Replica) Paused() bool { return r.paused }

// SetPower sets the VM's power state. A VM that is powered off does not change and is not replicated.
func (r *Replica) SetPower(on bool) {
	if r.powered == on {
		return
	}
	r.accrueChanges()
	r.powered = on
	r.reschedule()
	if on {
		r.SyncNow()
	}
}

// Fail stops the replication with an error until Clear is called.
func (r *Replica) Fail(f Fault) {
	r.fault = &f
	r.reschedule()
}

// Clear removes the error.
func (r *Replica) Clear() {
	if r.fault != nil {
		r.fault = nil
		r.reschedule()
	}
}

// Fault returns the error that stopped the replication, or nil.
func (r *Replica) Fault() *Fault { return r.fault }

// SetChangeRate changes the VM's change rate, in bytes per second.
func (r *Replica) SetChangeRate(bytesPerSecond float64) {
	r.accrueChanges()
	r.spec.ChangeRate = bytesPerSecond
}

// SetFactor changes the compression factor for later syncs.
func (r *Replica) SetFactor(factor float64) { r.spec.Factor = factor }

// SetFull changes the size of the initial sync, unless the sync has already started.
func (r *Replica) SetFull(bytes int64) {
	if r.count == 0 && r.current == nil {
		r.full = float64(bytes)
	}
}

// SetRPO changes the RPO and reschedules the next sync.
func (r *Replica) SetRPO(rpo time.Duration) {
	r.updateViolation(func() { r.spec.RPO = rpo })
	if r.current == nil {
		r.reschedule()
	}
}

// AddFull adds bytes to the next sync and starts that sync immediately.
func (r *Replica) AddFull(bytes int64) {
	r.interrupt()
	r.full += float64(bytes)
	r.reschedule()
}

// Move moves the replica for the duration d. No sync runs during the move.
func (r *Replica) Move(d time.Duration) {
	r.moving = r.engine.now + d
	r.reschedule()
	r.engine.At(r.moving, func() {
		if r.moving != 0 && r.moving <= r.engine.now {
			r.moving = 0
			r.reschedule()
		}
	})
}
