package simulation

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Length of a run. Ages are counted in the MeasuredDays after the warm-up, or in the first quickDays of them if a run
// has only to exclude settings.
const (
	warmUpDays   = 2
	MeasuredDays = 7
	quickDays    = 2
)

// Runs returns the number of runs, which depends only on the number of VMs. The numbers are this project's own
// assumptions.
func (e Estate) Runs() int {
	switch n := e.vms(); {
	case n <= 50:
		return 20
	case n <= 500:
		return 8
	case n <= 4000:
		return 4
	}
	return 2
}

type progressKey struct{}

// WithProgress returns a context with a callback that Run calls after each run with the number of completed runs and
// the total number of runs. Calls are never concurrent.
func WithProgress(ctx context.Context, progress func(done, all int)) context.Context {
	if progress == nil {
		return context.WithValue(ctx, progressKey{}, progress)
	}
	var reporting sync.Mutex
	return context.WithValue(ctx, progressKey{}, func(done, all int) {
		reporting.Lock()
		defer reporting.Unlock()
		progress(done, all)
	})
}

// Progress reports progress to the callback of a context, if there is one.
func Progress(ctx context.Context, done, all int) {
	if progress, _ := ctx.Value(progressKey{}).(func(done, all int)); progress != nil && ctx.Err() == nil {
		progress(done, all)
	}
}

// slots limits the number of runs at a time, because more of them would compete for the caches of the processors.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// each calls the given function concurrently for the indexes from first to n - 1, starting the calls in this order, and
// waits until all of them have returned.
func each(first, n int, do func(i int)) {
	var all sync.WaitGroup
	for i := first; i < n; i++ {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	all.Wait()
}

// Run simulates all runs. If ctx is done, it returns ctx.Err() within one hour of simulated time.
func Run(ctx context.Context, e Estate) (Result, error) {
	e = e.withoutOutages()
	parts, whole := e.parts(), part{Estate: e}
	for i := range e.Tiers {
		whole.tiers = append(whole.tiers, i)
	}
	outcomes := make([][]outcome, e.Runs()) // by run and tier
	var detailed *simulation
	var reporting sync.Mutex
	done := 0
	each(0, len(outcomes), func(i int) {
		outcomes[i] = make([]outcome, len(e.Tiers))
		if i == 0 {
			detailed = newSimulation(e, 1, spread, warmUpDays+MeasuredDays)
			detailed.addDetails()
			detailed.runAll(ctx, outcomes[0], whole)
		} else {
			for _, p := range parts {
				newSimulation(p.Estate, i+1, spread, warmUpDays+MeasuredDays).runAll(ctx, outcomes[i], p)
			}
		}
		reporting.Lock()
		defer reporting.Unlock()
		done++
		Progress(ctx, done, len(outcomes))
	})
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return e.result(detailed, outcomes), nil
}

// runAll simulates a run of a part and stores the outcome of each tier.
func (s *simulation) runAll(ctx context.Context, outcomes []outcome, p part) {
	s.ages = make([]ages, len(s.replicas))
	s.run(ctx, warmUpDays+MeasuredDays)
	s.countUnfinished()
	for id := range s.ages {
		s.ages[id].total = s.replicas[id].total
	}
	for i, tier := range p.tiers {
		ts := s.tiers[i]
		outcomes[tier] = outcome{ts, s.ages[ts.firstID : ts.firstID+ts.vmCount]}
	}
}

func newSimulation(e Estate, number int, begin beginning, days int) *simulation {
	s := &simulation{
		estate:       e,
		number:       number,
		begin:        begin,
		end:          float64(days) * quantity.SecondsPerDay,
		checksumRate: e.ChecksumRate,
		countFrom:    warmUpDays * quantity.SecondsPerDay,
	}
	if begin == together {
		s.countFrom = e.busiestHour() * quantity.SecondsPerHour
	}
	for _, l := range e.Links {
		at := linkState{limit: l.MaxSyncs}
		if at.limit == 0 {
			at.limit = math.MaxInt
		}
		s.links = append(s.links, at)
	}
	for _, t := range e.Tiers {
		ts := newTierState(t, e)
		ts.linkState = &s.links[t.Link]
		s.tiers = append(s.tiers, ts)
	}
	s.addSegments(days)
	s.classify()
	s.addReplicas()
	return s
}

// addDetails prepares a run that records the use of links and targets.
func (s *simulation) addDetails() {
	s.detailed = true
	for i := range s.capacities {
		s.capacities[i].sent = make([]float64, (warmUpDays+MeasuredDays)*HoursPerDay)
	}
}

func (s *simulation) addReplicas() {
	vms := 0
	perSecond := 0.0
	seedBits := 0.0
	longest := 0.0
	for _, ts := range s.tiers {
		vms += ts.vmCount
		seedBits += ts.sumVMs(func(g *vmGroup) float64 { return g.seedBits })
		longest = max(longest, ts.configured)
		rate := float64(ts.vmCount) / ts.configured
		perSecond += rate
		of := ts.class
		of.syncsPerSecond += rate
		minutes := ts.configured / quantity.SecondsPerMinute
		of.bitsPerSecond += ts.sumVMs(func(g *vmGroup) float64 { return g.changedBits(minutes) }) / ts.configured
	}
	if s.replicas = make([]replica, 0, vms); s.begin == coldStart {
		s.recoveryPoints = make([]float64, vms)
	}
	// If a list is a quarter of the mean interval wide, most lists contain at most one start.
	s.due = newTimetable(make([]event, vms), 0.25/perSecond, longest, s.end)
	events := make([]event, vms) // shared by all classes, because each VM belongs to only one of them
	for i := range s.classes {
		c := &s.classes[i]
		best := s.estate.Links[c.link].maxRate()
		c.resource = newResource(events, c.bitsPerSecond/c.syncsPerSecond, c.userLimit, best*s.end)
	}
	s.seeds = newResource(make([]event, vms), seedBits/float64(vms), math.Inf(1), s.checksumRate*s.end)
	for tier := range s.tiers {
		s.newReplicas(tier)
	}
}

func (s *simulation) addSegments(days int) {
	var ends []float64
	for hour := range days * HoursPerDay {
		ends = append(ends, float64(hour+1)*quantity.SecondsPerHour)
	}
	for _, l := range s.estate.Links {
		for _, t := range []float64{l.OutageFrom, l.OutageTo} {
			if t > 0 && t < s.end {
				ends = append(ends, t)
			}
		}
	}
	slices.Sort(ends)
	start := 0.0
	for _, end := range slices.Compact(ends) {
		part := segment{
			end:   end,
			hour:  int(start / quantity.SecondsPerHour),
			rates: make([]float64, len(s.estate.Links)),
		}
		for i, l := range s.estate.Links {
			if !(l.OutageFrom <= start && start < l.OutageTo) {
				part.rates[i] = l.HourlyRates[part.hour%HoursPerDay]
			}
		}
		s.segments = append(s.segments, part)
		start = end
	}
}

// busiestHour returns the hour of the day in which the most data changes, from 0 to 23.
func (e Estate) busiestHour() float64 {
	busiest, most := 0, 0.0
	for hour := range HoursPerDay {
		sum := 0.0
		for _, t := range e.Tiers {
			ts := newTierState(t, Estate{})
			from := float64(hour) * quantity.SecondsPerHour
			sum += t.MeanBits() * (ts.changeMinutes(from+quantity.SecondsPerHour) - ts.changeMinutes(from))
		}
		if sum > most*(1+Rounding) {
			busiest, most = hour, sum
		}
	}
	return float64(busiest)
}
