package replica

import (
	"math"
	"slices"
)

// State is the state of a replication. It does not include RPO violations.
type State string

// States of a replication. The gateway can report others.
const (
	Configuring State = "CONFIGURING"
	NotActive   State = "NOT_ACTIVE"
	InitialSync State = "INITIAL_FULL_SYNC"
	FullSync    State = "FULL_SYNC"
	DeltaSync   State = "SYNC"
	OK          State = "OK"
	Paused      State = "PAUSED"
	Failed      State = "ERROR"
	Moving      State = "MOVING"
)

// State returns the current state.
func (r *Replica) State() State {
	switch {
	case !r.active:
		return Configuring
	case r.fault != nil:
		return Failed
	case r.paused:
		return Paused
	case !r.powered:
		return NotActive
	case r.moving != 0:
		return Moving
	case r.current == nil:
		return OK
	}
	switch r.current.kind {
	case Initial:
		return InitialSync
	case Full:
		return FullSync
	default:
		return DeltaSync
	}
}

// Progress is the progress of a running sync. Sizes are in bytes before compression.
type Progress struct {
	Percent       int32
	ChecksumDone  int64
	ChecksumTotal int64
	TransferDone  int64
	TransferTotal int64
}

// Progress returns the progress of the running sync, or false if no sync is running. The percentage is rounded down.
func (r *Replica) Progress() (Progress, bool) {
	s := r.current
	if s == nil {
		return Progress{}, false
	}
	data := s.full + s.delta
	sent := r.bytesSent(s)
	checked := s.checksum * s.checksumFraction(r.engine.now)
	p := Progress{
		ChecksumDone:  int64(checked),
		ChecksumTotal: int64(s.checksum),
		TransferDone:  int64(sent),
		TransferTotal: int64(data),
	}
	if total := s.checksum + data; total > 0 {
		p.Percent = int32(min(100, math.Floor(100*(checked+sent)/total)))
	}
	return p, true
}

// Syncs returns the latest syncs, newest last.
func (r *Replica) Syncs() []Sync { return slices.Clone(r.syncs) }

// LastSync returns the latest sync, or false if no sync has completed.
func (r *Replica) LastSync() (Sync, bool) {
	if r.count == 0 {
		return Sync{}, false
	}
	return r.lastSync(), true
}

// lastSync returns the latest sync. There must be one.
func (r *Replica) lastSync() Sync { return r.syncs[len(r.syncs)-1] }

// Count returns the number of completed syncs.
func (r *Replica) Count() int { return r.count }
