package simulation

import (
	"context"

	"terraform-provider-vsla/internal/plan/quantity"
)

type segment struct {
	end   float64
	rates []float64 // in bit/s, one per link
	hour  int
}

type linkState struct {
	limit, active int
	waiting       queue // sorted by deadline
}

// beginning selects the state in which a run begins.
type beginning int

const (
	// spread begins with the first syncs at random times within one configured RPO.
	spread beginning = iota
	// together begins with the first syncs of all VMs at the same time.
	together
	// coldStart begins with an initial sync of every VM.
	coldStart
)

// simulation is a single run, implemented as an event queue with processor sharing in virtual time.
type simulation struct {
	estate   Estate
	number   int // number of the run, counted from 1
	begin    beginning
	end      float64 // latest end of the run, in seconds
	segments []segment
	tiers    []*tierState
	replicas []replica // sorted by tier and index
	// recoveryPoints contains the start of the last completed sync of each replica after a cold start.
	recoveryPoints []float64
	detailed       bool
	outage         bool
	checksumRate   float64 // in bit/s

	now          float64
	segmentIndex int
	day          int // current day, from 0
	links        []linkState
	capacities   []capacity
	classes      []class
	onlyClass    *class // the only class, if it uses nothing but a link; nil otherwise
	ratesValid   bool
	seeds        resource
	due          *timetable // sync starts and overhead ends

	// countFrom is the time from which ages are counted.
	countFrom float64
	// ages contains an element for each replica; nil if the run only searches for late syncs.
	ages []ages
	// failing is the tier that missed its Requirement, which ends the run; nil if there is none.
	failing *tierState
	// isNeedless reports, once an hour, whether the run can end because its result is no longer needed; nil if it is
	// always needed.
	isNeedless func() bool
	cancelled  bool
	// delayed reports whether a sync was due before the previous one had ended.
	delayed bool
}

// ages contains the time, in seconds, that a VM's recovery points are late, out of the total time, both with the
// greatest possible ages. oldest is the greatest age if it is late.
type ages struct{ late, total, oldest float64 }

func (s *simulation) run(ctx context.Context, days int) {
	for s.day < days && s.failing == nil && !s.cancelled {
		part := &s.segments[s.segmentIndex]
		s.ratesValid = false
		for s.step(part) {
			if s.failing != nil {
				return
			}
		}
		s.segmentIndex++
		if s.now == float64(s.day+1)*quantity.SecondsPerDay {
			s.day++
			s.checkUnfinished()
		}
		s.cancelled = ctx.Err() != nil || s.isNeedless != nil && s.isNeedless()
	}
}

// Kinds of events. Simultaneous events are processed in the order transferDone, rateChange, comparisonDone, timerDue.
const (
	transferDone = iota
	comparisonDone
	timerDue
	rateChange
)

func (s *simulation) step(part *segment) bool {
	at := part.end
	what := rateChange
	of := s.onlyClass
	switch {
	case of == nil:
		at, what, of = s.nextTransferEnd(part)
	case of.users.count > 0:
		of.setShare(part.rates[of.link])
		if of.share > 0 {
			if t := of.completionTime(s.now); t <= at {
				at, what = t, transferDone
			}
		}
	}
	if s.seeds.users.count > 0 {
		s.seeds.setShare(s.checksumRate)
		if t := s.seeds.completionTime(s.now); t < at {
			at, what = t, comparisonDone
		}
	}
	if key := s.due.first.key; key < at {
		at, what = key, timerDue
		if at < s.now {
			at = s.now
		}
	}
	s.advance(at, part.hour)
	switch what {
	case transferDone:
		s.ratesValid = false
		s.endTransfer(of.remove())
	case comparisonDone:
		s.endTransfer(s.seeds.remove())
	case timerDue:
		id := s.due.first.id
		s.due.removeFirst()
		s.handleTimer(id)
	}
	return what != rateChange
}

// nextTransferEnd returns the next transfer to complete, or rateChange if the link rates change first.
func (s *simulation) nextTransferEnd(part *segment) (at float64, what int, of *class) {
	if !s.ratesValid {
		s.assignRates(part)
		s.ratesValid = true
	}
	at, what = part.end, rateChange
	for i := range s.classes {
		c := &s.classes[i]
		if c.users.count == 0 || c.share <= 0 {
			continue
		}
		if t := c.completionTime(s.now); t < at || t == at && what == rateChange {
			at = t
			what = transferDone
			of = c
		}
	}
	return at, what, of
}

func (s *simulation) advance(to float64, hour int) {
	seconds := to - s.now
	s.now = to
	if s.onlyClass != nil {
		if bits := seconds * s.onlyClass.share; s.onlyClass.users.count > 0 {
			s.onlyClass.virtual += bits
			if s.detailed {
				s.capacities[s.onlyClass.link].sent[hour] += bits * float64(s.onlyClass.users.count)
			}
		}
	} else {
		s.advanceAll(seconds, hour)
	}
	if s.seeds.users.count > 0 {
		s.seeds.virtual += seconds * s.seeds.share
	}
}

func (s *simulation) advanceAll(seconds float64, hour int) {
	for i := range s.classes {
		c := &s.classes[i]
		if c.users.count == 0 {
			continue
		}
		c.virtual += seconds * c.share
		if s.detailed {
			for _, u := range c.uses {
				s.capacities[u.capacity].sent[hour] += seconds * c.share * float64(c.users.count) * u.weight
			}
		}
	}
}

func (s *simulation) handleTimer(id int) {
	r := &s.replicas[id]
	if r.state == inOverhead {
		r.state = synced
		s.startTransfer(r, id)
		return
	}
	s.admit(r, id)
}

// admit starts a sync if the limit allows it, and otherwise queues it by deadline. The deadline of an initial sync is
// one promised RPO after the start of the run.
func (s *simulation) admit(r *replica, id int) {
	l := s.tiers[r.tier].linkState
	if l.active < l.limit && l.waiting.len() == 0 {
		s.startSync(r, id)
		return
	}
	deadline := s.tiers[r.tier].promised
	if !r.needsInitialSync() {
		deadline += r.syncStart
	}
	l.waiting.push(entry{key: deadline, id: id})
	if l.active < l.limit {
		s.startNextWaiting(l)
	}
}

func (s *simulation) startNextWaiting(l *linkState) {
	id := l.waiting.pop().id
	s.startSync(&s.replicas[id], id)
}

func (s *simulation) startSync(r *replica, id int) {
	ts := s.tiers[r.tier]
	ts.linkState.active++
	r.syncStart, r.pendingTransfers = s.now, 1
	switch {
	case r.needsInitialSync():
		s.startTransfer(r, id)
		if g := s.vmGroup(r); g.seedBits > 0 {
			r.pendingTransfers = 2
			s.seeds.add(g.seedBits, id)
		}
	case ts.overhead > 0:
		r.state = inOverhead
		s.due.push(s.now+ts.overhead, id)
	default:
		s.startTransfer(r, id)
	}
}

func (s *simulation) startTransfer(r *replica, id int) {
	ts := s.tiers[r.tier]
	mark := ts.changeMinutes(r.syncStart)
	bits := s.changedBits(r, mark-r.startMinutes)
	if r.needsInitialSync() {
		bits = s.vmGroup(r).initialBits
	}
	r.startMinutes = mark
	ts.class.add(bits, id)
	s.ratesValid = false
}

func (s *simulation) endTransfer(id int) {
	r := &s.replicas[id]
	if r.pendingTransfers--; r.pendingTransfers > 0 {
		return
	}
	r.due = s.completeSync(r, id)
	l := s.tiers[r.tier].linkState
	l.active--
	if r.due > s.now {
		s.skipEmpty(r, id)
		s.due.push(r.due, id)
		if l.waiting.len() > 0 {
			s.startNextWaiting(l)
		}
		return
	}
	s.delayed = true
	s.admit(r, id)
}

// completeSync stores a recovery point and returns the time at which the next sync is due. The sync after an initial
// sync is due immediately.
func (s *simulation) completeSync(r *replica, id int) float64 {
	ts := s.tiers[r.tier]
	initial := r.needsInitialSync()
	switch {
	case initial:
		r.state = synced
		ts.unsynced--
		ts.syncedAt = s.now
	case s.begin == coldStart:
		longest := max(r.lastDuration, s.now-r.syncStart)
		if s.now-s.recoveryPoints[id] > ts.promised+Rounding && longest > ts.longestByRule() {
			ts.syncedAt = s.now
		}
	case s.now > s.countFrom:
		s.count(r, id)
	}
	if r.lastDuration = s.now - r.syncStart; s.begin == coldStart {
		s.recoveryPoints[id] = r.syncStart
	}
	if initial {
		return s.now
	}
	return s.nextDue(r, s.now)
}

// nextDue returns the time at which the sync after one that ended at the given time is due.
func (s *simulation) nextDue(r *replica, end float64) float64 {
	ts := s.tiers[r.tier]
	return max(end, r.syncStart+ts.configured-ts.jitter*r.random.Float64())
}

// skipEmpty performs the next syncs of a VM as long as nothing has changed since the previous one, because they take no
// part in sharing.
func (s *simulation) skipEmpty(r *replica, id int) {
	ts := s.tiers[r.tier]
	if !ts.skipsEmpty || s.outage {
		return
	}
	for until := 0.0; r.due < until || ts.changeMinutes(r.due) == r.startMinutes; {
		if r.due >= until {
			until = ts.unchangedUntil(r.due)
		}
		start, end := r.due, r.due+ts.overhead
		if age := max(ts.configured, r.lastDuration) + end - start; end >= s.end || age > ts.promised ||
			s.begin == coldStart && end-r.syncStart > ts.promised {
			return
		}
		if s.begin == coldStart {
			s.recoveryPoints[id] = start
		} else if end > s.countFrom {
			ts.record(s.countUntil(r, id, end), id)
		}
		r.syncStart, r.lastDuration = start, end-start
		r.due = s.nextDue(r, end)
	}
}
