// Summing up a run.

package replication

import (
	"maps"
	"math"
	"slices"
)

func sortedNames(groups map[string]Group) []string { return slices.Sorted(maps.Keys(groups)) }

// result sums a finished run up.
func (s *simulation) result(in ScheduleInput) ScheduleResult {
	r := ScheduleResult{Groups: make(map[string]Totals, len(s.flows)), Days: s.end / secondsPerDay}
	all := flow{counted: s.counted}
	var durations [][]float64
	for _, f := range s.flows {
		r.Groups[f.name] = f.totals(s.end, f.durations)
		all.vms += f.vms
		all.violations += f.violations
		all.oldest = max(all.oldest, f.oldest)
		all.sent += f.sent
		durations = append(durations, f.durations)
		f.curveUse(&r)
	}
	all.late = s.late
	r.Totals = all.totals(s.end, durations...)
	r.UnroundedCompliancePercent = compliance(s.unrounded, s.total*(1-s.settled/s.end))
	s.hours(&r)
	s.moments(in, &r)
	return r
}

// hours fills what the link carries in each hour.
func (s *simulation) hours(r *ScheduleResult) {
	possible := make([]float64, len(s.hourSent))
	from, capacity, sent := 0.0, 0.0, 0.0
	for _, part := range s.segments {
		possible[part.hour] += part.rate * (part.end - from)
		from = part.end
	}
	for h, bits := range s.hourSent {
		capacity += possible[h]
		sent += bits
		hour := Hour{TransferredGiB: bits / bitsPerGiB, ViolationMinutes: s.hourLate[h] / secondsPerMin}
		if possible[h] > 0 {
			hour.LinkUsePercent = min(percent, bits/possible[h]*percent)
			r.PeakHourLinkUsePercent = max(r.PeakHourLinkUsePercent, hour.LinkUsePercent)
		}
		r.Hours = append(r.Hours, hour)
	}
	if capacity > 0 {
		r.LinkUsePercent = min(percent, sent/capacity*percent)
	}
}

func (f *flow) compliance(seconds float64) float64 { return compliance(f.late, seconds*float64(f.vms)) }

func (f *flow) totals(seconds float64, durations ...[]float64) Totals {
	return Totals{
		CompliancePercent:         f.compliance(seconds),
		AllWithinRPOPercent:       max(0, percent*(1-f.counted.seconds()/seconds)),
		Violations:                f.violations,
		ViolationMinutes:          f.late / secondsPerMin,
		WorstRecoveryPointMinutes: f.oldest / secondsPerMin,
		P95SyncSeconds:            p95(durations...),
		TransferredGiB:            f.sent / bitsPerGiB,
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
