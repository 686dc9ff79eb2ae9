// Summing up a run.

package replication

import (
	"math"
	"slices"
)

// result sums a finished run up.
func (s *simulation) result() ScheduleResult {
	r := ScheduleResult{Groups: make(map[string]Totals, len(s.flows))}
	var all flow
	for i, f := range s.flows {
		r.Groups[s.names[i]] = f.totals(s.end)
		all.machines += f.machines
		all.violations += f.violations
		all.late += f.late
		all.worst = max(all.worst, f.worst)
		all.sent += f.sent
		all.durations = append(all.durations, f.durations...)
	}
	r.Totals = all.totals(s.end)
	capacity, sent := 0.0, 0.0
	for h, bits := range s.hourSent {
		possible := s.rates[h%hoursPerDay] * secondsPerHour
		capacity += possible
		sent += bits
		hour := Hour{TransferredGiB: bits / bitsPerGiB, ViolationMinutes: s.hourLate[h] / secondsPerMin}
		if possible > 0 {
			hour.LinkUsePercent = bits / possible * percent
			r.PeakHourLinkUsePercent = max(r.PeakHourLinkUsePercent, hour.LinkUsePercent)
		}
		r.Hours = append(r.Hours, hour)
	}
	r.LinkUsePercent = sent / capacity * percent
	return r
}

func (f *flow) totals(seconds float64) Totals {
	return Totals{
		CompliancePercent:         max(0, percent*(1-f.late/(seconds*float64(f.machines)))),
		Violations:                f.violations,
		ViolationMinutes:          f.late / secondsPerMin,
		WorstRecoveryPointMinutes: f.worst / secondsPerMin,
		P95SyncSeconds:            p95(f.durations),
		TransferredGiB:            f.sent / bitsPerGiB,
	}
}

// p95 returns the nearest-rank 95th percentile, 0 of nothing. It sorts its argument.
func p95(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(math.Ceil(0.95*float64(len(values))))-1]
}
