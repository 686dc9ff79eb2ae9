package replication

import (
	"fmt"
	"math"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
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
}

// deadline returns the arguments of the deadline's finding: the time of all VMs, the deadline, and the remedies.
func (in Input) deadline(r *Result) []any {
	takes := "never catch up with their changes"
	if r.InitialSyncCaughtUpSeconds != nil {
		takes = "take " + quantity.Duration(*r.InitialSyncCaughtUpSeconds).Ceil()
	}
	var ways []string
	if mbps := in.smallestThroughput(Input.meetsDeadline); mbps != nil {
		ways = append(ways, quantity.CeilMbps(*mbps))
	}
	if *r.BatchVMCount > 0 {
		ways = append(ways, "batches of "+plan.Count(float64(*r.BatchVMCount), "VM"))
	}
	remedy := ""
	if len(ways) > 0 {
		remedy = ": it takes " + strings.Join(ways, ", or ")
	}
	return []any{takes, quantity.Duration(*in.DeadlineHours * quantity.SecondsPerHour), remedy}
}

// assumptions returns the findings that depend only on the input.
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
	s := fmt.Sprintf("%s of %s %s %s; the initial sync takes %s, and a cycle's %s of changes %s at %s",
		plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.VMSizeGiB), isOrAre(in.VMCount), quantity.FromGiB(r.TotalGiB),
		quantity.Duration(r.InitialSyncSeconds).Ceil(), quantity.FromGiB(r.ChangedGiBPerCycle),
		quantity.Duration(r.OngoingSyncSeconds).Ceil(), quantity.FromMbps(in.ThroughputMbps))
	if in.EfficiencyPercent < quantity.Percent {
		s += fmt.Sprintf(" of which %s%% is usable", plan.Thousands(in.EfficiencyPercent, -1))
	}
	s += in.limits(r) + in.band80(r)
	if r.ChangeAssumption == AssumeWholeDay {
		s += " if the whole day's change falls into one cycle (without peak_factor)"
	}
	switch r.Verdict {
	case VerdictMeets:
		s += fmt.Sprintf(": within half the RPO of %s, so it holds for steady change, alone on this link.", rpo)
	case VerdictAtRisk:
		if r.ChangeAssumption != AssumeWholeDay {
			// Syncs that start earlier send less, so the duration of a violation depends on their start.
			s += fmt.Sprintf(": within the RPO of %s but not within half of it, so it does not always hold.", rpo)
			break
		}
		s += fmt.Sprintf(": within the RPO of %s but not within half of it, so such a cycle violates it for %s.",
			rpo, quantity.Duration(2*r.OngoingSyncSeconds-in.RPOMinutes*quantity.SecondsPerMinute).Ceil())
	default:
		s += fmt.Sprintf(": longer than the RPO of %s.", rpo)
	}
	if r.Verdict == VerdictMeets {
		return s
	}
	if r.MinRPOMinutes != nil {
		s += " The smallest RPO that holds for steady change is " + minutesText(float64(*r.MinRPOMinutes))
		if *r.MinRPOMinutes == leastPlainRPOMinutes && in.RPOMinutes >= leastPlainRPOMinutes {
			s += ", the least without enhanced replication"
		}
	} else {
		_, longest := in.rangeOfRPO()
		s += fmt.Sprintf(" No RPO up to %s holds", minutesText(float64(longest)))
	}
	if r.ThroughputViolationFreeMbps != nil {
		s += fmt.Sprintf("; one of %s needs %s.", rpo, quantity.CeilMbps(*r.ThroughputViolationFreeMbps))
	} else {
		s += "."
	}
	return s
}

// band80 describes the durations of comparable transfers.
func (in Input) band80(r *Result) string {
	switch {
	case r.InitialSyncSeconds90 != nil:
		return fmt.Sprintf(" (in 9 of 10 comparable transfers the initial sync takes up to %s)",
			quantity.Duration(*r.InitialSyncSeconds90).Ceil())
	case r.InitialSyncSeconds80 != nil:
		return fmt.Sprintf(" (in 4 of 5 comparable transfers the initial sync takes up to %s)",
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
		return fmt.Sprintf(", where the source's storage reads only %s", quantity.Rate(rate))
	case LimitedByTargetWrite:
		return fmt.Sprintf(", where the target's storage takes only %s", quantity.Rate(rate))
	}
	return ""
}
