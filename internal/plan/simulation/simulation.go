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
	waiting       queue     // sorted by deadline
	late          []float64 // VM-seconds in violation, by hour
}

// simulation is a single run, implemented as an event queue with processor sharing in virtual time.
type simulation struct {
	estate       Estate
	end          float64 // latest end of the run, in seconds
	segments     []segment
	tiers        []*tierState
	replicas     []replica // sorted by RPO, then by tier and index
	detailed     bool
	recordsSpans bool
	checksumRate float64 // in bit/s

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

	// countFrom is the time from which lateness is counted. secondHalfStart is the start of the second half of the run.
	countFrom, secondHalfStart float64
	lateness                   []lateness
	// aborted reports whether a VM exceeded its permitted lateness or the run was cancelled.
	aborted bool
	// converged reports, for each tier, whether the halves agree; nil before the first comparison.
	converged []bool
}

func (s *simulation) run(ctx context.Context, days int) {
	for s.day < days && !s.aborted {
		part := &s.segments[s.segmentIndex]
		s.ratesValid = false
		for s.step(part) {
			if s.aborted {
				return
			}
		}
		s.segmentIndex++
		if s.now == float64(s.day+1)*quantity.SecondsPerDay {
			s.endDay()
		}
		s.aborted = s.aborted || ctx.Err() != nil
	}
}

func (s *simulation) endDay() {
	for i := range s.replicas {
		r := &s.replicas[i]
		s.accrue(r, i)
		age := r.age(s.now)
		r.tier.days[s.day].age += age / float64(r.tier.vmCount)
		r.tier.oldestToday = max(r.tier.oldestToday, age)
	}
	for _, ts := range s.tiers {
		ts.days[s.day].oldest, ts.oldestToday = ts.oldestToday, 0
	}
	s.day++
}

// Kinds of events. Simultaneous events are processed in the order transferDone, rateChange, comparisonDone, timerDue.
const (
	transferDone = iota
	comparisonDone
	timerDue
	rateChange
)

func (s *simulation) step(part *segment) bool {
	at, what, of := part.end, rateChange, s.onlyClass
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
			at, what, of = t, transferDone, c
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
	if r.inOverhead {
		r.inOverhead = false
		s.startTransfer(r, id)
		return
	}
	s.admit(r, id)
}

// admit starts a sync if the limit allows it, and otherwise queues it by deadline. The deadline of an initial sync is
// one RPO after the start of the run.
func (s *simulation) admit(r *replica, id int) {
	l := r.tier.linkState
	if l.active < l.limit && l.waiting.len() == 0 {
		s.startSync(r, id)
		return
	}
	deadline := r.tier.rpo
	if !r.needsInitialSync() {
		deadline += r.recoveryPoint
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
	ts, g := r.tier, r.vmGroup()
	ts.linkState.active++
	mark := ts.changeMinutes(s.now)
	minutes := mark - r.startMinutes
	r.syncStart, r.startMinutes, r.pendingTransfers = s.now, mark, 1
	if r.needsInitialSync() {
		r.syncBits = g.initialBits
		s.startTransfer(r, id)
		if g.seedBits > 0 {
			r.pendingTransfers = 2
			s.seeds.add(g.seedBits, id)
		}
		return
	}
	r.syncBits = g.changedBits(minutes)
	if s.detailed && g.curve != nil && minutes > 0 {
		ts.shortestInterval, ts.longestInterval = min(ts.shortestInterval, minutes), max(ts.longestInterval, minutes)
	}
	if ts.overhead > 0 {
		r.inOverhead = true
		s.due.push(s.now+ts.overhead, id)
		return
	}
	s.startTransfer(r, id)
}

func (s *simulation) startTransfer(r *replica, id int) {
	r.tier.class.add(r.syncBits, id)
	s.ratesValid = false
}

func (s *simulation) endTransfer(id int) {
	r := &s.replicas[id]
	if r.pendingTransfers--; r.pendingTransfers > 0 {
		return
	}
	next := s.completeSync(r, id)
	l := r.tier.linkState
	l.active--
	if next > s.now {
		s.due.push(next, id)
		if l.waiting.len() > 0 {
			s.startNextWaiting(l)
		}
		return
	}
	s.admit(r, id)
}

// completeSync stores a recovery point and returns the start time of the next sync. The sync after an initial sync
// starts immediately, because the duration of an initial sync does not predict that of other syncs.
func (s *simulation) completeSync(r *replica, id int) float64 {
	ts := r.tier
	age := r.age(s.now)
	if age > ts.oldestToday {
		ts.oldestToday = age
	}
	if r.violationStart != onTime || age > ts.rpo {
		s.closeViolation(r, id)
	}
	duration := s.now - r.syncStart
	if s.detailed {
		ts.sentBits += r.syncBits
		ts.durations = append(ts.durations, duration)
	}
	initial := r.needsInitialSync()
	r.recoveryPoint = r.syncStart
	if initial {
		ts.unsynced--
		ts.lastInitial = s.now
		return s.now
	}
	r.addDuration(duration)
	return r.recoveryPoint + ts.rpo - r.predictedDuration() - r.drawJitter()
}
