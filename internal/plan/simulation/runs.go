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

// each calls the given function concurrently for the indexes 0 to n - 1, starting the calls in this order, and waits
// until all of them have returned.
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

// requiredShares contains, for each tier, the percentage of time that each of its VMs must be within the RPO. A run
// stops as soon as a VM can no longer reach that percentage. If requiredShares is nil, no run stops early.
type requiredShares []float64

func (e Estate) simulate(
	ctx context.Context, lengths []int, run int, detailed bool, required requiredShares,
) *simulation {
	last := lengths[len(lengths)-1]
	s := newSimulation(e, last, run, detailed)
	if e.ColdStart {
		s.countFrom = e.inSyncTime(ctx, last, run)
	}
	s.setTolerance(required, len(lengths) == 1)
	for i, days := range lengths {
		if i > 0 { // each length is about twice the previous one, so the second half starts here
			for v := range s.lateness {
				s.lateness[v].secondHalf = 0
			}
		}
		s.secondHalfStart = max(s.countFrom, float64(secondHalfDay(days))*quantity.SecondsPerDay)
		if s.run(ctx, days); s.aborted {
			break
		}
		if s.converged = s.agree(); !slices.Contains(s.converged, false) {
			break
		}
	}
	return s
}

// setTolerance sets the permitted lateness of each VM. If there are several lengths, it sets no limit for the second
// half, whose start is not known in advance.
func (s *simulation) setTolerance(required requiredShares, one bool) {
	const rounding = 1e-6 // in seconds
	for i, percent := range required {
		part := 1 - percent/quantity.Percent
		s.tiers[i].tolerated = part*(s.end-s.countFrom) + rounding
		if half := max(s.countFrom, s.secondHalfStart); one && half < s.end {
			s.tiers[i].toleratedHalf = part*(s.end-half) + rounding
		}
	}
}

// inSyncTime returns the time in seconds after a cold start at which all VMs are within their RPO, or 0 if the run ends
// earlier.
func (e Estate) inSyncTime(ctx context.Context, days, run int) float64 {
	s := newSimulation(e, days, run, false)
	for day := 1; day <= days && !s.aborted; day++ {
		s.run(ctx, day)
		// Violations that began in the last second might still be counted later.
		if t, in := s.inSyncAt(s.tiers...); in && t < s.now-toleratedSeconds {
			return t
		}
	}
	return 0
}

type record struct {
	days          int
	converged     []bool
	inSyncMinutes *float64 // for all VMs
	compliance    float64  // in percent, over all tiers
	tiers         []tierRecord
	aborted       bool
}

type tierRecord struct {
	compliance       float64 // in percent
	alarms           int64
	vms              []LateVM
	decidedBy        Decider
	withinRPOPercent float64 // of the worst VM
}

func (s *simulation) record(run int) record {
	r := record{days: s.day, converged: s.converged, inSyncMinutes: s.inSyncMinutes(s.tiers...), aborted: s.aborted}
	all := s.total()
	r.compliance = all.compliance(all.days)
	if r.converged == nil {
		r.converged = make([]bool, len(s.tiers))
	}
	for _, ts := range s.tiers {
		t := tierRecord{
			compliance: ts.compliance(ts.days[:s.day]), alarms: ts.alarms, withinRPOPercent: quantity.Percent,
			decidedBy: Decider{Run: run},
		}
		for i := range ts.vmCount {
			v := s.lateness[ts.firstID+i]
			if v.run == 0 {
				continue
			}
			whole, half := compliance(v.run, s.now-s.countFrom), compliance(v.secondHalf, s.now-s.secondHalfStart)
			if s.day == 1 { // a run of one day has no second half
				half = quantity.Percent
			}
			share := min(whole, half)
			t.vms = append(t.vms, LateVM{
				VM: i, WithinRPOPercent: share, OldestRecoveryPointMinutes: v.oldest / quantity.SecondsPerMinute,
			})
			if share < t.withinRPOPercent {
				t.withinRPOPercent, t.decidedBy = share, Decider{Run: run, VM: i, SecondHalf: half < whole}
			}
		}
		r.tiers = append(r.tiers, t)
	}
	return r
}

// runAll performs the runs and returns their results and the first simulation. detailed applies to the first simulation
// only. The remaining runs are cancelled as soon as a run misses the required shares.
func (e Estate) runAll(ctx context.Context, o Options, detailed bool, required requiredShares) (*simulation, []record) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lengths := e.Lengths(o)
	var first *simulation
	var records []record
	var progress sync.Mutex
	done := 0
	run := func(i int, lengths []int) {
		if records[i].aborted = ctx.Err() != nil; records[i].aborted {
			return
		}
		s := e.simulate(ctx, lengths, i+1, detailed && i == 0, required)
		if s.aborted {
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
	if run(0, lengths); records[0].aborted {
		return first, records
	}
	one := records[0]
	records = make([]record, e.runs(o, first.day))
	records[0] = one
	w.each(len(records)-1, func(i int) { run(i+1, []int{first.day}) })
	return first, records
}

// newSimulation prepares a run of at most the given number of days. run is the number of the run, counted from 1. Only
// detailed runs record sync durations, transferred data and hourly results.
func newSimulation(e Estate, days, run int, detailed bool) *simulation {
	s := &simulation{
		estate: e, end: float64(days) * quantity.SecondsPerDay, detailed: detailed, checksumRate: e.ChecksumRate,
		recordsSpans: detailed || e.hasDisruption(), secondHalfStart: float64(secondHalfDay(days)) * quantity.SecondsPerDay,
	}
	s.addSegments(days)
	for _, l := range e.Links {
		at := linkState{limit: l.MaxSyncs}
		if at.limit == 0 {
			at.limit = math.MaxInt
		}
		if detailed {
			at.late = make([]float64, days*HoursPerDay)
		}
		s.links = append(s.links, at)
	}
	for _, t := range e.Tiers {
		ts := newTierState(t, e)
		ts.days = make([]day, days)
		if detailed { // most syncs are slightly less than one RPO apart
			ts.durations = make([]float64, 0, int(1.1*quantity.SecondsPerDay/ts.rpo)*ts.vmCount*min(days, MinComparedDays))
		}
		ts.linkState = &s.links[t.Link]
		s.tiers = append(s.tiers, ts)
	}
	s.classify()
	if detailed {
		for i := range s.capacities {
			s.capacities[i].sent = make([]float64, days*HoursPerDay)
		}
	}
	s.addReplicas(run)
	return s
}

func (s *simulation) addReplicas(run int) {
	vms, perSecond, seedBits, longest := 0, 0.0, 0.0, 0.0
	for _, ts := range s.tiers {
		vms += ts.vmCount
		perSecond += float64(ts.vmCount) / ts.rpo
		seedBits += ts.sumVMs(func(g *vmGroup) float64 { return g.seedBits })
		longest = max(longest, ts.rpo)
		of := ts.class
		of.syncsPerSecond += float64(ts.vmCount) / ts.rpo
		minutes := ts.rpo / quantity.SecondsPerMinute
		of.bitsPerSecond += ts.sumVMs(func(g *vmGroup) float64 { return g.changedBits(minutes) }) / ts.rpo
	}
	s.replicas, s.lateness = make([]replica, 0, vms), make([]lateness, vms)
	// If a list is a quarter of the mean interval wide, most lists contain at most one start.
	s.due = newTimetable(make([]event, vms), 0.25/perSecond, longest, s.end)
	events := make([]event, vms) // shared by all classes, because each VM belongs to only one of them
	for i := range s.classes {
		c := &s.classes[i]
		best := s.estate.Links[c.link].maxRate()
		c.resource = newResource(events, c.bitsPerSecond/c.syncsPerSecond, c.userLimit, best*s.end)
	}
	s.seeds = newResource(make([]event, vms), seedBits/float64(vms), math.Inf(1), s.checksumRate*s.end)
	for _, ts := range slices.SortedStableFunc(slices.Values(s.tiers), func(a, b *tierState) int {
		return cmp.Compare(a.rpo, b.rpo)
	}) {
		s.newReplicas(ts, s.soloRate(ts.class), run)
	}
}

func (s *simulation) addSegments(days int) {
	var ends []float64
	for hour := range days * HoursPerDay {
		ends = append(ends, float64(hour+1)*quantity.SecondsPerHour)
	}
	for _, l := range s.estate.Links {
		for _, t := range []float64{l.OutageFrom, l.OutageTo} {
			if l.hasOutage() && t > 0 && t < s.end {
				ends = append(ends, t)
			}
		}
	}
	slices.Sort(ends)
	start := 0.0
	for _, end := range slices.Compact(ends) {
		part := segment{end: end, hour: int(start / quantity.SecondsPerHour), rates: make([]float64, len(s.estate.Links))}
		for i, l := range s.estate.Links {
			if !(l.OutageFrom <= start && start < l.OutageTo) {
				part.rates[i] = l.HourlyRates[part.hour%HoursPerDay]
			}
		}
		s.segments = append(s.segments, part)
		start = end
	}
}
