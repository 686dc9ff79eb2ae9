package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Verdicts describes the verdicts on a promise.
var Verdicts = []calculator.Verdict{
	{
		Code:  plan.Meets,
		Level: plan.Meets,
		Doc: "if the promise holds with likely inputs, during migrations, and at the worse end of uncertain inputs. " +
			"It holds if no recovery point can get older than `rpo_minutes` (`bound`), if no sync takes longer than " +
			"half the configured RPO (`vendor_rule`), or, with `configured_rpo_minutes`, if every VM is within " +
			"`rpo_minutes` for `target_compliance_percent` of the time (`share`; 99.9 if not set)",
	},
	{
		Code:  plan.AtRisk,
		Level: plan.AtRisk,
		Doc: "if the promise holds with likely inputs and during migrations, but not at the worse end or only with " +
			"`assumed_inputs`; if a throughput in `measured` is older than `max_age_days`; if every VM is within " +
			"`rpo_minutes` for 99% of the time with a given `configured_rpo_minutes`; if a limit of vSphere " +
			"Replication is exceeded; or if the replicas take more than 95% of the free space of the target",
	},
	{
		Code:  plan.Unknown,
		Level: plan.Unknown,
		Doc: "if the tier has a VM of unknown size or a VM that is also in another tier, or shares a link or a " +
			"target with a tier without a VM of known size, and the promise is not already missed",
	},
	{
		Code:  plan.Misses,
		Level: plan.Misses,
		Doc: "otherwise, and if the deadline is missed, the target has too little space, or the outage exceeds " +
			"`max_outage_rpo_minutes`",
	},
	{Code: plan.Empty, Doc: "if the tier has no VMs. Such a tier promises nothing"},
}

var codes = []string{plan.Meets, plan.AtRisk, plan.Unknown, plan.Misses, plan.Empty}

var (
	reasonAbovePromise = calculator.NewReason("configured_above_promise", "An RPO of %s is configured, more than the "+
		"promised %s.")
	reasonBelowLeast = calculator.NewReason("configured_below_minimum", "An RPO of %s is configured, but at least %s "+
		"can be configured.")
	reasonLate = calculator.NewReason("late", "With %s configured, a sync can take %s and replace a recovery point "+
		"of up to %s%s, more than the promised %s%s.")
	reasonWait = calculator.NewReason("syncs_wait", "With %s configured, the change of the busiest %s takes %s to "+
		"send, more than 90%% of that time. Syncs then wait for each other, and the age of a recovery point has no "+
		"known limit.")
	reasonVendorRule = calculator.NewReason("vendor_rule", "With %s configured, the promise rests on the rule of the "+
		"vendor that there are no violations while a sync takes at most half the RPO. If each sync starts as late as "+
		"it can, a recovery point can get %s old%s. With %s configured, it cannot get older than promised%s.")
	reasonVendorRuleOnly = calculator.NewReason("vendor_rule_only", "With %s configured, the promise rests on the "+
		"rule of the vendor that there are no violations while a sync takes at most half the RPO. If each sync "+
		"starts as late as it can, a recovery point can get %s old%s. With enhanced replication, an RPO of 1 minute "+
		"can be configured: set min_configured_rpo_minutes.")
	reasonPeakUnknown = calculator.NewReason("peak_unknown", "The promise holds if the busiest time changes 3 times "+
		"the daily mean, but not if a whole day changes within one RPO. Its peak is not known: %s.")
	reasonStartUnknown = calculator.NewReason("peak_start_unknown", "The promise holds if the busiest time begins at "+
		"%s:00, but not if it begins at %s:00, when the link carries least: set peak_start_hour.")
	reasonBasisUnknown = calculator.NewReason("basis_unknown", "The promise holds at the specified throughput, but "+
		"not at the %s Mbit/s that can be relied on without a measurement: set throughput_basis.")
	reasonWorseEnd = calculator.NewReason("not_at_worse_end", "The promise holds with likely inputs, but not at the "+
		"worse end of uncertain inputs%s.")
	reasonAssumed = calculator.NewReason("inputs_assumed", "The %s not known, but filled in: %s. Remove a name from "+
		"assumed_inputs when its value is known.")
	reasonOldMeasurement = calculator.NewReason("measurement_old", "The throughput of the link was measured %s days "+
		"ago, more than the %s days of max_age_days: run the action vsla_replication_link_test, and plan again.")
	reasonMoves = calculator.NewReason("during_moves", "While migrations use part of the link, the promise %s: within "+
		"the RPO for %s%% of the time.")
	reasonDeadline = calculator.NewReason("deadline_missed", "The VMs are in sync after %s, but the deadline is %s.")
	reasonOutage   = calculator.NewReason("outage_exceeds_promise", "During the outage, a recovery point can get %s "+
		"old, but %s is promised.")
	reasonFull = calculator.NewReason("target_full", "The replicas on target %q need %s, but it has only %s "+
		"free.")
	reasonNearlyFull = calculator.NewReason("target_nearly_full", "The replicas on target %q need %s, more than 95%% "+
		"of its free space of %s.")
	reasonAbove500 = calculator.NewReason("above_500_at_5_minutes", "%s VMs have an RPO of 5 minutes or less, but "+
		"vSphere Replication %s supports only %s: use a longer rpo_minutes for some of them.")
	reasonAppliance = calculator.NewReason("above_appliance_limit", "The tiers have %s replications in total, more "+
		"than the %s that an appliance of vSphere Replication %s supports: deploy another pair of appliances.")
	reasonQuiesced = calculator.NewReason("quiesced_below_15_minutes", "vSphere Replication quiesces VMs only at an "+
		"RPO of 15 minutes or more, but the RPO is %s: disable quiescing, or use a longer rpo_minutes.")
	reasonEnhanced = calculator.NewReason("rpo_below_minimum", "An RPO of %s is promised, but at least %s can be "+
		"configured. With enhanced replication, it is 1 minute: set min_configured_rpo_minutes.")
	reasonNoVMs    = calculator.NewReason("no_virtual_machines", "The tier has no VMs.")
	reasonSizeless = calculator.NewReason("size_unknown", "The size or the change of %s is unknown: %s.%s")
	reasonTwice    = calculator.NewReason("in_two_tiers", "%s also in another tier: %s.")
	reasonBeside   = calculator.NewReason("load_unknown", "The total load of the link or target is unknown, because "+
		"no VM with a known size and change is in %s.")
	reasonScheduler = calculator.NewReason("scheduler_not_documented", "The tier is replicated by vSAN Data "+
		"Protection, whose scheduler is not documented. It is simulated by the rules of vSphere Replication.")
	reasonNoRemedy = calculator.NewReason("no_remedy", "None of the computed changes is sufficient to keep the "+
		"promise: %s.")
)

// Reasons contains the reasons for the verdict on a promise.
var Reasons = []calculator.Reason{
	reasonAbovePromise, reasonBelowLeast, reasonLate, reasonWait, reasonVendorRule, reasonVendorRuleOnly,
	reasonPeakUnknown, reasonStartUnknown, reasonBasisUnknown, reasonWorseEnd, reasonAssumed, reasonOldMeasurement,
	reasonMoves, reasonDeadline, reasonOutage, reasonFull, reasonNearlyFull, reasonAbove500, reasonAppliance,
	reasonQuiesced, reasonEnhanced, reasonNoVMs, reasonSizeless, reasonTwice, reasonBeside, reasonScheduler,
	reasonNoRemedy,
}

var (
	reasonLinkUnused   = calculator.NewReason("link_unused", "No tier uses %s.")
	reasonTargetUnused = calculator.NewReason("target_unused", "No tier uses %s.")
)

// Definition describes the sla_plan calculator.
var Definition = calculator.Definition[Plan, Result]{
	Names: calculator.Names{
		Name:    "sla_plan",
		Command: "plan",
		Example: `{
    "links": {"metro": {"throughput_mbps": 1000}},
    "tiers": {"gold": {
      "vm_count": 20, "vm_size_gib": 100,
      "daily_change_percent": 5, "rpo_minutes": 60
    }}
  }`,
		Title:   "SLA plan",
		Summary: "Whether tiers can keep their promises, with which configured RPO, and which changes help",
		Description: "Predicts whether the RPO that is promised to each tier can be kept, and which RPO to configure " +
			"for it. Tiers share links and storage targets. Each promise is evaluated with likely inputs and at the " +
			"worse end of uncertain inputs, and each omitted input is uncertain. If a promise does not hold, the " +
			"result lists the late VMs and the changes with which it holds. Requires no connection and no " +
			"credentials.\n\nvSphere Replication starts each sync at most one configured RPO (N) after the start of " +
			"the previous sync, or at the end of that sync if it takes longer. When a sync that takes T ends, the " +
			"recovery point that it replaces is therefore at most max(N, T') + T old, where T' is the duration of " +
			"the previous sync. The simulation determines the durations, and counts these ages.\n\n" +
			"Example: one VM of 8 TiB changes by 5% per day, and 3 times as fast in its busiest time: by 122.17 " +
			"Mbit/s. At 700 Mbit/s, measured on the network, the worse end is 700 / 1.14 = 614 Mbit/s, and a sync " +
			"takes at most 122.17 / 614 = 0.199 times the configured RPO. To keep a promise of 240 minutes, at most " +
			"240 / 1.199 = 200.2 minutes can be configured: 180 minutes.\n\n" +
			"Transfers share links and targets by max-min fairness. All transfers get the same rate until a link, a " +
			"target, `source_read_mbps` or `per_sync_mbps` limits them. For example, two links of 40 and 100 Mbit/s " +
			"with one transfer each lead to a target that can receive 120 Mbit/s. The transfers then run at 40 and " +
			"80 Mbit/s.",
	},
	Default:  Defaults,
	Inputs:   inputs,
	Results:  results,
	Verdicts: Verdicts,
	Reasons:  []calculator.Reason{reasonLinkUnused, reasonTargetUnused},
	Explain:  func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute:  func(p Plan) (Result, error) { return Compute(context.Background(), p) },
	Quick:    func(p Plan) (Result, error) { return Judge(context.Background(), p) },
	Long:     Compute,
	Slow:     Plan.takesLong,
}

// takesLong reports whether the computation is expected to take longer than calculator.SlowSeconds. It returns false
// for invalid inputs, which are asked about before they are checked.
func (p Plan) takesLong() bool {
	if p.Check() != nil {
		return false
	}
	const slow = 5e6
	sum := 0.0
	for _, one := range p.parts() {
		if e := one.complete().estate(asGiven); !e.IsClosed() {
			sum += e.Syncs() * float64(e.Runs())
		}
	}
	return sum > slow
}
