// The engine of the schedule: an event queue with processor sharing in virtual time.

package replication

import (
	"maps"
	"math"
	"slices"
)

const (
	// predictionFactor and historyLength are vSphere Replication's: it predicts a sync by the mean of the last 15, and a
	// fifth more (VMware vSphere blog, June 2014).
	predictionFactor = 1.2
	historyLength    = 15
	// lateness is how long, in seconds, a recovery point may be overdue without being counted: two syncs that overlap by
	// chance are late by a part of their duration on any link. An assumption of vsla; vSphere Replication itself reports
	// violations in whole minutes.
	lateness = 1
	// noLimit is a share of violations that no run exceeds.
	noLimit = 2
)

// flow is a group as the engine needs it; amounts are bits on the wire.
type flow struct {
	rpo       float64 // seconds
	dailyBits float64 // of one VM
	sizeBits  float64
	// before[h] is the part of a day's change that has happened by the start of hour h.
	before [hoursPerDay + 1]float64

	machines   int
	violations int64
	late       float64 // seconds of violation, over VMs
	worst      float64 // seconds
	sent       float64
	durations  []float64
}

// changed returns the bits of one VM that have changed by time t, counted from midnight of the first day. It is linear
// within an hour, and goes on below zero.
func (f *flow) changed(t float64) float64 {
	day := math.Floor(t / secondsPerDay)
	hours := (t - day*secondsPerDay) / secondsPerHour
	h := min(int(hours), hoursPerDay-1)
	part := f.before[h] + (f.before[h+1]-f.before[h])*(hours-float64(h))
	return f.dailyBits * (day + part)
}

// replica is one VM's replication.
type replica struct {
	flow *flow
	// point is the start of the sync that made the newest recovery point; -Inf when there is none.
	point float64
	// landed is when that arrived, or the start of the run.
	landed float64
	// begun is the start of the sync that runs, bits what it sends.
	begun, bits float64
	// The last durations, in a ring.
	history [historyLength]float64
	kept    int
	next    int
}

// predicted is how long the next sync should take.
func (r *replica) predicted() float64 {
	sum := 0.0
	for _, d := range r.history[:r.kept] {
		sum += d
	}
	return predictionFactor * sum / float64(max(r.kept, 1))
}

func (r *replica) remember(duration float64) {
	r.history[r.next] = duration
	r.next = (r.next + 1) % historyLength
	r.kept = min(r.kept+1, historyLength)
}

// simulation is one run.
type simulation struct {
	end      float64
	rates    [hoursPerDay]float64 // bit/s
	flows    []*flow
	names    []string
	replicas []replica
	limit    int
	detailed bool

	now     float64
	virtual float64 // bits that each running sync has been sent since the start of the run
	running queue   // by the virtual time at which each is complete
	starts  queue   // by the time at which each is due
	waiting queue   // by deadline
	machine float64 // machine-seconds in all

	late     float64
	hourSent []float64
	hourLate []float64 // machine-seconds in violation
}

// newSimulation prepares a run with the link scaled; detailed runs keep every duration.
func newSimulation(in ScheduleInput, scale float64, detailed bool) *simulation {
	s := &simulation{end: in.Days * secondsPerDay, detailed: detailed, limit: math.MaxInt}
	if in.MaxConcurrentSyncs != nil {
		s.limit = int(*in.MaxConcurrentSyncs)
	}
	best := 0.0
	for h, mbps := range in.hourly() {
		s.rates[h] = mbps * scale * bitsPerMbit
		best = max(best, s.rates[h])
	}
	s.hourSent = make([]float64, int(in.Days)*hoursPerDay)
	s.hourLate = make([]float64, int(in.Days)*hoursPerDay)
	s.names = slices.Sorted(maps.Keys(in.Groups))
	for _, name := range s.names {
		f := newFlow(in.Groups[name])
		s.flows = append(s.flows, f)
		for i := range f.machines {
			first := f.rpo * float64(i) / float64(f.machines)
			s.replicas = append(s.replicas, newReplica(f, first, best, in.StartInSync))
			s.starts.push(entry{key: first, id: len(s.replicas) - 1})
		}
	}
	s.machine = s.end * float64(len(s.replicas))
	return s
}

func newFlow(g Group) *flow {
	f := &flow{
		rpo: g.RPOMinutes * secondsPerMin, machines: int(g.VMCount),
		sizeBits:  g.VMSizeGiB * bitsPerGiB / g.CompressionRatio,
		dailyBits: g.VMSizeGiB * bitsPerGiB / g.CompressionRatio * g.DailyChangePercent / percent,
	}
	total := 0.0
	for h := range hoursPerDay {
		weight := 1.0
		if g.HourlyWeights != nil {
			weight = g.HourlyWeights[h]
		}
		total += weight
		f.before[h+1] = total
	}
	for h := range f.before {
		f.before[h] /= total
	}
	return f
}

// newReplica returns a VM whose first sync starts at first. In sync, it is in the steady state of a VM alone on the
// link: with c = change rate / link rate, syncs are RPO / (1 + 1.2 c) apart and take c of that.
func newReplica(f *flow, first, rate float64, inSync bool) replica {
	r := replica{flow: f, point: math.Inf(-1)}
	if !inSync {
		return r
	}
	c := f.dailyBits / secondsPerDay / rate
	interval := f.rpo / (1 + predictionFactor*c)
	r.point = first - interval
	r.remember(c * interval)
	return r
}

// run simulates until the end and reports whether the share of machine-time in violation is at most allowed. It stops
// as soon as it is more.
func (s *simulation) run(allowed float64) bool {
	budget := allowed * s.machine
	for s.step() {
		if s.late > budget {
			return false
		}
	}
	for i := range s.replicas {
		s.settle(&s.replicas[i], s.end)
	}
	return s.late <= budget
}

// step goes on to the next event: a sync that ends, one that is due, or a change of the hour.
func (s *simulation) step() bool {
	hour := int(s.now / secondsPerHour)
	at := min(float64(hour+1)*secondsPerHour, s.end)
	var what *queue
	rate := s.rates[hour%hoursPerDay]
	if s.running.len() > 0 && rate > 0 {
		done := s.now + max(0, s.running.top().key-s.virtual)*float64(s.running.len())/rate
		if done <= at {
			at, what = done, &s.running
		}
	}
	if s.starts.len() > 0 && s.starts.top().key < at {
		at, what = max(s.now, s.starts.top().key), &s.starts
	}
	s.advance(at, hour, rate)
	switch what {
	case &s.running:
		s.complete(s.running.pop().id)
	case &s.starts:
		id := s.starts.pop().id
		s.waiting.push(entry{key: s.replicas[id].point + s.replicas[id].flow.rpo, id: id})
	}
	for s.waiting.len() > 0 && s.running.len() < s.limit {
		s.begin(s.waiting.pop().id)
	}
	return s.now < s.end
}

// advance moves the clock; what runs shares the link equally.
func (s *simulation) advance(to float64, hour int, rate float64) {
	if n := s.running.len(); n > 0 {
		sent := (to - s.now) * rate
		s.virtual += sent / float64(n)
		if hour < len(s.hourSent) {
			s.hourSent[hour] += sent
		}
	}
	s.now = to
}

// begin starts a sync with what has changed since the previous one started.
func (s *simulation) begin(id int) {
	r := &s.replicas[id]
	r.begun = s.now
	if math.IsInf(r.point, -1) {
		r.bits = r.flow.sizeBits
	} else {
		r.bits = r.flow.changed(s.now) - r.flow.changed(r.point)
	}
	s.running.push(entry{key: s.virtual + r.bits, id: id})
}

// complete makes a recovery point and plans the next sync.
func (s *simulation) complete(id int) {
	r := &s.replicas[id]
	s.settle(r, s.now)
	f := r.flow
	duration := s.now - r.begun
	f.sent += r.bits
	if s.detailed {
		f.durations = append(f.durations, duration)
	}
	if math.IsInf(r.point, -1) {
		// The initial sync says nothing of the syncs to come.
		r.remember(0)
	} else {
		r.remember(duration)
	}
	r.point, r.landed = r.begun, s.now
	s.starts.push(entry{key: max(s.now, r.point+f.rpo-r.predicted()), id: id})
}

// settle counts the violation that ends, or is cut off, at a time.
func (s *simulation) settle(r *replica, at float64) {
	f := r.flow
	age, over := at-r.point, at-r.point-f.rpo
	if math.IsInf(r.point, -1) {
		age, over = at, at // in violation since the start of the run
	}
	f.worst = max(f.worst, age)
	if over <= lateness {
		return
	}
	// What was late before the run does not count. A point that was too old when it landed goes on with the violation that
	// was counted then.
	if late := at - r.landed; over > late && r.landed > 0 {
		over = late
	} else {
		over = min(over, at)
		f.violations++
	}
	f.late += over
	s.late += over
	if s.detailed {
		s.spread(at-over, at)
	}
}

// spread adds a violation to the hours in which it lies.
func (s *simulation) spread(from, to float64) {
	for hour := int(from / secondsPerHour); hour < len(s.hourLate); hour++ {
		start := float64(hour) * secondsPerHour
		if start >= to {
			return
		}
		s.hourLate[hour] += min(to, start+secondsPerHour) - max(from, start)
	}
}
