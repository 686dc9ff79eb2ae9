// Summing up a run.

package replication

import (
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

func sortedNames(groups map[string]Group) []string { return slices.Sorted(maps.Keys(groups)) }

// result sums a finished, detailed run up.
func (s *simulation) result() ScheduleResult {
	r := ScheduleResult{Groups: make(map[string]Totals, len(s.flows)), DaysSimulated: int64(s.day)}
	s.sendRest()
	s.closeStretches()
	all := s.together()
	var durations [][]float64
	for _, f := range s.flows {
		r.Groups[f.name] = f.totals(f.days[:s.day], f.durations)
		all.sent += f.sent
		durations = append(durations, f.durations)
		f.curveUse(&r)
	}
	// The figures of a single group are those of all VMs.
	if r.Totals = r.Groups[s.flows[0].name]; len(s.flows) > 1 {
		r.Totals = all.totals(all.days, durations...)
	}
	s.hours(&r)
	s.moments(&r)
	return r
}

// together returns what all VMs come to, as if they were one group.
func (s *simulation) together() *flow {
	all := &flow{spans: s.spans, days: make([]day, s.day)}
	for _, f := range s.flows {
		all.vms += f.vms
		all.violations += f.violations
		all.alarms += f.alarms
		for i, d := range f.days[:s.day] {
			all.days[i].late += d.late
			all.days[i].oldest = max(all.days[i].oldest, d.oldest)
		}
	}
	return all
}

// sendRest adds the data in flight at the end to the data sent.
func (s *simulation) sendRest() {
	for s.link.users.n > 0 {
		e := s.link.users.first
		s.link.users.drop()
		r := &s.replicas[e.id]
		r.flow.sent += r.bits - max(0, e.key-s.link.virtual)
	}
}

// closeStretches keeps the stretches that are open at the end.
func (s *simulation) closeStretches() {
	for i := range s.replicas {
		if r := &s.replicas[i]; r.since != onTime && r.counted > 0 {
			s.keep(r)
		}
	}
}

// hours fills what the link carries in each hour.
func (s *simulation) hours(r *ScheduleResult) {
	possible := make([]float64, len(s.hourSent))
	from, capacity, sent := 0.0, 0.0, 0.0
	for _, part := range s.segments[:s.at] {
		possible[part.hour] += part.rate * (part.end - from)
		from = part.end
	}
	for h, bits := range s.hourSent[:s.day*hoursPerDay] {
		capacity += possible[h]
		sent += bits
		hour := Hour{TransferredGiB: bits / quantity.BitsPerGiB, ViolationMinutes: s.hourLate[h] / quantity.SecondsPerMinute}
		if possible[h] > 0 {
			hour.LinkUsePercent = min(quantity.Percent, bits/possible[h]*quantity.Percent)
			r.PeakHourLinkUsePercent = max(r.PeakHourLinkUsePercent, hour.LinkUsePercent)
		}
		r.Hours = append(r.Hours, hour)
	}
	if capacity > 0 {
		r.LinkUsePercent = min(quantity.Percent, sent/capacity*quantity.Percent)
	}
}

func (f *flow) totals(days []day, durations ...[]float64) Totals {
	return Totals{
		CompliancePercent:         f.compliance(days),
		AllWithinRPOPercent:       compliance(f.spans.seconds(), float64(len(days))*quantity.SecondsPerDay),
		Violations:                f.violations,
		Alarms:                    f.alarms,
		ViolationMinutes:          late(days) / quantity.SecondsPerMinute,
		WorstRecoveryPointMinutes: oldest(days) / quantity.SecondsPerMinute,
		P95SyncSeconds:            p95(durations...),
		TransferredGiB:            f.sent / quantity.BitsPerGiB,
	}
}

// moments fills when all VMs are within their RPO after an outage, and from a cold start, as far as the run has come.
func (s *simulation) moments(r *ScheduleResult) {
	if !s.in.hasEvent() {
		return
	}
	late := slices.Clone(s.spans)
	for i := range s.replicas {
		if r := &s.replicas[i]; r.since != onTime && r.counted > 0 {
			late = late.with(span{r.since, s.now})
		}
	}
	if out, ok := s.in.outage(); ok && out.to < s.now {
		if t := late.firstOutside(out.to); t < s.now {
			minutes := (t - out.to) / quantity.SecondsPerMinute
			r.RecoveredAfterMinutes = &minutes
		}
	}
	if s.in.StartInSync || s.unsynced > 0 {
		return
	}
	if t := late.firstOutside(s.lastInitial); t < s.now {
		minutes := t / quantity.SecondsPerMinute
		r.InSyncAfterMinutes = &minutes
	}
}

// p95 returns the nearest-rank 95th percentile of values that are not negative, nil of nothing. It selects by the bits
// of the values, 16 at a time from the highest: their order is that of the numbers.
func p95(lists ...[]float64) *float64 {
	const digit = 16
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	rank := int(math.Ceil(0.95 * float64(n)))
	counts := make([]int, 1<<digit)
	prefix, known := uint64(0), uint64(0)
	for shift := 64 - digit; shift >= 0; shift -= digit {
		clear(counts)
		for _, list := range lists {
			for _, v := range list {
				if b := math.Float64bits(v); b&known == prefix {
					counts[b>>shift&(1<<digit-1)]++
				}
			}
		}
		var d uint64
		for ; rank > counts[d]; d++ {
			rank -= counts[d]
		}
		prefix |= d << shift
		known |= (1<<digit - 1) << shift
	}
	v := math.Float64frombits(prefix)
	return &v
}
