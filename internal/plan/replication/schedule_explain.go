package replication

import (
	"context"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (in ScheduleInput) find(r *ScheduleResult, name string, t *simulation.TierResult) {
	find := func(f plan.Finding) {
		if !slices.Contains(plan.Codes(r.Findings), f.Code) {
			r.Findings = append(r.Findings, f)
		}
	}
	if slices.Contains(t.Reasons, simulation.OneRun) {
		find(reasonOneRun.Finding(plan.Count(float64(r.RunsSimulated), "run"), plan.Thousands(in.vms(), 0)))
	}
	if slices.Contains(t.Reasons, simulation.TwoStates) {
		find(reasonTwoStates.Finding(name, roundedDown(t.CompliancePercents[0]),
			roundedDown(simulation.Percentile(t.CompliancePercents, 0.5))))
	}
	if t.CurveToMinutes == 0 {
		return
	}
	curve := changerate.NewCurve(in.Groups[name].ChangeCurve, in.Groups[name].largestGiB())
	if first, last := curve.Ends(); !curve.Covers(t.CurveFromMinutes) || !curve.Covers(t.CurveToMinutes) {
		find(reasonScheduleExtrapolated.Finding(name, plan.Thousands(first, -1), plan.Thousands(last, -1),
			figures(t.CurveFromMinutes), figures(t.CurveToMinutes)))
	}
}

func (in ScheduleInput) explain(r *ScheduleResult) {
	find := func(f plan.Finding) { r.Findings = append(r.Findings, f) }
	if r.Violations > 0 {
		find(reasonViolations.Finding(times(r.Violations),
			quantity.Duration(r.ViolationMinutes*quantity.SecondsPerMinute).Ceil(),
			plan.Thousands(float64(r.Alarms), 0),
			quantity.Duration(r.WorstRecoveryPointMinutes*quantity.SecondsPerMinute).Ceil()))
	}
	if !r.Converged {
		find(reasonNotConverged.Finding(in.notConverged(r)))
	}
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		after := "more than " + plan.Count(float64(r.DaysSimulated), "day")
		if r.InSyncAfterMinutes != nil {
			after = quantity.Duration(*r.InSyncAfterMinutes * quantity.SecondsPerMinute).Ceil()
		}
		find(reasonScheduleDeadline.Finding(after, quantity.Duration(*in.DeadlineHours*quantity.SecondsPerHour)))
	}
	if r.PeakHourLinkUsePercent > 99 {
		find(reasonLinkSaturated.Finding(roundedDown(r.PeakHourLinkUsePercent)))
	}
	r.Findings = append(r.Findings, in.warnings()...)
	r.Summary = in.summarize(r)
}

func (in ScheduleInput) notConverged(r *ScheduleResult) string {
	switch {
	case slices.Contains(in.estate().Overloaded(), true):
		return "on average, more data changes than the link and the storage can transfer, so recovery points get older " +
			"and older"
	case r.DaysSimulated < simulation.MinComparedDays:
		return fmt.Sprintf("the run has %s, but the halves of a run are compared only from %d days on",
			plan.Count(float64(r.DaysSimulated), "day"), simulation.MinComparedDays)
	case !in.StartInSync && r.InSyncAfterMinutes == nil, in.OutageMinutes != nil && r.RecoveredAfterMinutes == nil:
		return "after the cold start or outage, not all VMs are within their RPO by the end of the run"
	}
	return fmt.Sprintf("the two halves of its %d days differ", r.DaysSimulated)
}

func (in ScheduleInput) warnings() []plan.Finding {
	var found []plan.Finding
	names := in.names()
	first := func(concerns func(Group) bool) (string, bool) {
		i := slices.IndexFunc(names, func(name string) bool { return concerns(in.Groups[name]) })
		if i < 0 {
			return "", false
		}
		return names[i], true
	}
	name, ok := first(func(g Group) bool { return g.SeededPercent > 0 })
	if ok && !in.StartInSync && in.ChecksumMbps == nil {
		found = append(found, reasonSeedCheckNotCounted.Finding(plan.Thousands(in.Groups[name].SeededPercent, -1)))
	}
	if name, ok := first(func(g Group) bool { return g.Mechanism == MechanismGroup }); ok {
		found = append(found, reasonScheduleScheduler.Finding(name))
	}
	if name, ok := first(func(g Group) bool {
		return g.RPOMinutes < leastPlainRPOMinutes && g.Mechanism != MechanismGroup
	}); ok {
		found = append(found, reasonLowRPO.Finding(minutesText(in.Groups[name].RPOMinutes)))
	}
	frequent := 0.0
	for _, name := range names {
		if g := in.Groups[name]; g.RPOMinutes <= leastPlainRPOMinutes && g.Mechanism != MechanismGroup {
			frequent += g.Count()
		}
	}
	if frequent > most5MinuteVMs {
		found = append(found, reasonAbove500.Finding(plan.Thousands(frequent, 0)))
	}
	if name, ok := first(in.needsWholeLink); ok && in.PerSyncMbps == nil {
		found = append(found, reasonPerSyncUnlimited.Finding(name))
	}
	return found
}

const (
	// most5MinuteVMs is the maximum supported number of VMs with an RPO of 5 minutes (vSphere Replication 9.0).
	most5MinuteVMs = 500
	// singleSyncPart is the share of the mean link rate that a sync is assumed to get when testing whether per_sync_mbps
	// is relevant. The value is this project's own assumption.
	singleSyncPart = 0.1
)

func (in ScheduleInput) needsWholeLink(g Group) bool {
	share, _ := in.alone(g)
	return (g.OverheadSeconds+g.QuiesceSeconds)/(g.RPOMinutes*quantity.SecondsPerMinute)+
		share/quantity.Percent/singleSyncPart > 0.5
}

// longestLate returns the longest time in minutes for which a VM was continuously late. A recovery point ages by one
// minute per minute, so this is its maximum age minus the RPO.
func (in ScheduleInput) longestLate(r *ScheduleResult) float64 {
	late := 0.0
	for name, g := range r.Groups {
		late = max(late, g.WorstRecoveryPointMinutes-in.Groups[name].RPOMinutes)
	}
	return late
}

func (in ScheduleInput) summarize(r *ScheduleResult) string {
	text := fmt.Sprintf("In %s of %s, every VM is within its RPO for at least %s%% of the time",
		plan.Count(float64(r.RunsSimulated), "run"), plan.Count(float64(r.DaysSimulated), "day"),
		roundedDown(r.WithinRPOPercent))
	if r.DecidedBy != "" {
		text += " (" + r.DecidedBy + ")"
	}
	text += fmt.Sprintf(". In the first run, all VMs are within their RPO simultaneously for %s%% of the time.",
		roundedDown(r.AllWithinRPOPercent))
	if r.DaysPerAlarm != nil {
		text += fmt.Sprintf(" There is about one alarm per VM every %s.",
			quantity.Duration(*r.DaysPerAlarm*quantity.SecondsPerDay))
	}
	if in.OutageMinutes != nil && r.RecoveredAfterMinutes != nil {
		text += fmt.Sprintf(" All VMs are within their RPO again %s after the outage.",
			quantity.Duration(*r.RecoveredAfterMinutes*quantity.SecondsPerMinute).Ceil())
	}
	if late := in.longestLate(r); in.OutageMinutes != nil && late > 0 {
		text += fmt.Sprintf(" With the outage, a VM is late for up to %s at a time.",
			quantity.Duration(late*quantity.SecondsPerMinute).Ceil())
	}
	if r.CompliancePercent80 != nil {
		text += fmt.Sprintf(" On 4 of 5 such links, the compliance is at least %s%%", roundedDown(*r.CompliancePercent80))
		if r.CompliancePercent90 != nil {
			text += fmt.Sprintf(", and on 9 of 10 at least %s%%", roundedDown(*r.CompliancePercent90))
		}
		text += "."
	}
	text += in.needs(r)
	if in.GrowthPercentPerYear != nil && r.Verdict != VerdictMisses {
		text += in.outlook(r)
	}
	return text
}

func (in ScheduleInput) needs(r *ScheduleResult) string {
	mbps := r.ThroughputForTargetMbps
	if mbps == nil || *mbps <= in.meanMbps() {
		return ""
	}
	text := fmt.Sprintf(" The required throughput is %s", exactly(*mbps))
	if in.TargetCompliancePercent != nil {
		text += fmt.Sprintf(" for %s%%", plan.Thousands(*in.TargetCompliancePercent, -1))
	}
	return text + "."
}

func (in ScheduleInput) outlook(r *ScheduleResult) string {
	if r.MonthsUntilMiss == nil {
		return fmt.Sprintf(" With growth of %s%% a year, the promise is not missed for %s.",
			plan.Thousands(*in.GrowthPercentPerYear, -1), plan.Count(in.HorizonMonths, "month"))
	}
	return fmt.Sprintf(" With growth of %s%% a year, the promise is missed from month %d on.",
		plan.Thousands(*in.GrowthPercentPerYear, -1), *r.MonthsUntilMiss)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return plan.Thousands(float64(n), 0) + " times"
}

// roundedDown formats a share with at most two decimal places, rounded down: 99.99985 becomes 99.99.
func roundedDown(share float64) string {
	if share == math.Trunc(share) {
		return plan.Thousands(share, 0)
	}
	return plan.Thousands(plan.Down.Round(share, 2), 2)
}

func exactly(mbps float64) string { return plan.Thousands(mbps, -1) + " Mbit/s" }

func figures(v float64) string {
	if v >= 100 {
		return plan.Thousands(v, 0)
	}
	return fmt.Sprintf("%.3g", v)
}

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

// search sets the lowest throughput at which every group meets its target. If the rate that 4 of 5 links reach is
// known, the groups must also meet their targets at that rate.
func (in ScheduleInput) search(ctx context.Context, r *ScheduleResult, holds bool) {
	mean := in.meanMbps()
	least := in.estate().MeanChange(0) / quantity.BitsPerMbit * quantity.Percent / in.EfficiencyPercent
	mbps, found, _ := simulation.Need{ // fails only if ctx is cancelled
		EstateAt: func(mbps float64) simulation.Estate {
			at := in
			if in.ThroughputMbps == nil {
				at = in.scaled(mbps / mean)
			} else {
				at.ThroughputMbps = &mbps
			}
			return at.worseEnd().estate()
		},
		MinMbps: max(least, RangeThroughputMbps.Min), GivenMbps: mean, MaxMbps: RangeThroughputMbps.Max,
		GivenSuffices: holds, SearchBelow: true,
		Options: in.options(),
	}.Search(ctx)
	if found {
		r.ThroughputForTargetMbps = &mbps
	}
}

// worseEnd returns the input with the rates that 4 of 5 links reach. It returns the input unchanged if these rates are
// unknown, for example with change curves.
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

// band sets the results for slower links, using runs of the same length. It lowers the verdict on groups that meet
// their targets only at the given rate, and reports whether all groups meet their targets at the rate that 4 of 5 links
// reach.
func (in ScheduleInput) band(ctx context.Context, r *ScheduleResult) bool {
	fourOfFive, nineOfTen := in.bands()
	o, holds := simulation.Options{Days: int(r.DaysSimulated), Runs: int(r.RunsSimulated)}, true
	if fourOfFive > 0 {
		e := in.slowed(fourOfFive).estate()
		a, _ := simulation.Run(ctx, e, o)
		r.CompliancePercent80, r.InSyncAfterMinutes80, holds = &a.CompliancePercent, a.InSyncAfterMinutes, e.MeetsPromises(&a)
		in.lower(r, &a)
	}
	if nineOfTen > 0 {
		o.Runs = 1
		a, _ := simulation.Run(ctx, in.slowed(nineOfTen).estate(), o)
		r.CompliancePercent90, r.InSyncAfterMinutes90 = &a.CompliancePercent, a.InSyncAfterMinutes
	}
	return holds
}

func (in ScheduleInput) lower(r *ScheduleResult, slower *simulation.Result) {
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
			holds, _ := simulation.VerdictAtLeast(ctx, grown, in.options(), nil, better)
			return !holds
		})
	}
	r.MonthsUntilAtRisk = becomes(VerdictAtRisk, VerdictMeets, worse)
	r.MonthsUntilMiss = becomes(VerdictMisses, VerdictAtRisk, likely)
}
