// What a schedule comes to when the link is slower than it should be, and when data grows.

package replication

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// band fills what a slower link comes to, in runs as long as the first one. Nothing is known about change curves.
func (in ScheduleInput) band(r *ScheduleResult, w workers) {
	if in.ThroughputBasis == plan.BasisNominal {
		in.EfficiencyPercent = min(in.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	for _, g := range in.Groups {
		if g.ChangeCurve != nil {
			return
		}
	}
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	w.each(2, func(i int) {
		if i == 0 {
			r.CompliancePercent80, r.InSyncAfterMinutes80 = in.slowed(fourOfFive, r.DaysSimulated)
		} else {
			r.CompliancePercent90, r.InSyncAfterMinutes90 = in.slowed(nineOfTen, r.DaysSimulated)
		}
	})
}

// slowed returns compliance and the minutes until all VMs are in sync with every rate divided; nil for a divisor of 0.
func (in ScheduleInput) slowed(by float64, days int64) (compliance, inSync *float64) {
	if by == 0 {
		return nil, nil
	}
	in = in.scaled(1 / by)
	for _, rate := range []**float64{&in.PerSyncMbps, &in.ChecksumMbps} {
		if *rate != nil {
			*rate = new(**rate / by)
		}
	}
	var r ScheduleResult
	s := newSimulation(in, int(days), 1, false)
	s.run(int(days))
	s.moments(&r)
	all := s.together()
	return new(all.compliance(all.days)), r.InSyncAfterMinutes
}

// grow fills the first months in which growth makes the verdict worse.
func (in ScheduleInput) grow(r *ScheduleResult, w workers) {
	if in.GrowthPercentPerYear == nil {
		return
	}
	verdicts := map[int64]string{0: r.Verdict}
	becomes := func(verdict string) *int64 {
		return firstMonth(int64(in.HorizonMonths), func(month int64) bool {
			if _, known := verdicts[month]; !known {
				p := in.grown(month).play(w, false)
				verdicts[month] = p.verdict()
			}
			return worse(verdicts[month], verdict) == verdicts[month]
		})
	}
	r.MonthsUntilAtRisk, r.MonthsUntilMiss = becomes(VerdictAtRisk), becomes(VerdictMisses)
}

// firstMonth returns the first month that fails; nil if the horizon does not. Verdicts do not always get worse from one
// month to the next: it bisects, and then tests the three months before.
func firstMonth(horizon int64, fails func(month int64) bool) *int64 {
	const before = 3
	holding, failing := int64(0), horizon
	switch {
	case fails(0):
		return new(int64)
	case !fails(horizon):
		return nil
	}
	for failing-holding > 1 {
		if middle := (holding + failing) / 2; fails(middle) {
			failing = middle
		} else {
			holding = middle
		}
	}
	first := failing
	for month := failing - 1; month >= max(1, failing-before); month-- {
		if fails(month) {
			first = month
		}
	}
	return &first
}

// grown returns the input after so many months: data, and with it its change, times (1 + growth)^(months / 12).
func (in ScheduleInput) grown(months int64) ScheduleInput {
	factor := plan.Pow(1+*in.GrowthPercentPerYear/quantity.Percent, float64(months)/quantity.MonthsPerYear)
	groups := make(map[string]Group, len(in.Groups))
	for name, g := range in.Groups {
		g.VMSizeGiB *= factor
		if g.ChangeCurve != nil {
			curve := make(map[float64]float64, len(g.ChangeCurve))
			for minutes, gib := range g.ChangeCurve {
				curve[minutes] = gib * factor
			}
			g.ChangeCurve = curve
		}
		groups[name] = g
	}
	in.Groups = groups
	return in
}
