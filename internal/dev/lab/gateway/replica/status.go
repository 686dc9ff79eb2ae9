// The visible state of a replication.

package replica

import (
	"math"
	"slices"
	"time"
)

// State is the base of a status, without the RPO.
type State string

// The states that a replication reaches by itself; more can be reported by those who hold it.
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

// State is the state now.
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

// Progress is how far the sync that runs has come. Sizes are bytes of data, before compression.
type Progress struct {
	Percent                                                  int32
	ChecksumDone, ChecksumTotal, TransferDone, TransferTotal int64
}

// Progress returns false when no sync runs. 100 percent is reached only in the last instant.
func (r *Replica) Progress() (Progress, bool) {
	s := r.current
	if s == nil {
		return Progress{}, false
	}
	data := s.full + s.delta
	sent, checked := 0.0, s.checksum*s.checked(r.engine.now)
	if s.transfer != nil {
		sent = data
		if s.transferPlanned > 0 {
			sent = data * (1 - r.engine.left(s.transfer)/s.transferPlanned)
		}
	}
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

// Syncs returns the newest syncs, the newest last.
func (r *Replica) Syncs() []Sync { return slices.Clone(r.syncs) }

// LastSync returns the newest sync.
func (r *Replica) LastSync() (Sync, bool) {
	if r.count == 0 {
		return Sync{}, false
	}
	return r.syncs[len(r.syncs)-1], true
}

// Count is the number of syncs that ended.
func (r *Replica) Count() int { return r.count }

// Due is when the next sync starts if nothing happens before, and false when none is planned.
func (r *Replica) Due() (time.Duration, bool) {
	if !r.ready() || r.current != nil || r.count == 0 {
		return 0, false
	}
	return max(r.engine.now, r.nextStart()), true
}
