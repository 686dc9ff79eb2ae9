// The engine of the schedule: an event queue with processor sharing in virtual time.

package replication

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"terraform-provider-vsla/internal/plan/quantity"
)

// segment is a part of the run in which the link is the same.
type segment struct {
	end  float64
	rate float64 // bit/s
	hour int
}

// resource is shared equally by those that use it: in virtual time, what each has got since the start of the run.
type resource struct {
	users   *timetable // by the virtual time at which each has all it needs
	virtual float64    // bits
	most    float64    // bit/s of one user
}

// listsPerSync is how finely the virtual time of a mean sync is divided: with so many syncs at a time each is in a
// separate list.
const listsPerSync = 2048

// newResource returns one for so many VMs that need so many bits on average, and get most at best each. total is the
// most that can be got in a run.
func newResource(vms int, bits, most, total float64) resource {
	const exact = 1 << 52 // numbers of lists stay exact
	width := max(bits/listsPerSync, total/exact, 1e-9)
	return resource{users: newTimetable(vms, width, 4*listsPerSync*width, math.Inf(1)), most: most}
}

// share returns what each user gets, in bit/s. What every event computes does without min and max, which take care of
// more cases than there are.
func (u *resource) share(rate float64) float64 {
	if share := rate / float64(u.users.n); share < u.most {
		return share
	}
	return u.most
}

func (u *resource) add(bits float64, id int) { u.users.push(u.virtual+bits, id) }

// remove takes out the user that is ready.
func (u *resource) remove() int {
	e := u.users.first
	if e.key > u.virtual {
		u.virtual = e.key
	}
	u.users.drop()
	return e.id
}

// ready returns when the first user has all it needs.
func (u *resource) ready(now, share float64) float64 {
	left := u.users.first.key - u.virtual
	if left <= 0 {
		return now
	}
	return now + left/share
}

// simulation is one run.
type simulation struct {
	in       ScheduleInput
	end      float64 // of the longest run
	segments []segment
	flows    []*flow   // by group name
	replicas []replica // by RPO, group name and index
	limit    int
	detailed bool
	spanned  bool    // stretches of lateness are kept
	checking float64 // bit/s

	now     float64
	at      int // segment
	day     int // from 0
	active  int // syncs
	link    resource
	seeds   resource
	due     *timetable // starts of syncs, and ends of their overhead
	waiting queue      // by deadline

	// need is the goal of the run; nil without a goal. It is over when it cannot any longer.
	need atomic.Pointer[need]
	over bool
	// soFar is the compliance by the last change of the link, as bits.
	soFar atomic.Uint64
	// lateShare is the largest share of the VM-time of a group that is late, if nothing is from now on.
	lateShare float64
	alarms    int64
	// agreed: the halves agree, in a run that has ended.
	agreed bool

	spans       spans
	unsynced    int     // VMs without an initial sync
	lastInitial float64 // when the last one arrived
	hourSent    []float64
	hourLate    []float64 // VM-seconds in violation
}

// newSimulation prepares a run of so many days at most; run is its number, from 1. Detailed runs keep durations, hours
// and amounts.
func newSimulation(in ScheduleInput, days, run int, detailed bool) *simulation {
	s := &simulation{in: in, end: float64(days) * quantity.SecondsPerDay, detailed: detailed, limit: math.MaxInt}
	s.spanned = detailed || in.hasEvent()
	if in.MaxConcurrentSyncs != nil {
		s.limit = int(*in.MaxConcurrentSyncs)
	}
	perSync := math.Inf(1)
	if in.PerSyncMbps != nil {
		perSync = *in.PerSyncMbps * quantity.BitsPerMbit
	}
	if in.ChecksumMbps != nil {
		s.checking = *in.ChecksumMbps * quantity.BitsPerMbit
	}
	best := s.cut(days)
	if detailed {
		s.hourSent, s.hourLate = make([]float64, days*hoursPerDay), make([]float64, days*hoursPerDay)
	}
	vms, perSecond, bitsPerSecond, seedBits, longest := 0, 0.0, 0.0, 0.0, 0.0
	for _, name := range sortedNames(in.Groups) {
		f := newFlow(name, in.Groups[name], in)
		f.days = make([]day, days)
		if detailed { // Most syncs are a little less than an RPO apart.
			f.durations = make([]float64, 0, int(1.1*quantity.SecondsPerDay/f.rpo)*f.vms*min(days, leastComparedDays))
		}
		s.flows = append(s.flows, f)
		vms += f.vms
		perSecond += float64(f.vms) / f.rpo
		bitsPerSecond += float64(f.vms) / f.rpo * f.changed(f.rpo/quantity.SecondsPerMinute)
		seedBits += float64(f.vms) * f.seedBits
		longest = max(longest, f.rpo)
	}
	s.replicas = make([]replica, 0, vms)
	// In a quarter of the mean distance between two starts there is mostly one at most.
	s.due = newTimetable(vms, 0.25/perSecond, longest, s.end)
	s.link = newResource(vms, bitsPerSecond/perSecond, perSync, best*s.end)
	s.seeds = newResource(vms, seedBits/float64(vms), math.Inf(1), s.checking*s.end)
	for _, f := range slices.SortedStableFunc(slices.Values(s.flows), func(a, b *flow) int {
		return cmp.Compare(a.rpo, b.rpo)
	}) {
		s.newReplicas(f, min(best, s.link.most), run)
	}
	return s
}

// cut divides the run where the link changes, and returns the best rate.
func (s *simulation) cut(days int) float64 {
	outage, has := s.in.outage()
	best, hours := 0.0, s.in.hourly()
	for hour := range days * hoursPerDay {
		start := float64(hour) * quantity.SecondsPerHour
		rate := hours[hour%hoursPerDay] * quantity.BitsPerMbit * s.in.EfficiencyPercent / quantity.Percent
		end := start + quantity.SecondsPerHour
		best = max(best, rate)
		if has && outage.from < end && outage.to > start {
			if outage.from > start {
				s.segments = append(s.segments, segment{end: outage.from, rate: rate, hour: hour})
			}
			s.segments = append(s.segments, segment{end: min(outage.to, end), hour: hour})
			if outage.to >= end {
				continue
			}
		}
		s.segments = append(s.segments, segment{end: end, rate: rate, hour: hour})
	}
	return best
}

// run simulates until the end of a day, by its number from 1, or until the run is over.
func (s *simulation) run(days int) {
	for s.day < days && !s.over {
		part := &s.segments[s.at]
		for s.step(part) {
			if s.over {
				return
			}
		}
		s.at++
		if s.now == float64(s.day+1)*quantity.SecondsPerDay {
			s.midnight()
		}
		s.check()
		s.soFar.Store(math.Float64bits(quantity.Percent * (1 - s.lateShare*s.end/s.now)))
	}
}

// midnight ends a day.
func (s *simulation) midnight() {
	for i := range s.replicas {
		r := &s.replicas[i]
		s.accrue(r)
		age := r.age(s.now)
		r.flow.days[s.day].age += age / float64(r.flow.vms)
		r.flow.oldest = max(r.flow.oldest, age)
	}
	for _, f := range s.flows {
		f.days[s.day].oldest, f.oldest = f.oldest, 0
	}
	s.day++
}

// Events, in the order in which they come first at the same moment.
const (
	arrived = iota // a sync has been sent
	compared
	timed
	changes // the link changes
)

// step continues to the next event, and reports whether it is before the link changes.
func (s *simulation) step(part *segment) bool {
	share, checking := 0.0, 0.0
	at, what := part.end, changes
	if s.link.users.n > 0 && part.rate > 0 {
		share = s.link.share(part.rate)
		if t := s.link.ready(s.now, share); t <= at {
			at, what = t, arrived
		}
	}
	if s.seeds.users.n > 0 {
		checking = s.seeds.share(s.checking)
		if t := s.seeds.ready(s.now, checking); t < at {
			at, what = t, compared
		}
	}
	if key := s.due.first.key; key < at {
		at, what = key, timed
		if at < s.now {
			at = s.now
		}
	}
	s.advance(at, share, checking, part.hour)
	switch what {
	case arrived:
		s.part(s.link.remove())
	case compared:
		s.part(s.seeds.remove())
	case timed:
		id := s.due.first.id
		s.due.drop()
		s.start(id)
	}
	return what != changes
}

// advance moves the clock.
func (s *simulation) advance(to, share, checking float64, hour int) {
	took := to - s.now
	s.now = to
	s.link.virtual += took * share
	s.seeds.virtual += took * checking
	if s.detailed {
		s.hourSent[hour] += took * share * float64(s.link.users.n)
	}
}

// start begins a sync that is due, or ends its overhead.
func (s *simulation) start(id int) {
	r := &s.replicas[id]
	if r.opening {
		r.opening = false
		s.send(r, id)
		return
	}
	s.admit(r, id)
}

// admit begins a sync if fewer than the limit run; otherwise it waits. An initial sync is due since the start of the
// run.
func (s *simulation) admit(r *replica, id int) {
	if s.active < s.limit && s.waiting.len() == 0 {
		s.begin(r, id)
		return
	}
	deadline := r.flow.rpo
	if !r.initial() {
		deadline += r.point
	}
	s.waiting.push(entry{key: deadline, id: id})
	if s.active < s.limit {
		s.beginNext()
	}
}

// beginNext starts the sync that waits with the nearest deadline.
func (s *simulation) beginNext() {
	id := s.waiting.pop().id
	s.begin(&s.replicas[id], id)
}

// begin starts a sync: the initial one with all data, any other one with what has changed since the previous start.
func (s *simulation) begin(r *replica, id int) {
	f := r.flow
	s.active++
	mark := f.minutes(s.now)
	minutes := mark - r.mark
	r.begun, r.mark, r.parts = s.now, mark, 1
	if r.initial() {
		r.bits = f.initialBits
		s.send(r, id)
		if f.seedBits > 0 {
			r.parts = 2
			s.seeds.add(f.seedBits, id)
		}
		return
	}
	r.bits = f.changed(minutes)
	if s.detailed && f.curve != nil && minutes > 0 {
		f.shortest, f.longest = min(f.shortest, minutes), max(f.longest, minutes)
	}
	if f.overhead > 0 {
		r.opening = true
		s.due.push(s.now+f.overhead, id)
		return
	}
	s.send(r, id)
}

// send begins the transfer of a sync.
func (s *simulation) send(r *replica, id int) {
	s.link.add(r.bits, id)
}

// part ends one part of a sync, and the sync with its last part.
func (s *simulation) part(id int) {
	r := &s.replicas[id]
	if r.parts--; r.parts > 0 {
		return
	}
	next := s.complete(r)
	s.active--
	if next > s.now {
		s.due.push(next, id)
		if s.waiting.len() > 0 {
			s.beginNext()
		}
		return
	}
	s.admit(r, id)
}

// complete lands a recovery point and returns when the next sync starts: at once after an initial sync, which is no
// evidence of the syncs to come.
func (s *simulation) complete(r *replica) float64 {
	f := r.flow
	age := r.age(s.now)
	if age > f.oldest {
		f.oldest = age
	}
	if r.since != onTime || age > f.rpo { // else there is nothing to settle
		s.settle(r)
	}
	duration := s.now - r.begun
	if s.detailed {
		f.sent += r.bits
		f.durations = append(f.durations, duration)
	}
	initial := r.initial()
	r.point = r.begun
	if initial {
		s.unsynced--
		s.lastInitial = s.now
		return s.now
	}
	r.remember(duration)
	return r.point + f.rpo - r.predicted() - r.moved()
}
