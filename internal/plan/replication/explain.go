package replication

import (
	"fmt"
	"math"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// explain sets the findings and the summary. promised is the explanation of the promise.
func (in Input) explain(r *Result, promised calculator.Explanation) {
	if r.DailyLinkUsePercent > quantity.Percent {
		r.Findings = append(r.Findings,
			reasonDailyChangeOverLink.Finding(plan.Thousands(plan.Up.Round(r.DailyLinkUsePercent, 1), 1)))
	}
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		r.Findings = append(r.Findings, reasonDeadlineMissed.Finding(in.deadline(r)...))
	}
	r.Findings = append(append(r.Findings, promised.Findings...), in.assumptions()...)
	r.Summary = in.summary(r) + " " + promised.Summary
	if r.ThroughputNeededMbps != nil {
		reserve := ""
		if r.Verdict == plan.Meets && *r.ThroughputNeededMbps > in.ThroughputMbps {
			reserve = promise.Reserve
		}
		r.Summary += fmt.Sprintf(" The link needs %s%s.", quantity.CeilMbps(*r.ThroughputNeededMbps), reserve)
	}
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
		first, last := c.Ends()
		found = append(found, reasonExtrapolated.Finding(minutesText(first), minutesText(last)))
	}
	if below, above, ok := c.Gap(in.BusiestMinutes(), in.RPOMinutes); ok {
		found = append(found, reasonCurveSparse.Finding(minutesText(below), minutesText(above),
			minutesText(math.Round(math.Sqrt(below*above)))))
	}
	return found
}

func minutesText(n float64) string {
	if n == 1 {
		return "1 minute"
	}
	return plan.Thousands(n, -1) + " minutes"
}

func (in Input) summary(r *Result) string {
	s := fmt.Sprintf("%s of %s %s %s. At %s", plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.VMSizeGiB),
		isOrAre(in.VMCount), quantity.FromGiB(r.TotalGiB), quantity.FromMbps(in.ThroughputMbps))
	if in.EfficiencyPercent < quantity.Percent {
		s += fmt.Sprintf(", of which %s%% is usable", plan.Thousands(in.EfficiencyPercent, -1))
	}
	s += fmt.Sprintf(
		"%s, the initial sync takes %s%s, and sending the %s that change in one cycle takes %s",
		in.limits(r),
		quantity.Duration(r.InitialSyncSeconds).Ceil(),
		in.band80(r),
		quantity.FromGiB(r.ChangedGiBPerCycle),
		quantity.Duration(r.OngoingSyncSeconds).Ceil(),
	)
	if r.ChangeAssumption == AssumeWholeDay {
		s += " if the change of a whole day falls into one cycle (peak_factor is not set)"
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
