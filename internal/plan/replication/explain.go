// The explanation: findings with stable codes, and sentences that can be checked with a pocket calculator.

package replication

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// explain fills findings and summary.
func explain(in Input, r *Result) {
	delta, rpo := quantity.Duration(r.OngoingSyncSeconds), minutes(in.RPOMinutes)
	half := quantity.Duration(in.RPOMinutes * secondsPerMin / 2)
	find := func(reason calculator.Reason, args ...any) {
		r.Findings = append(r.Findings, reason.Finding(args...))
	}
	if !r.MeetsRPO {
		find(reasonCycleExceedsRPO, delta, rpo)
	}
	if !r.ViolationFree {
		find(reasonCycleExceedsHalf, delta, half, quantity.Duration(2*r.OngoingSyncSeconds))
	}
	if r.DailyLinkUsePercent > percent {
		find(reasonDailyChangeOverLink, plan.Thousands(r.DailyLinkUsePercent, 1))
	}
	if in.OverheadSeconds > in.RPOMinutes*secondsPerMin/2 {
		find(reasonOverheadExceedsHalf, quantity.Duration(in.OverheadSeconds), half)
	}
	r.Summary = summary(in, r, rpo)
}

func minutes(n float64) string {
	if n == 1 {
		return "1 minute"
	}
	return plan.Thousands(n, -1) + " minutes"
}

func summary(in Input, r *Result, rpo string) string {
	s := fmt.Sprintf(
		"%s VMs of %s are %s; the initial sync takes %s, and a cycle's %s of changes %s at %s",
		plan.Thousands(
			in.VMCount,
			0,
		),
		quantity.FromGiB(in.VMSizeGiB),
		quantity.FromGiB(r.TotalGiB),
		quantity.Duration(r.InitialSyncSeconds),
		quantity.FromGiB(r.ChangedGiBPerCycle),
		quantity.Duration(r.OngoingSyncSeconds),
		quantity.FromMbps(in.ThroughputMbps),
	)
	if in.EfficiencyPercent < percent {
		s += fmt.Sprintf(" of which %s%% is usable", plan.Thousands(in.EfficiencyPercent, -1))
	}
	switch r.Verdict {
	case VerdictMeets:
		s += fmt.Sprintf(": within half the RPO of %s, so it always holds.", rpo)
	case VerdictAtRisk:
		if in.PeakFactor != nil {
			// A sync that starts sooner carries less then, so that how long it is violated depends on when syncs start.
			s += fmt.Sprintf(": within the RPO of %s but not within half of it, so it does not always hold.", rpo)
			break
		}
		s += fmt.Sprintf(": within the RPO of %s but not within half of it, so each cycle violates it for %s.",
			rpo, quantity.Duration(2*r.OngoingSyncSeconds-in.RPOMinutes*secondsPerMin))
	default:
		s += fmt.Sprintf(": longer than the RPO of %s.", rpo)
	}
	if r.Verdict == VerdictMeets {
		return s
	}
	if r.MinRPOMinutes != nil {
		s += " The smallest RPO that always holds is " + minutes(float64(*r.MinRPOMinutes))
	} else {
		s += " No RPO up to 1,440 minutes always holds"
	}
	if r.ThroughputViolationFreeMbps != nil {
		s += fmt.Sprintf("; one of %s needs %s.", rpo, quantity.FromMbps(*r.ThroughputViolationFreeMbps))
	} else {
		s += "."
	}
	return s
}
