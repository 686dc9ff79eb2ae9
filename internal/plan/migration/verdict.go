package migration

import (
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// judge sets the verdict, the findings and the summary.
func (in VMotionInput) judge(r *VMotionResult) {
	rate, memoryRate := in.rate(), in.memoryRate()
	find := func(reason calculator.Reason, args ...any) { r.Findings = append(r.Findings, reason.Finding(args...)) }
	in.judgeSupport(find)
	unsupported := len(r.Findings) > 0
	if in.ThreadsMbps == nil && rate > threadMbps*quantity.BitsPerMbit*(1+goalTolerance) {
		find(reasonOneThread, quantity.Rate(rate))
	}
	if r.SDPSExpected {
		find(reasonSDPSExpected, quantity.Rate(quantity.BitsPerSecond(in.MemoryDirtyMbps)), quantity.Rate(memoryRate),
			plan.Thousands(plan.Down.Round(r.GuestSpeedPercent, 1), 1))
	}
	if r.SwitchoverSeconds != nil && *r.SwitchoverSeconds > maxSwitchoverSeconds {
		find(reasonSwitchoverAbove1, plan.Thousands(plan.Up.Round(*r.SwitchoverSeconds, 2), 2))
	}
	if memoryRate > 0 && !r.MeetsSwitchoverGoal {
		find(reasonGoalMissed, plan.Count(float64(*r.PrecopyRounds), "pre-copy round"),
			FormatDowntime(*r.SwitchoverSeconds), plan.Thousands(in.SwitchoverGoalMs, -1))
	}
	if in.MemoryDirtyMbps == nil {
		find(reasonDirtyRateUnknown, "the guest")
	}
	if in.SetupSeconds > 0 && in.ConcurrentMigrations > maxMeasuredConcurrent {
		find(reasonConcurrencyNotMeasured, plan.Thousands(in.ConcurrentMigrations, 0))
	}
	if r.DurationSeconds != nil && *r.DurationSeconds > quantity.SecondsPerDay {
		find(reasonLongerThanADay, quantity.Duration(*r.DurationSeconds).Ceil())
	}
	r.Verdict = plan.Meets
	if unsupported {
		r.Verdict = VerdictUnsupported
	} else if len(r.Findings) > 0 {
		r.Verdict = plan.AtRisk
	}
	r.Summary = in.summary(r)
}

// judgeSupport finds the reasons why the migration is not supported.
func (in VMotionInput) judgeSupport(find func(calculator.Reason, ...any)) {
	rate := in.rate()
	if in.memoryRate() <= 0 {
		find(reasonDiskNeverEnds, quantity.FromMbps(in.DiskWriteMbps), quantity.Rate(rate))
	}
	if rate < minMbpsPerMigration*quantity.BitsPerMbit {
		find(reasonBelow250Mbps, quantity.Rate(rate))
	}
	if in.RTTMs > maxRTTMs {
		find(reasonRTTAbove150, plan.Thousands(in.RTTMs, -1))
	}
}

func (in VMotionInput) summary(r *VMotionResult) string {
	if r.DurationSeconds == nil {
		return r.Findings[0].Sentence
	}
	s := fmt.Sprintf(
		"The migration takes %s: %s for %s of disks and %s for %s of memory in %s. The guest stops for %s.",
		quantity.Duration(*r.DurationSeconds).Ceil(),
		quantity.Duration(*r.DiskCopySeconds).Ceil(),
		quantity.FromGiB(in.DiskGiB),
		quantity.Duration(*r.MemoryCopySeconds).Ceil(),
		quantity.FromGiB(in.MemoryGiB),
		plan.Count(float64(*r.PrecopyRounds), "pre-copy round"),
		FormatDowntime(*r.SwitchoverSeconds),
	)
	return strings.Join(append([]string{s}, plan.Sentences(r.Findings)...), " ")
}
