package migration

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Codes of missed promises.
const (
	DeadlineMissed   = "deadline_missed"
	DowntimeExceeded = "downtime_exceeded"
)

var (
	reasonChangeNotCounted = calculator.NewReason("change_not_counted", "Changes on %s during the copy and the wait "+
		"are not counted: set daily_change_percent, or 0 if there are none.")
	reasonBelow100Mbps = calculator.NewReason("below_100_mbps_per_migration", "One migration has %s, but HCX vMotion "+
		"requires 100 Mbit/s.")
	reasonDeadlineMissed = calculator.NewReason(DeadlineMissed, "%s not migrated within %s: %s.")
	reasonNoThroughput   = calculator.NewReason("no_throughput_meets_deadline", "No throughput is high enough to meet "+
		"the deadline: %s.")
	reasonDowntimeExceeded = calculator.NewReason(DowntimeExceeded, "%s down for longer than promised: %s.")
	reasonFixedCostUnknown = calculator.NewReason("fixed_cost_unknown", "setup_seconds is not set. With an assumed "+
		"%s s for each migration, the plan takes %s%% longer. Measure one migration, or set it to 0.")
	reasonFitsNoWindow = calculator.NewReason("fits_no_window", "%s not fit into any window, even alone, with a "+
		"reserve of %s%%: %s.")
	reasonDoesNotConverge = calculator.NewReason("does_not_converge", "%s as fast as the copy is sent, so the copy "+
		"never ends and no migration is planned: %s.")
)

var planVerdicts = []calculator.Verdict{
	{Code: plan.Meets, Level: plan.Meets, Doc: "if all promises (deadline, windows and downtimes) are met"},
	{
		Code:  plan.AtRisk,
		Level: plan.AtRisk,
		Doc: "if no promise is missed, but a VM is unplanned, a downtime is promised for a VM with the method " +
			"`vmotion` without `memory_dirty_mbps`, or `reasons` contains `change_not_counted`, " +
			"`concurrency_not_measured`, `fixed_cost_unknown` or `one_thread`",
	},
	{Code: plan.Misses, Level: plan.Misses, Doc: "if a promise is missed"},
	{
		Code:  VerdictUnsupported,
		Level: plan.Misses,
		Doc: "if a vMotion has less than 250 Mbit/s at any time (100 with the profile `hcx_vmotion`) or a round-trip " +
			"time above 150 ms",
	},
	{
		Code: VerdictNoPromise,
		Doc: "if none of `deadline_hours`, `max_windows` and `max_downtime_minutes` is set, the " +
			"plan is supported and no VM is unplanned",
	},
}

func planReasons() []calculator.Reason {
	reasons := []calculator.Reason{
		reasonBelow250Mbps, reasonBelow100Mbps, reasonRTTAbove150, reasonOneThread, reasonChangeNotCounted,
		reasonDeadlineMissed, reasonNoThroughput, reasonDowntimeExceeded, reasonFixedCostUnknown, reasonFitsNoWindow,
		reasonDoesNotConverge, reasonDirtyRateUnknown, reasonConcurrencyNotMeasured,
	}
	for _, l := range planLimits {
		reasons = append(reasons, l.reason())
	}
	return reasons
}

// Blocks reports whether the reason with the given code is that VMs are not moved, or that their moves are not
// supported.
func Blocks(code string) bool {
	return slices.ContainsFunc([]calculator.Reason{
		reasonBelow250Mbps, reasonBelow100Mbps, reasonRTTAbove150, reasonFitsNoWindow, reasonDoesNotConverge,
	}, func(r calculator.Reason) bool { return r.Code == code })
}

// PlanDefinition describes the migration_plan calculator.
var PlanDefinition = calculator.Definition[PlanInput, PlanResult]{
	Names: calculator.Names{
		Name:    "migration_plan",
		Command: "migration",
		Example: `{
    "throughput_mbps": 1000,
    "virtual_machines": {"db-1": {"memory_gib": 64}}
  }`,
		Title:   "Migration plan",
		Summary: "Waves and duration of the migration of many VMs",
		Description: "Plans the migration of many VMs over a link that all migrations share. The plan complies with " +
			"the concurrency limits of vCenter per host, network adapter and datastore. It starts the VMs of a move " +
			"group together and uses maintenance windows. The longest migrations start first. Requires no connection " +
			"and no credentials.\n\n" +
			"Planning 5,000 VMs takes one or two seconds. With windows, planning VMs with `memory_dirty_mbps` takes " +
			"longer. A plan with 1,500 of them can take minutes. If a deadline is missed, about twenty more plans " +
			"are computed to find inputs with which it is met.\n\n" +
			"Example: ten VMs of 10 GiB each are migrated at 1 Gbit/s. Sending 1 GiB takes 8.59 s, so the plan takes " +
			"859 s, regardless of the number of concurrent migrations. A host has 8 slots, and a vMotion without " +
			"shared storage takes 4 of them, so at most two of these run on a host at a time. With NFC, a " +
			"powered-off VM of 1,000 GiB takes at least 8,589.9 Gbit / 1.3 Gbit/s = 6,607.6 s, even on a faster link.",
	},
	Default:  PlanDefaults,
	Inputs:   planInputs,
	Results:  planRows,
	Verdicts: planVerdicts,
	Reasons:  planReasons(),
	Explain:  func(r *PlanResult) *calculator.Explanation { return &r.Explanation },
	Compute:  Plan,
	Slow: func(in PlanInput) bool {
		const slow = 2000
		return len(in.VMs) > slow && (in.DeadlineHours != nil || in.MaxWindows != nil)
	},
}
