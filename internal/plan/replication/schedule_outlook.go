package replication

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (in ScheduleInput) scaled(factor float64) ScheduleInput {
	if in.ThroughputMbps != nil {
		in.ThroughputMbps = new(*in.ThroughputMbps * factor)
	}
	hours := make([]float64, len(in.HourlyThroughputMbps))
	for h, mbps := range in.HourlyThroughputMbps {
		hours[h] = mbps * factor
	}
	in.HourlyThroughputMbps = hours
	return in
}

func (in ScheduleInput) meanMbps() float64 {
	if in.ThroughputMbps != nil {
		return *in.ThroughputMbps
	}
	return simulation.Mean(in.HourlyThroughputMbps)
}

// search sets the smallest throughput for which every group meets, on the slower link if there is one.
func (in ScheduleInput) search(ctx context.Context, r *ScheduleResult, holds bool) {
	mean := in.meanMbps()
	least := in.estate().MeanChange(0) / quantity.BitsPerMbit * quantity.Percent / in.EfficiencyPercent
	mbps, found, _ := simulation.Need{ // only the context could fail
		At: func(mbps float64) simulation.Estate {
			at := in
			if in.ThroughputMbps == nil {
				at = in.scaled(mbps / mean)
			} else {
				at.ThroughputMbps = &mbps
			}
			return at.worseEnd().estate()
		},
		Least: max(least, RangeThroughputMbps.Min), Given: mean, Most: RangeThroughputMbps.Max, Holds: holds, Below: true,
		Options: in.options(),
	}.Search(ctx)
	if found {
		r.ThroughputForTargetMbps = &mbps
	}
}

// worseEnd returns the input with the rates that 4 of 5 links reach; unchanged if these are unknown, such as for
// change curves.
func (in ScheduleInput) worseEnd() ScheduleInput {
	by, _ := in.bands()
	if by == 0 {
		return in
	}
	return in.slowed(by)
}

func (in ScheduleInput) bands() (fourOfFive, nineOfTen float64) {
	for _, g := range in.Groups {
		if g.ChangeCurve != nil {
			return 0, 0
		}
	}
	return plan.BandFactors(in.ThroughputBasis)
}

func (in ScheduleInput) slowed(by float64) ScheduleInput {
	if in.ThroughputBasis == plan.BasisNominal {
		in.EfficiencyPercent = min(in.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	in = in.scaled(1 / by)
	for _, rate := range []**float64{&in.PerSyncMbps, &in.ChecksumMbps} {
		if *rate != nil {
			*rate = new(**rate / by)
		}
	}
	return in
}

// band sets the results on slower links, in runs of the same length, and lowers the verdict of groups that meet only
// at the given rate. It reports whether the groups meet on the slower link.
func (in ScheduleInput) band(ctx context.Context, r *ScheduleResult) bool {
	fourOfFive, nineOfTen := in.bands()
	o, holds := simulation.Options{Days: int(r.DaysSimulated), Runs: int(r.RunsSimulated)}, true
	if fourOfFive > 0 {
		e := in.slowed(fourOfFive).estate()
		a, _ := simulation.Play(ctx, e, o)
		r.CompliancePercent80, r.InSyncAfterMinutes80, holds = &a.CompliancePercent, a.InSyncAfterMinutes, e.Enough(&a)
		in.lower(r, &a)
	}
	if nineOfTen > 0 {
		o.Runs = 1
		a, _ := simulation.Play(ctx, in.slowed(nineOfTen).estate(), o)
		r.CompliancePercent90, r.InSyncAfterMinutes90 = &a.CompliancePercent, a.InSyncAfterMinutes
	}
	return holds
}

// lower sets the verdict of groups that do not meet on a slower link to at risk.
func (in ScheduleInput) lower(r *ScheduleResult, slower *simulation.Answer) {
	for i, name := range in.names() {
		g := r.Groups[name]
		if t := &slower.Tiers[i]; g.Verdict == VerdictMeets && t.Verdict != simulation.Meets {
			g.Verdict = VerdictAtRisk
			r.Groups[name], r.Verdict = g, simulation.Worse(r.Verdict, VerdictAtRisk)
			r.Findings = append(r.Findings, reasonBandMisses.Finding(name, roundedDown(t.WithinRPOPercent)))
		}
	}
}

func (in ScheduleInput) grow(ctx context.Context, r *ScheduleResult) {
	if in.GrowthPercentPerYear == nil {
		return
	}
	likely, worse := in.estate(), in.worseEnd().estate()
	becomes := func(verdict, better string, e simulation.Estate) *int64 {
		return simulation.FirstMonth(int64(in.HorizonMonths), func(month int64) bool {
			if month == 0 {
				return simulation.Worse(r.Verdict, verdict) == r.Verdict
			}
			grown := e.Grown(*in.GrowthPercentPerYear, month)
			holds, _ := simulation.Holds(ctx, grown, in.options(), nil, better)
			return !holds
		})
	}
	r.MonthsUntilAtRisk = becomes(VerdictAtRisk, VerdictMeets, worse)
	r.MonthsUntilMiss = becomes(VerdictMisses, VerdictAtRisk, likely)
}
