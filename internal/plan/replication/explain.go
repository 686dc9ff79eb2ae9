package replication

import (
	"fmt"
	"math"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

func explain(in Input, r *Result) {
	delta, rpo := quantity.Duration(r.OngoingSyncSeconds).Ceil(), minutesText(in.RPOMinutes)
	half := quantity.Duration(in.RPOMinutes * quantity.SecondsPerMinute / 2)
	find := func(reason calculator.Reason, args ...any) {
		r.Findings = append(r.Findings, reason.Finding(args...))
	}
	if !r.MeetsRPO {
		find(reasonCycleExceedsRPO, delta, rpo)
	}
	if !r.ViolationFree {
		find(reasonCycleExceedsHalf, delta, half, quantity.Duration(2*r.OngoingSyncSeconds).Ceil())
	}
	if r.DailyLinkUsePercent > quantity.Percent {
		find(reasonDailyChangeOverLink, plan.Thousands(plan.Up.Round(r.DailyLinkUsePercent, 1), 1))
	}
	if in.OverheadSeconds > in.RPOMinutes*quantity.SecondsPerMinute/2 {
		find(reasonOverheadExceedsHalf, quantity.Duration(in.OverheadSeconds), half)
	}
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		find(reasonDeadlineMissed, in.deadline(r)...)
	}
	if r.MinRPOMinutes == nil && in.PeakFactor != nil && in.ChangeCurve == nil {
		find(reasonRPODoesNotHelp, plan.Thousands(*in.PeakFactor, -1),
			plan.Thousands(plan.Down.Round(quantity.MinutesPerDay / *in.PeakFactor, 1), 1))
	}
	r.Findings = append(r.Findings, in.assumptions()...)
	r.Summary = summary(in, r, rpo)
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		r.Summary += fmt.Sprintf(" The deadline of %s is missed.",
			quantity.Duration(*in.DeadlineHours*quantity.SecondsPerHour))
	}
}

// deadline returns the arguments of reasonDeadlineMissed: the time until all VMs are in sync, the deadline, and the
// remedies.
func (in Input) deadline(r *Result) []any {
	takes := "never catch up with their changes"
	if r.InitialSyncCaughtUpSeconds != nil {
		takes = "are in sync after " + quantity.Duration(*r.InitialSyncCaughtUpSeconds).Ceil()
	}
	var ways []string
	if mbps := in.smallestThroughput(Input.meetsDeadline); mbps != nil {
		ways = append(ways, "with "+quantity.CeilMbps(*mbps))
	}
	if *r.BatchVMCount > 0 {
		ways = append(ways, "by a batch of at most "+plan.Count(float64(*r.BatchVMCount), "VM"))
	}
	remedy := ""
	if len(ways) > 0 {
		remedy = " It is met " + strings.Join(ways, ", or ") + "."
	}
	return []any{takes, quantity.Duration(*in.DeadlineHours * quantity.SecondsPerHour), remedy}
}

func (in Input) assumptions() []plan.Finding {
	var found []plan.Finding
	if in.SeededPercent > 0 && in.ChecksumMbps == nil {
		found = append(found, reasonSeedCheckNotCounted.Finding(plan.Thousands(in.SeededPercent, -1)))
	}
	c := in.curve()
	if !(c.Covers(in.BusiestMinutes()) && c.Covers(in.RPOMinutes)) {
		found = append(found, reasonExtrapolated.Finding(ends(c)...))
	}
	if below, above, ok := c.Gap(in.BusiestMinutes(), in.RPOMinutes); ok {
		found = append(found, reasonCurveSparse.Finding(minutesText(below), minutesText(above),
			minutesText(math.Round(math.Sqrt(below*above)))))
	}
	if in.Mechanism == MechanismGroup {
		return append(found, reasonSchedulerUnknown.Finding())
	}
	if in.RPOMinutes < leastPlainRPOMinutes {
		found = append(found, reasonLowRPO.Finding(minutesText(in.RPOMinutes)))
	}
	return found
}

func minutesText(n float64) string {
	if n == 1 {
		return "1 minute"
	}
	return plan.Thousands(n, -1) + " minutes"
}

func summary(in Input, r *Result, rpo string) string {
	s := fmt.Sprintf("%s of %s %s %s. At %s", plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.VMSizeGiB),
		isOrAre(in.VMCount), quantity.FromGiB(r.TotalGiB), quantity.FromMbps(in.ThroughputMbps))
	if in.EfficiencyPercent < quantity.Percent {
		s += fmt.Sprintf(", of which %s%% is usable", plan.Thousands(in.EfficiencyPercent, -1))
	}
	s += fmt.Sprintf("%s, the initial sync takes %s%s, and sending the %s that change in one cycle takes %s",
		in.limits(r), quantity.Duration(r.InitialSyncSeconds).Ceil(), in.band80(r), quantity.FromGiB(r.ChangedGiBPerCycle),
		quantity.Duration(r.OngoingSyncSeconds).Ceil())
	if r.ChangeAssumption == AssumeWholeDay {
		s += " if the change of a whole day falls into one cycle (peak_factor is not set)"
	}
	switch {
	case r.ViolationFree:
		return s + fmt.Sprintf(". This is within half the RPO of %s, so the RPO holds for steady change if nothing else "+
			"uses the link.", rpo)
	case r.MeetsRPO && r.ChangeAssumption != AssumeWholeDay:
		// Syncs that start earlier transfer less data, so the duration of a violation depends on when the syncs start.
		s += fmt.Sprintf(". This is within the RPO of %s, but not within half of it, so the RPO does not always hold.", rpo)
	case r.MeetsRPO:
		s += fmt.Sprintf(". This is within the RPO of %s, but not within half of it, so such a cycle violates the RPO for "+
			"%s.", rpo, quantity.Duration(2*r.OngoingSyncSeconds-in.RPOMinutes*quantity.SecondsPerMinute).Ceil())
	default:
		s += fmt.Sprintf(". This is longer than the RPO of %s.", rpo)
	}
	if r.MinRPOMinutes != nil {
		s += " The smallest RPO that holds for steady change is " + minutesText(float64(*r.MinRPOMinutes))
		if *r.MinRPOMinutes == leastPlainRPOMinutes && in.RPOMinutes >= leastPlainRPOMinutes {
			s += ", the minimum without enhanced replication"
		}
	} else {
		_, longest := in.rangeOfRPO()
		s += fmt.Sprintf(" No RPO up to %s holds", minutesText(float64(longest)))
	}
	if r.ThroughputViolationFreeMbps != nil {
		s += fmt.Sprintf(". An RPO of %s requires %s", rpo, quantity.CeilMbps(*r.ThroughputViolationFreeMbps))
	}
	return s + "."
}

func (in Input) band80(r *Result) string {
	switch {
	case r.InitialSyncSeconds90 != nil:
		return fmt.Sprintf(" (up to %s in 9 of 10 comparable transfers)",
			quantity.Duration(*r.InitialSyncSeconds90).Ceil())
	case r.InitialSyncSeconds80 != nil:
		return fmt.Sprintf(" (up to %s in 4 of 5 comparable transfers)",
			quantity.Duration(*r.InitialSyncSeconds80).Ceil())
	}
	return ""
}

func isOrAre(n float64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (in Input) limits(r *Result) string {
	rate, _ := in.rate()
	switch r.LimitedBy {
	case LimitedBySourceRead:
		return fmt.Sprintf(", limited to %s by the source storage", quantity.Rate(rate))
	case LimitedByTargetWrite:
		return fmt.Sprintf(", limited to %s by the target storage", quantity.Rate(rate))
	}
	return ""
}

func ends(c changerate.Curve) []any {
	first, last := c.Ends()
	return []any{minutesText(first), minutesText(last)}
}
