package replica

import (
	"slices"
	"time"
)

// Kind is a kind of sync.
type Kind int

// The kinds of sync.
const (
	None    Kind = iota
	Initial      // the first, of everything
	Delta        // of what changed
	Full         // of everything again, or of a disk that is new
)

// Sync is a finished sync. Its instance stands for the VM at Start.
type Sync struct {
	Kind       Kind
	Start, End time.Duration
	Bytes      int64
}

// Violation is a time in which the newest instance was older than the RPO; End is 0 while it lasts.
type Violation struct{ Start, End time.Duration }

// Fault is why a replication stands still.
type Fault struct{ Message, Details string }

// Spec is the initial state of a replication. Sizes are bytes, rates bytes in a second.
type Spec struct {
	RPO time.Duration
	// Full is the size of the initial sync.
	Full int64
	// Checksum is compared with seeds before, at ChecksumRate, without the link.
	Checksum     int64
	ChecksumRate float64
	// Factor is the bytes on the link for each byte of data: 1 without compression.
	Factor float64
	// ChangeRate is how fast a running VM changes; Least is added to each sync of changes.
	ChangeRate float64
	Least      int64
	Powered    bool
	// Rule decides when the next sync starts: default NextStart.
	Rule Rule
	// Synced is called when a sync has ended, Violated with the time from which the RPO is not kept, and Restored with
	// the time at which it is kept again. A violation is noticed with the next change or question, later than it begins.
	Synced             func(Sync)
	Violated, Restored func(at time.Duration)
}

const kept = 16

// Replica is one replication. It stands still until Activate.
type Replica struct {
	engine *Engine
	spec   Spec

	active, paused, powered bool
	fault                   *Fault
	moving                  time.Duration // until then; 0 for not moving

	// dirty is what had changed at dirtyAt since the newest instance was taken.
	dirty   float64
	dirtyAt time.Duration
	// full and checksum are the remaining parts of a full sync that waits or was broken off.
	full, checksum float64
	current        *run
	plan           uint64 // number of the newest schedule; older ones are void

	syncs      []Sync
	count      int
	load       float64 // time that a sync takes for each second of changes, by the last one
	measured   []time.Duration
	violations []Violation
	waiting    []func()
}

type run struct {
	kind            Kind
	start           time.Duration
	full, delta     float64 // bytes
	checksum        float64
	checksumStart   time.Duration
	checksumEnd     time.Duration
	transfer        *transfer
	transferPlanned float64
}

// Add makes a replication.
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
		engine: e, spec: spec, powered: spec.Powered, dirtyAt: e.now,
		full: float64(spec.Full), checksum: float64(spec.Checksum), load: unknownLoad,
	}
}

// Activate lets the replication run, after its configuration.
func (r *Replica) Activate() { r.active = true; r.decide() }

// Remove stops it for good.
func (r *Replica) Remove() { r.active = false; r.decide() }

// Pause stops it until Resume.
func (r *Replica) Pause() { r.paused = true; r.decide() }

// Resume starts a sync of the changes since the pause.
func (r *Replica) Resume() {
	r.paused = false
	r.decide()
	r.SyncNow()
}

// Paused reports whether it is paused.
func (r *Replica) Paused() bool { return r.paused }

// SetPower reports whether the VM runs. One that does not is not replicated, and does not change.
func (r *Replica) SetPower(on bool) {
	if r.powered == on {
		return
	}
	r.touch()
	r.powered = on
	r.decide()
	if on {
		r.SyncNow()
	}
}

// Fail stops it with an error, until Clear.
func (r *Replica) Fail(f Fault) { r.fault = &f; r.decide() }

// Clear takes the error away.
func (r *Replica) Clear() {
	if r.fault != nil {
		r.fault = nil
		r.decide()
	}
}

// Fault is the error, or nil.
func (r *Replica) Fault() *Fault { return r.fault }

// SetChangeRate changes how fast the VM changes, from now on.
func (r *Replica) SetChangeRate(bytesPerSecond float64) {
	r.touch()
	r.spec.ChangeRate = bytesPerSecond
}

// SetFactor changes the compression, from the next sync on.
func (r *Replica) SetFactor(factor float64) { r.spec.Factor = factor }

// SetFull changes what the initial sync sends, if it has not begun.
func (r *Replica) SetFull(bytes int64) {
	if r.count == 0 && r.current == nil {
		r.full = float64(bytes)
	}
}

// SetRPO changes the RPO, and with it what the next sync has to keep.
func (r *Replica) SetRPO(rpo time.Duration) {
	r.judge(func() { r.spec.RPO = rpo })
	if r.current == nil {
		r.decide()
	}
}

// AddFull makes so many bytes part of the next sync, which starts at once.
func (r *Replica) AddFull(bytes int64) {
	r.stop()
	r.full += float64(bytes)
	r.decide()
}

// Move copies the replica for so long, during which no sync runs.
func (r *Replica) Move(d time.Duration) {
	r.moving = r.engine.now + d
	r.decide()
	r.engine.At(r.moving, func() {
		if r.moving != 0 && r.moving <= r.engine.now {
			r.moving = 0
			r.decide()
		}
	})
}

// SyncNow starts a sync if none runs and nothing stands against it. It reports whether one runs now.
func (r *Replica) SyncNow() bool {
	if r.ready() && r.current == nil {
		r.begin()
	}
	return r.current != nil
}

func (r *Replica) ready() bool {
	return r.active && !r.paused && r.powered && r.fault == nil && r.moving == 0
}

func (r *Replica) decide() {
	r.plan++
	if !r.ready() {
		r.stop()
		return
	}
	if r.current != nil {
		return
	}
	at := r.engine.now
	if r.full == 0 && r.checksum == 0 && r.count > 0 {
		at = r.nextStart()
	}
	if at <= r.engine.now {
		r.begin()
		return
	}
	plan := r.plan
	r.engine.At(at, func() {
		if r.plan == plan {
			r.begin()
		}
	})
}

func (r *Replica) touch() {
	if r.powered {
		r.dirty += r.spec.ChangeRate * (r.engine.now - r.dirtyAt).Seconds()
	}
	r.dirtyAt = r.engine.now
}

func (r *Replica) begin() {
	r.plan++
	r.touch()
	s := &run{kind: Delta, start: r.engine.now, full: r.full, checksum: r.checksum, delta: r.dirty + float64(r.spec.Least)}
	switch {
	case r.count == 0: // a first sync reads the VM as it is: changes are in it
		s.kind, s.delta = Initial, 0
	case s.full > 0 || s.checksum > 0:
		s.kind = Full
	}
	r.dirty, r.full, r.checksum = 0, 0, 0
	r.current = s
	s.checksumStart = r.engine.now
	s.checksumEnd = r.engine.now
	if s.checksum > 0 && r.spec.ChecksumRate > 0 {
		s.checksumEnd += seconds(s.checksum / r.spec.ChecksumRate)
		r.engine.At(s.checksumEnd, func() {
			if r.current == s {
				r.send(s)
			}
		})
		return
	}
	r.send(s)
}

func (r *Replica) send(s *run) {
	s.transferPlanned = (s.full + s.delta) * r.spec.Factor
	s.transfer = r.engine.start(s.transferPlanned, func() { r.finish(s) })
}

func (r *Replica) stop() {
	s := r.current
	if s == nil {
		return
	}
	r.current = nil
	r.touch()
	r.dirty += max(0, s.delta-float64(r.spec.Least))
	r.full += s.full
	r.checksum += s.checksum * (1 - s.checked(r.engine.now))
	if s.transfer != nil {
		if s.full > 0 && s.transferPlanned > 0 {
			sent := min(s.full, (s.full+s.delta)*(1-r.engine.left(s.transfer)/s.transferPlanned))
			r.full = max(0, r.full-sent)
		}
		r.engine.cancel(s.transfer)
	}
	r.idle()
}

func (s *run) checked(now time.Duration) float64 {
	if s.checksumEnd == s.checksumStart || now >= s.checksumEnd {
		return 1
	}
	return float64(now-s.checksumStart) / float64(s.checksumEnd-s.checksumStart)
}

func (r *Replica) finish(s *run) {
	now := r.engine.now
	r.current = nil
	if s.kind == Delta {
		r.measure(now-s.start, s.start-r.syncs[len(r.syncs)-1].Start)
	}
	r.judge(func() {
		ended := Sync{Kind: s.kind, Start: s.start, End: now, Bytes: int64(s.full + s.delta)}
		r.spec.Synced(ended)
		r.syncs = append(r.syncs, ended)
		if len(r.syncs) > kept {
			r.syncs = slices.Delete(r.syncs, 0, 1)
		}
		r.count++
	})
	r.idle()
	r.decide()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// WhenIdle runs f once when no sync runs any more: the next end or breaking off of one.
func (r *Replica) WhenIdle(f func()) {
	if r.current == nil {
		f()
		return
	}
	r.waiting = append(r.waiting, f)
}

func (r *Replica) idle() {
	waiting := r.waiting
	r.waiting = nil
	for _, f := range waiting {
		f()
	}
}
