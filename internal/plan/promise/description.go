package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/simulation"
)

// MaxLateNames is the maximum number of late VMs that are listed by name.
const MaxLateNames = 20

var verdicts = []calculator.Verdict{
	{
		Code: VerdictMeets, Level: calculator.Holds,
		Doc: "if every VM is within its RPO for at least `target_compliance_percent` of the time (99.9 if not set). " +
			"This must hold in each run and its second half, with the inputs as specified, during migrations, and at the " +
			"worse end of uncertain inputs. The run must also have `converged`, and at least 5 runs or 500 VMs on the " +
			"link must be simulated",
	},
	{
		Code: VerdictAtRisk, Level: calculator.AtRisk,
		Doc: "if every VM reaches `target_compliance_percent` (99 if not set) with the inputs as specified and during " +
			"migrations, but another condition of `meets` does not hold, a limit of vSphere Replication is exceeded, or " +
			"the replicas take more than 95% of the free space of the target",
	},
	{
		Code: VerdictUnknown, Level: calculator.AtRisk,
		Doc: "if the tier has no VMs, has a VM of unknown size, has a VM that is also in another tier, or shares a link " +
			"or a target with a VM of unknown size, and the promise is not already missed",
	},
	{
		Code: VerdictMisses, Level: calculator.Misses,
		Doc: "otherwise, and if the deadline is missed or the target has too little space with the inputs as specified " +
			"or during migrations",
	},
}

var codes = []string{VerdictMeets, VerdictAtRisk, VerdictUnknown, VerdictMisses}

var (
	reasonLate = calculator.NewReason("late_virtual_machines", "%s of %s %s within the RPO of %s for less than %s%% of "+
		"the time. The worst VM, %s, is within it for %s%%, with a recovery point of up to %s.")
	reasonWorseEnd = calculator.NewReason("not_at_worse_end", "The promise is kept with the values as specified, but not "+
		"at the worse end of the ranges: within the RPO for %s%% of the time.")
	reasonWorseDeadline = calculator.NewReason("deadline_missed_at_worse_end", "The deadline of %s is met with the "+
		"values as specified, but not at the worse end of the ranges.")
	reasonWorseHalves = calculator.NewReason("not_converged_at_worse_end", "At the worse end of the ranges, the two "+
		"halves of the run differ, so a longer run could give a different result.")
	reasonMoves = calculator.NewReason("during_moves", "While migrations use part of the link, the promise %s: within "+
		"the RPO for %s%% of the time.")
	reasonMovesWorse = calculator.NewReason("during_moves_at_worse_end", "While migrations use part of the link, the "+
		"promise is not kept at the worse end of the ranges: within the RPO for %s%% of the time.")
	reasonBand = calculator.NewReason("band_misses", "The promise is kept at the specified throughput, but not at the "+
		"throughput that 4 of 5 such links reach, which is lower by a factor of %s: within the RPO for %s%% of the time.")
	reasonNotConverged = calculator.NewReason(simulation.NotConverged, "The two halves of the run differ, so a longer "+
		"run could give a different result.")
	reasonOneRun = calculator.NewReason(simulation.OneRun, "The simulation has only %s of %s. A verdict of meets "+
		"requires "+
		"5 runs, or 500 VMs on the link.")
	reasonTwoStates = calculator.NewReason(simulation.TwoStates, "One run is at least 5 percentage points below the "+
		"median, because syncs can synchronize with each other.")
	reasonDeadline   = calculator.NewReason("deadline_missed", "The VMs are in sync after %s, but the deadline is %s.")
	reasonFull       = calculator.NewReason("target_full", "The replicas on target %q need %s, but it has only %s free.")
	reasonNearlyFull = calculator.NewReason("target_nearly_full", "The replicas on target %q need %s, more than 95%% of "+
		"its free space of %s.")
	reasonAbove500 = calculator.NewReason("above_500_at_5_minutes", "%s VMs have an RPO of 5 minutes or less, but "+
		"vSphere Replication %s supports only %s: use a longer rpo_minutes for some of them.")
	reasonAppliance = calculator.NewReason("above_appliance_limit", "The tiers have %s replications in total, more than "+
		"the %s that an appliance of vSphere Replication %s supports: deploy another pair of appliances.")
	reasonQuiesced = calculator.NewReason("quiesced_below_15_minutes", "vSphere Replication quiesces VMs only at an RPO "+
		"of 15 minutes or more, but the RPO is %s: disable quiescing, or use a longer rpo_minutes.")
	reasonEnhanced = calculator.NewReason("rpo_below_5_minutes", "An RPO of %s requires enhanced replication on all "+
		"hosts.")
	reasonNoVMs    = calculator.NewReason("no_virtual_machines", "The tier has no VMs.")
	reasonSizeless = calculator.NewReason("size_unknown", "The size of %s is unknown: %s.")
	reasonTwice    = calculator.NewReason("in_two_tiers", "%s also in another tier: %s.")
	reasonBeside   = calculator.NewReason("load_unknown", "The total load of the link or target is unknown, because the "+
		"size of a VM is missing in %s.")
	reasonScheduler = calculator.NewReason("scheduler_not_documented", "The tier is replicated by vSAN Data Protection, "+
		"whose scheduler is not documented. It is simulated by the rules of vSphere Replication.")
	reasonNoRemedy = calculator.NewReason("no_remedy", "None of the computed changes is sufficient to meet the promise: "+
		"%s.")
)

var promiseReasons = []calculator.Reason{
	reasonLate, reasonWorseEnd, reasonWorseDeadline, reasonWorseHalves, reasonMoves, reasonMovesWorse, reasonBand,
	reasonNotConverged, reasonOneRun, reasonTwoStates, reasonDeadline, reasonFull, reasonNearlyFull, reasonAbove500,
	reasonAppliance, reasonQuiesced,
	reasonEnhanced, reasonNoVMs, reasonSizeless, reasonTwice, reasonBeside, reasonScheduler, reasonNoRemedy,
}

var (
	reasonLinkUnused   = calculator.NewReason("link_unused", "No tier uses %s.")
	reasonTargetUnused = calculator.NewReason("target_unused", "No tier uses %s.")
)

// Definition describes the sla_plan calculator.
var Definition = calculator.Definition[Plan, Result]{
	Names: calculator.Names{
		Name:     "sla_plan",
		Function: "sla_plan",
		Command:  "plan",
		Example: `{
    "links": {"metro": {"throughput_mbps": 1000}},
    "tiers": {"gold": {
      "vm_count": 20, "vm_size_gib": 100,
      "daily_change_percent": 5, "rpo_minutes": 60
    }}
  }`,
		Title:   "SLA plan",
		Summary: "Whether tiers can keep their promises, which VMs are late, and which changes help",
		Description: "Predicts whether the RPO of every VM can be met. Each VM belongs to a tier, and tiers share links " +
			"and storage targets. The simulation covers every VM individually, and all links and targets together. A " +
			"promise is the RPO of a tier, with its compliance target and deadline. Each promise is evaluated with the " +
			"inputs as specified and at the worse end of uncertain inputs. If a promise is missed, the result lists the " +
			"late VMs and the changes with which the promise is kept. Requires no connection and no credentials.\n\n" +
			"Example: 19 VMs of 100 GiB and one VM of 8 TiB change by 10% per day. They have an RPO of 15 minutes, and " +
			"each sync is limited to 60 Mbit/s. Each small VM changes at 100 GiB * 10% / 86,400 s = 0.99 Mbit/s. The " +
			"large VM changes at 81.4 Mbit/s, which is more than a sync can send. The promise is missed, but can be kept " +
			"without this VM.\n\n" +
			"Transfers share links and targets by max-min fairness. All transfers get the same rate until a link, a " +
			"target, `source_read_mbps` or `per_sync_mbps` limits them. For example, two links of 40 and 100 Mbit/s with " +
			"one transfer each lead to a target that can receive 120 Mbit/s. The transfers then run at 40 and 80 Mbit/s.",
	},
	Default:  Defaults,
	Inputs:   inputs,
	Results:  results,
	Verdicts: verdicts,
	Reasons:  []calculator.Reason{reasonLinkUnused, reasonTargetUnused},
	Explain:  func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute:  func(p Plan) (Result, error) { return Compute(context.Background(), p) },
	Quick:    func(p Plan) (Result, error) { return Verdicts(context.Background(), p) },
	Long:     Compute,
	Slow:     Plan.takesLong,
}

func (p Plan) takesLong() bool {
	const slow = 5e5
	e := p.estate(asGiven)
	return len(e.Tiers) > 0 && e.Syncs(e.MinDays()) > slow
}
