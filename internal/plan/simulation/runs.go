package simulation

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/quantity"
)

type workers chan struct{}

func newWorkers() workers { return make(workers, runtime.GOMAXPROCS(0)) }

// each calls do concurrently with 0 to n - 1, starting the calls in this order, and waits until all calls have
// returned.
func (w workers) each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		w <- struct{}{}
		all.Go(func() {
			defer func() { <-w }()
			do(i)
		})
	}
	all.Wait()
}

// goal is the share of time within the RPO that each VM must reach, by tier. A run stops as soon as a VM can no longer
// reach its goal. If goal is nil, runs are never stopped.
type goal []float64

func (e Estate) simulate(ctx context.Context, lengths []int, run int, detailed bool, g goal) *simulation {
	last := lengths[len(lengths)-1]
	s := newSimulation(e, last, run, detailed)
	if e.ColdStart {
		s.counting = e.synced(ctx, last, run)
	}
	s.aim(g, len(lengths) == 1)
	for i, days := range lengths {
		if i > 0 { // each length is about twice the previous one, so the second half starts here
			for v := range s.lates {
				s.lates[v].half = 0
			}
		}
		s.half = max(s.counting, float64(halfOf(days))*quantity.SecondsPerDay)
		if s.run(ctx, days); s.over {
			break
		}
		if s.agreed = s.agree(); !slices.Contains(s.agreed, false) {
			break
		}
	}
	return s
}

// aim sets the permitted lateness of each VM. The start of the second half is known in advance only if there is a
// single length.
func (s *simulation) aim(g goal, one bool) {
	const rounding = 1e-6 // in seconds
	for i, percent := range g {
		part := 1 - percent/quantity.Percent
		s.flows[i].tolerated = part*(s.end-s.counting) + rounding
		if half := max(s.counting, s.half); one && half < s.end {
			s.flows[i].toleratedHalf = part*(s.end-half) + rounding
		}
	}
}

// synced returns the time after a cold start when all VMs of a run are within their RPO, or 0 if the run ends earlier.
func (e Estate) synced(ctx context.Context, days, run int) float64 {
	s := newSimulation(e, days, run, false)
	for day := 1; day <= days && !s.over; day++ {
		s.run(ctx, day)
		// Violations that began in the last second might still be counted later.
		if t, in := s.inSync(s.flows...); in && t < s.now-toleratedSeconds {
			return t
		}
	}
	return 0
}

type record struct {
	days       int
	agreed     []bool
	inSync     *float64 // in minutes, for all VMs
	compliance float64  // share of VM time of all tiers
	tiers      []tierRecord
	over       bool
}

type tierRecord struct {
	compliance float64 // share of VM time of the tier
	alarms     int64
	vms        []LateVM // VMs that were late
	worst      Decider
	share      float64 // share of the worst VM
}

// record returns the result of a completed run. run is the number of the run, counted from 1.
func (s *simulation) record(run int) record {
	r := record{days: s.day, agreed: s.agreed, inSync: s.inSyncMinutes(s.flows...), over: s.over}
	all := s.together()
	r.compliance = all.compliance(all.days)
	if r.agreed == nil {
		r.agreed = make([]bool, len(s.flows))
	}
	for _, f := range s.flows {
		t := tierRecord{
			compliance: f.compliance(f.days[:s.day]), alarms: f.alarms, share: quantity.Percent, worst: Decider{Run: run},
		}
		for i := range f.vms {
			v := s.lates[f.first+i]
			if v.run == 0 {
				continue
			}
			whole, half := compliance(v.run, s.now-s.counting), compliance(v.half, s.now-s.half)
			if s.day == 1 { // a run of one day has no second half
				half = quantity.Percent
			}
			share := min(whole, half)
			t.vms = append(t.vms, LateVM{
				VM: i, WithinRPOPercent: share, OldestRecoveryPointMinutes: v.oldest / quantity.SecondsPerMinute,
			})
			if share < t.share {
				t.share, t.worst = share, Decider{Run: run, VM: i, SecondHalf: half < whole}
			}
		}
		r.tiers = append(r.tiers, t)
	}
	return r
}

// play performs the runs and returns their results and the first simulation. The first simulation ignores the goal if
// detailed is set. play stops as soon as a run misses the goal.
func (e Estate) play(ctx context.Context, o Options, detailed bool, g goal) (*simulation, []record) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lengths := e.Lengths(o)
	var first *simulation
	var records []record
	var progress sync.Mutex
	done := 0
	run := func(i int, lengths []int) {
		if records[i].over = ctx.Err() != nil; records[i].over {
			return
		}
		s := e.simulate(ctx, lengths, i+1, detailed && i == 0, g)
		if s.over {
			stop()
		}
		records[i] = s.record(i + 1)
		if i == 0 {
			first = s
		} else {
			s.replicas = nil // release most of the memory
		}
		progress.Lock()
		defer progress.Unlock()
		if done++; o.Progress != nil && ctx.Err() == nil {
			o.Progress(done, len(records))
		}
	}
	w := newWorkers()
	if len(lengths) == 1 {
		records = make([]record, e.runs(o, lengths[0]))
		w.each(len(records), func(i int) { run(i, lengths) })
		return first, records
	}
	records = make([]record, 1)
	if run(0, lengths); records[0].over {
		return first, records
	}
	one := records[0]
	records = make([]record, e.runs(o, first.day))
	records[0] = one
	w.each(len(records)-1, func(i int) { run(i+1, []int{first.day}) })
	return first, records
}

// newSimulation prepares a run of at most the given number of days. run is the number of the run, counted from 1.
// Detailed runs record durations, hours and amounts.
func newSimulation(e Estate, days, run int, detailed bool) *simulation {
	s := &simulation{
		in: e, end: float64(days) * quantity.SecondsPerDay, detailed: detailed, checking: e.Checksum,
		spanned: detailed || e.hasEvent(), half: float64(halfOf(days)) * quantity.SecondsPerDay,
	}
	s.cut(days)
	for _, l := range e.Links {
		at := line{limit: l.MaxSyncs}
		if at.limit == 0 {
			at.limit = math.MaxInt
		}
		if detailed {
			at.late = make([]float64, days*HoursPerDay)
		}
		s.lines = append(s.lines, at)
	}
	for _, t := range e.Tiers {
		f := newFlow(t, e)
		f.days = make([]day, days)
		if detailed { // most syncs are slightly less than one RPO apart
			f.durations = make([]float64, 0, int(1.1*quantity.SecondsPerDay/f.rpo)*f.vms*min(days, LeastComparedDays))
		}
		f.line = &s.lines[t.Link]
		s.flows = append(s.flows, f)
	}
	s.classify()
	if detailed {
		for i := range s.capacities {
			s.capacities[i].sent = make([]float64, days*HoursPerDay)
		}
	}
	s.fill(run)
	return s
}

func (s *simulation) fill(run int) {
	vms, perSecond, seedBits, longest := 0, 0.0, 0.0, 0.0
	for _, f := range s.flows {
		vms += f.vms
		perSecond += float64(f.vms) / f.rpo
		seedBits += f.sum(func(k *kind) float64 { return k.seedBits })
		longest = max(longest, f.rpo)
		of := f.class
		of.perSecond += float64(f.vms) / f.rpo
		of.bitsPerSecond += f.sum(func(k *kind) float64 { return k.changed(f.rpo / quantity.SecondsPerMinute) }) / f.rpo
	}
	s.replicas, s.lates = make([]replica, 0, vms), make([]lateness, vms)
	// If a list is a quarter of the mean interval wide, most lists contain at most one start.
	s.due = newTimetable(make([]event, vms), 0.25/perSecond, longest, s.end)
	events := make([]event, vms) // shared, because each VM belongs to one class
	for i := range s.classes {
		c := &s.classes[i]
		best := s.in.Links[c.link].best()
		c.resource = newResource(events, c.bitsPerSecond/c.perSecond, c.most, best*s.end)
	}
	s.seeds = newResource(make([]event, vms), seedBits/float64(vms), math.Inf(1), s.checking*s.end)
	for _, f := range slices.SortedStableFunc(slices.Values(s.flows), func(a, b *flow) int {
		return cmp.Compare(a.rpo, b.rpo)
	}) {
		s.newReplicas(f, s.alone(f.class), run)
	}
}

func (s *simulation) cut(days int) {
	var ends []float64
	for hour := range days * HoursPerDay {
		ends = append(ends, float64(hour+1)*quantity.SecondsPerHour)
	}
	for _, l := range s.in.Links {
		for _, t := range []float64{l.OutageFrom, l.OutageTo} {
			if l.fails() && t > 0 && t < s.end {
				ends = append(ends, t)
			}
		}
	}
	slices.Sort(ends)
	start := 0.0
	for _, end := range slices.Compact(ends) {
		part := segment{end: end, hour: int(start / quantity.SecondsPerHour), rates: make([]float64, len(s.in.Links))}
		for i, l := range s.in.Links {
			if !(l.OutageFrom <= start && start < l.OutageTo) {
				part.rates[i] = l.Hourly[part.hour%HoursPerDay]
			}
		}
		s.segments = append(s.segments, part)
		start = end
	}
}
