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

type line struct {
	limit, active int
	waiting       queue     // sorted by deadline
	late          []float64 // VM-seconds in violation, by hour
}

// simulation is one run. It is an event queue with processor sharing in virtual time.
type simulation struct {
	in       Estate
	end      float64 // end of the longest run
	segments []segment
	flows    []*flow   // one per tier
	replicas []replica // sorted by RPO, then by tier and index
	detailed bool
	spanned  bool    // whether spans of violations are recorded
	checking float64 // rate in bit/s at which seeds are compared

	now        float64
	at         int // index of the current segment
	day        int // current day, from 0
	lines      []line
	capacities []capacity
	classes    []class
	one        *class // the only class, if it uses nothing but a link; nil otherwise
	divided    bool   // whether the rates of the classes are up to date
	seeds      resource
	due        *timetable // starts of syncs and ends of overheads

	// counting is the time from which the lateness of each VM is counted, and half the start of the second half.
	counting, half float64
	lates          []lateness
	// over reports whether a VM exceeded its permitted lateness or the run was cancelled.
	over bool
	// agreed reports for each tier whether the halves agree. It is set at the end of the run.
	agreed []bool
}

// run simulates until the end of the given day, counted from 1, or until the run is over.
func (s *simulation) run(ctx context.Context, days int) {
	for s.day < days && !s.over {
		part := &s.segments[s.at]
		s.divided = false
		for s.step(part) {
			if s.over {
				return
			}
		}
		s.at++
		if s.now == float64(s.day+1)*quantity.SecondsPerDay {
			s.midnight()
		}
		s.over = s.over || ctx.Err() != nil
	}
}

func (s *simulation) midnight() {
	for i := range s.replicas {
		r := &s.replicas[i]
		s.accrue(r, i)
		age := r.age(s.now)
		r.flow.days[s.day].age += age / float64(r.flow.vms)
		r.flow.oldest = max(r.flow.oldest, age)
	}
	for _, f := range s.flows {
		f.days[s.day].oldest, f.oldest = f.oldest, 0
	}
	s.day++
}

// Kinds of events, in the order in which simultaneous events are processed.
const (
	arrived = iota // the data of a sync has been sent
	compared
	timed
	changes // the rates of the links change
)

func (s *simulation) step(part *segment) bool {
	at, what, of := part.end, changes, s.one
	switch {
	case of == nil:
		at, what, of = s.nextArrival(part)
	case of.users.n > 0:
		of.equal(part.rates[of.link])
		if of.share > 0 {
			if t := of.ready(s.now); t <= at {
				at, what = t, arrived
			}
		}
	}
	if s.seeds.users.n > 0 {
		s.seeds.equal(s.checking)
		if t := s.seeds.ready(s.now); t < at {
			at, what = t, compared
		}
	}
	if key := s.due.first.key; key < at {
		at, what = key, timed
		if at < s.now {
			at = s.now
		}
	}
	s.advance(at, part.hour)
	switch what {
	case arrived:
		s.divided = false
		s.part(of.remove())
	case compared:
		s.part(s.seeds.remove())
	case timed:
		id := s.due.first.id
		s.due.drop()
		s.start(id)
	}
	return what != changes
}

// nextArrival returns the next completed transfer if there are several classes, or the next change of link rates if
// that comes first.
func (s *simulation) nextArrival(part *segment) (at float64, what int, of *class) {
	if !s.divided {
		s.divide(part)
		s.divided = true
	}
	at, what = part.end, changes
	for i := range s.classes {
		c := &s.classes[i]
		if c.users.n == 0 || c.share <= 0 {
			continue
		}
		if t := c.ready(s.now); t < at || t == at && what == changes {
			at, what, of = t, arrived, c
		}
	}
	return at, what, of
}

func (s *simulation) advance(to float64, hour int) {
	took := to - s.now
	s.now = to
	if s.one != nil {
		if bits := took * s.one.share; s.one.users.n > 0 {
			s.one.virtual += bits
			if s.detailed {
				s.capacities[s.one.link].sent[hour] += bits * float64(s.one.users.n)
			}
		}
	} else {
		s.advanceAll(took, hour)
	}
	if s.seeds.users.n > 0 {
		s.seeds.virtual += took * s.seeds.share
	}
}

func (s *simulation) advanceAll(took float64, hour int) {
	for i := range s.classes {
		c := &s.classes[i]
		if c.users.n == 0 {
			continue
		}
		c.virtual += took * c.share
		if s.detailed {
			for _, u := range c.uses {
				s.capacities[u.capacity].sent[hour] += took * c.share * float64(c.users.n) * u.weight
			}
		}
	}
}

func (s *simulation) start(id int) {
	r := &s.replicas[id]
	if r.opening {
		r.opening = false
		s.send(r, id)
		return
	}
	s.admit(r, id)
}

// admit starts a sync if the limit allows it. Otherwise, the sync has to wait. The deadline of an initial sync is one
// RPO after the start of the run.
func (s *simulation) admit(r *replica, id int) {
	l := r.flow.line
	if l.active < l.limit && l.waiting.len() == 0 {
		s.begin(r, id)
		return
	}
	deadline := r.flow.rpo
	if !r.initial() {
		deadline += r.point
	}
	l.waiting.push(entry{key: deadline, id: id})
	if l.active < l.limit {
		s.beginNext(l)
	}
}

func (s *simulation) beginNext(l *line) {
	id := l.waiting.pop().id
	s.begin(&s.replicas[id], id)
}

// begin starts a sync. An initial sync sends all data; other syncs send the changes since the previous start.
func (s *simulation) begin(r *replica, id int) {
	f, k := r.flow, r.data()
	f.line.active++
	mark := f.minutes(s.now)
	minutes := mark - r.mark
	r.begun, r.mark, r.parts = s.now, mark, 1
	if r.initial() {
		r.bits = k.initialBits
		s.send(r, id)
		if k.seedBits > 0 {
			r.parts = 2
			s.seeds.add(k.seedBits, id)
		}
		return
	}
	r.bits = k.changed(minutes)
	if s.detailed && k.curve != nil && minutes > 0 {
		f.shortest, f.longest = min(f.shortest, minutes), max(f.longest, minutes)
	}
	if f.overhead > 0 {
		r.opening = true
		s.due.push(s.now+f.overhead, id)
		return
	}
	s.send(r, id)
}

func (s *simulation) send(r *replica, id int) {
	r.flow.class.add(r.bits, id)
	s.divided = false
}

func (s *simulation) part(id int) {
	r := &s.replicas[id]
	if r.parts--; r.parts > 0 {
		return
	}
	next := s.complete(r, id)
	l := r.flow.line
	l.active--
	if next > s.now {
		s.due.push(next, id)
		if l.waiting.len() > 0 {
			s.beginNext(l)
		}
		return
	}
	s.admit(r, id)
}

// complete stores a recovery point and returns the start of the next sync. An initial sync is followed immediately by
// the next sync, because the duration of an initial sync is not representative.
func (s *simulation) complete(r *replica, id int) float64 {
	f := r.flow
	age := r.age(s.now)
	if age > f.oldest {
		f.oldest = age
	}
	if r.since != onTime || age > f.rpo { // otherwise there is no violation
		s.settle(r, id)
	}
	duration := s.now - r.begun
	if s.detailed {
		f.sent += r.bits
		f.durations = append(f.durations, duration)
	}
	initial := r.initial()
	r.point = r.begun
	if initial {
		f.unsynced--
		f.lastInitial = s.now
		return s.now
	}
	r.remember(duration)
	return r.point + f.rpo - r.predicted() - r.moved()
}
