package simulation

import (
	"cmp"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// newSimulation prepares a run of up to a number of days; run is its number, from 1. Detailed runs record durations,
// hours and amounts.
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
		if detailed { // Most syncs are a little less than an RPO apart.
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
	// Lists a quarter of the mean interval wide mostly have at most one start.
	s.due = newTimetable(make([]event, vms), 0.25/perSecond, longest, s.end)
	events := make([]event, vms) // each VM is in one class
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
