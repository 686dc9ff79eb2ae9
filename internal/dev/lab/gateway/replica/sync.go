package replica

import (
	"slices"
	"time"
)

// run is a sync that is running.
type run struct {
	kind  Kind
	start time.Duration
	// full and delta are the bytes to send of a full sync and of the changes.
	full  float64
	delta float64
	// checksum is the number of bytes to compare with seeds before the transfer.
	checksum      float64
	checksumStart time.Duration
	checksumEnd   time.Duration
	// transfer is nil until the comparison has ended. transferPlanned is its size, in bytes sent over the link.
	transfer        *transfer
	transferPlanned float64
}

// SyncNow starts a sync if possible, unless one is running. It reports whether a sync is running afterwards.
func (r *Replica) SyncNow() bool {
	if r.canSync() && r.current == nil {
		r.startSync()
	}
	return r.current != nil
}

// canSync reports whether the state of the replication allows a sync.
func (r *Replica) canSync() bool {
	return r.active && !r.paused && r.powered && r.fault == nil && r.moving == 0
}

// reschedule starts the next sync or schedules its start after a change of the replication. If no sync is possible, it
// interrupts the running one.
func (r *Replica) reschedule() {
	r.scheduleID++
	if !r.canSync() {
		r.interrupt()
		return
	}
	if r.current != nil {
		return
	}
	at := r.engine.now
	isDelta := r.full == 0 && r.checksum == 0 && r.count > 0
	if isDelta {
		at = r.lastSync().Start + r.spec.Rule(r.spec.RPO, r.durations, r.load)
	}
	if at <= r.engine.now {
		r.startSync()
		return
	}
	plan := r.scheduleID
	r.engine.At(at, func() {
		if r.scheduleID == plan {
			r.startSync()
		}
	})
}

// accrueChanges adds the changes since the last call to dirty.
func (r *Replica) accrueChanges() {
	if r.powered {
		r.dirty += r.spec.ChangeRate * (r.engine.now - r.dirtyAt).Seconds()
	}
	r.dirtyAt = r.engine.now
}

// startSync starts a sync of everything that has to be sent, with the comparison or with the transfer.
func (r *Replica) startSync() {
	r.scheduleID++
	r.accrueChanges()
	s := &run{kind: Delta, start: r.engine.now, full: r.full, checksum: r.checksum}
	s.delta = r.dirty + float64(r.spec.MinDelta)
	switch {
	case r.count == 0: // the initial sync includes all changes made so far
		s.kind = Initial
		s.delta = 0
	case s.full > 0 || s.checksum > 0:
		s.kind = Full
	}
	r.dirty = 0
	r.full = 0
	r.checksum = 0
	r.current = s
	s.checksumStart = r.engine.now
	s.checksumEnd = r.engine.now
	if s.checksum > 0 && r.spec.ChecksumRate > 0 {
		s.checksumEnd += seconds(s.checksum / r.spec.ChecksumRate)
		r.engine.At(s.checksumEnd, func() {
			if r.current == s {
				r.startTransfer(s)
			}
		})
		return
	}
	r.startTransfer(s)
}

// startTransfer starts to send the data of a run.
func (r *Replica) startTransfer(s *run) {
	s.transferPlanned = (s.full + s.delta) * r.spec.Factor
	s.transfer = r.engine.start(s.transferPlanned, func() { r.finish(s) })
}

// interrupt ends the running sync without an instance. The changes have to be sent again, because the target discards
// them. Data of a full sync that has been compared or sent is kept, so only the rest remains.
func (r *Replica) interrupt() {
	s := r.current
	if s == nil {
		return
	}
	r.current = nil
	r.accrueChanges()
	r.dirty += max(0, s.delta-float64(r.spec.MinDelta))
	r.full += s.full
	r.checksum += s.checksum * (1 - s.checksumFraction(r.engine.now))
	r.full = max(0, r.full-r.fullBytesSent(s))
	if s.transfer != nil {
		r.engine.cancel(s.transfer)
	}
	r.runIdleCallbacks()
}

// bytesSent returns how much of its data a run has sent, in bytes before compression.
func (r *Replica) bytesSent(s *run) float64 {
	data := s.full + s.delta
	switch {
	case s.transfer == nil:
		return 0
	case s.transferPlanned == 0:
		return data
	}
	return data * (1 - r.engine.remaining(s.transfer)/s.transferPlanned)
}

// fullBytesSent returns how much of the data of a full sync a run has sent. The changes follow after that data.
func (r *Replica) fullBytesSent(s *run) float64 { return min(s.full, r.bytesSent(s)) }

// checksumFraction returns which part of the comparison is complete, from 0 to 1.
func (s *run) checksumFraction(now time.Duration) float64 {
	if s.checksumEnd == s.checksumStart || now >= s.checksumEnd {
		return 1
	}
	return float64(now-s.checksumStart) / float64(s.checksumEnd-s.checksumStart)
}

// finish ends a run with a new instance.
func (r *Replica) finish(s *run) {
	now := r.engine.now
	r.current = nil
	if s.kind == Delta {
		r.recordDuration(now-s.start, s.start-r.lastSync().Start)
	}
	r.updateViolation(func() {
		ended := Sync{Kind: s.kind, Start: s.start, End: now, Bytes: int64(s.full + s.delta)}
		r.spec.Synced(ended)
		r.syncs = append(r.syncs, ended)
		if len(r.syncs) > maxSyncs {
			r.syncs = slices.Delete(r.syncs, 0, 1)
		}
		r.count++
	})
	r.runIdleCallbacks()
	r.reschedule()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// WhenIdle calls f once when the running sync ends or is interrupted, or immediately if no sync is running.
func (r *Replica) WhenIdle(f func()) {
	if r.current == nil {
		f()
		return
	}
	r.idleCallbacks = append(r.idleCallbacks, f)
}

// runIdleCallbacks calls the functions that wait for the end of the running sync.
func (r *Replica) runIdleCallbacks() {
	waiting := r.idleCallbacks
	r.idleCallbacks = nil
	for _, f := range waiting {
		f()
	}
}
