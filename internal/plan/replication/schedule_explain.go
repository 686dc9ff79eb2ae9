// The schedule in words.

package replication

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// curveUse reports a curve that was read beyond its points.
func (f *flow) curveUse(r *ScheduleResult) {
	if f.curve == nil || math.IsInf(f.shortest, 1) || (f.curve.covers(f.shortest) && f.curve.covers(f.longest)) {
		return
	}
	if slices.Contains(plan.Codes(r.Findings), reasonScheduleExtrapolated.Code) {
		return
	}
	points := f.curve.minutes
	r.Findings = append(r.Findings, reasonScheduleExtrapolated.Finding(f.name,
		plan.Thousands(points[0], -1), plan.Thousands(points[len(points)-1], -1),
		figures(f.shortest), figures(f.longest)))
}

func (in ScheduleInput) explain(r *ScheduleResult) {
	find := func(f plan.Finding) { r.Findings = append(r.Findings, f) }
	if r.Violations > 0 {
		find(reasonViolations.Finding(times(r.Violations), plan.Count(r.ViolationMinutes, "minute"),
			quantity.Duration(r.WorstRecoveryPointMinutes*secondsPerMin)))
	}
	if r.PeakHourLinkUsePercent > 99 {
		find(reasonLinkSaturated.Finding(roundedDown(r.PeakHourLinkUsePercent)))
	}
	for _, name := range sortedNames(in.Groups) {
		if g := in.Groups[name]; !in.StartInSync && g.SeededPercent > 0 && in.ChecksumMbps == nil {
			find(reasonSeedCheckNotCounted.Finding(plan.Thousands(g.SeededPercent, -1)))
			break
		}
	}
	for _, name := range sortedNames(in.Groups) {
		if g := in.Groups[name]; g.RPOMinutes < leastPlainRPOMinutes {
			find(reasonLowRPO.Finding(minutesText(g.RPOMinutes)))
			break
		}
	}
	r.Summary = in.summarize(r)
}

func (in ScheduleInput) summarize(r *ScheduleResult) string {
	text := fmt.Sprintf(
		"VMs are within their RPO for %s%% of the time, added up over the VMs, and all at once for %s%% of the time.",
		roundedDown(r.CompliancePercent), roundedDown(r.AllWithinRPOPercent))
	if in.Runs > 1 {
		text += fmt.Sprintf(" Over %s runs that is %s%% on average and %s%% to %s%% in 5 to 95%% of them.",
			plan.Thousands(in.Runs, 0), roundedDown(r.MeanCompliancePercent), roundedDown(r.P5CompliancePercent),
			roundedDown(r.P95CompliancePercent))
	}
	if mbps := r.ThroughputForTargetMbps; mbps != nil {
		text += fmt.Sprintf(" %s are enough for %s%%", roundedUp(*mbps), plan.Thousands(in.TargetCompliancePercent, -1))
		if full := r.ThroughputFullComplianceMbps; full != nil && in.TargetCompliancePercent < percent {
			text += fmt.Sprintf(" and %s for all of the time", roundedUp(*full))
		}
		text += "."
	}
	return text
}

// times returns "once" or "3 times".
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return plan.Thousands(float64(n), 0) + " times"
}

// roundedDown writes a share with at most two digits, rounded towards the bad side: 99.99985 is 99.99.
func roundedDown(percent float64) string {
	if percent == math.Trunc(percent) {
		return plan.Thousands(percent, 0)
	}
	return plan.Thousands(math.Floor(percent*100)/100, 2)
}

// roundedUp writes a throughput that is enough with three digits.
func roundedUp(mbps float64) string {
	if mbps <= 0 {
		return quantity.FromMbps(mbps).String()
	}
	step := math.Pow(10, math.Floor(math.Log10(mbps))-2)
	return quantity.FromMbps(math.Ceil(mbps/step) * step).String()
}

// figures writes a number with three digits.
func figures(v float64) string {
	if v >= 100 {
		return plan.Thousands(v, 0)
	}
	return fmt.Sprintf("%.3g", v)
}
