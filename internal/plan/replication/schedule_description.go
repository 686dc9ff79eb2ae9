// What is said about the schedule.

package replication

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs that the closed form does not have. VMCount is narrower than there, because the VMs of all
// groups are in one event queue.
var (
	RangeDays                 = plan.Range{Min: 1, Max: 31, Whole: true, Unit: "days"}
	RangeHourlyWeight         = plan.Range{Min: 0, Max: 1e6}
	RangeHourlyThroughputMbps = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeMaxConcurrentSyncs   = plan.Range{Min: 1, Max: maxVMs, Whole: true, Unit: "syncs"}
	RangeScheduleVMCount      = plan.Range{Min: 1, Max: maxVMs, Whole: true, Unit: "VMs"}
)

var scheduleVerdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "without any violation"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "from 90 % compliance up"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "otherwise"},
}

// The reasons of a schedule.
var (
	reasonViolations = calculator.Reason{
		Code: "rpo_violations",
		Sentence: "VMs fall out of their RPO %s times, for %s minutes in all; " +
			"the oldest recovery point is %s minutes old.",
	}
	reasonLinkSaturated = calculator.Reason{
		Code:     "link_saturated",
		Sentence: "In its busiest hour the link is %s%% in use.",
	}
)

// ScheduleDefinition describes vsla_replication_schedule.
var ScheduleDefinition = calculator.Definition[ScheduleInput, ScheduleResult]{
	Names: calculator.Names{
		Name:    "replication_schedule",
		Command: "schedule",
		Title:   "Replication schedule",
		Summary: "Many groups with their RPOs on one link, simulated",
		Description: "Simulates the replication of many groups of VMs with different RPOs on one link: a sync sends what " +
			"has changed since the previous one started, starts as late as its RPO allows by its predicted duration, and " +
			"shares the link with all others that run. It needs no connection and no credentials. 4,000 replications with " +
			"an RPO of 5 minutes take some seconds for a day.\n\n" +
			"By hand: one VM whose changes would fill half the link (c = 0.5), RPO 15 minutes: syncs settle at " +
			"15 / (1 + 1.2 * 0.5) = 9.375 minutes apart, take half of that, 4.6875 minutes, and a recovery point gets " +
			"14.0625 minutes old at most.",
	},
	Default:  ScheduleDefaults,
	Inputs:   scheduleInputs,
	Results:  append(totalsRows(func(r *ScheduleResult) *Totals { return &r.Totals }), scheduleRows...),
	Verdicts: scheduleVerdicts,
	Reasons:  []calculator.Reason{reasonViolations, reasonLinkSaturated},
	Explain:  func(r *ScheduleResult) calculator.Explanation { return r.Explanation },
	Compute:  Schedule,
}

var scheduleInputs = calculator.Inputs[ScheduleInput]{
	calculator.Each("groups", "The groups, by name, with what the simulation finds of each.",
		groupInputs, func() Group { return Group{CompressionRatio: 1} },
		func(in *ScheduleInput) *map[string]Group { return &in.Groups }),
	calculator.Optional("days", RangeDays, "Days to simulate.",
		func(in *ScheduleInput) *float64 { return &in.Days }),
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"What the link carries, in Mbit/s (10^6 bit/s). Give this or `hourly_throughput_mbps`.",
		func(in *ScheduleInput) **float64 { return &in.ThroughputMbps }),
	calculator.HourList("hourly_throughput_mbps", RangeHourlyThroughputMbps,
		"What the link carries, in Mbit/s, in place of `throughput_mbps`.",
		func(in *ScheduleInput) *[]float64 { return &in.HourlyThroughputMbps }),
	calculator.Absent("max_concurrent_syncs", RangeMaxConcurrentSyncs,
		"Syncs that run at a time; the others wait, the nearest deadline first. Without it there is no limit.",
		func(in *ScheduleInput) **float64 { return &in.MaxConcurrentSyncs }),
	calculator.Switch("start_in_sync",
		"Whether every VM has a recovery point at the start. When false, its initial sync comes first, and it is in "+
			"violation until that has arrived.",
		func(in *ScheduleInput) *bool { return &in.StartInSync }),
}

var groupInputs = calculator.Inputs[Group]{
	calculator.Required("vm_count", RangeScheduleVMCount, "Number of VMs; each is a replication of its own.",
		func(g *Group) *float64 { return &g.VMCount }),
	calculator.Required("vm_size_gib", RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
		func(g *Group) *float64 { return &g.VMSizeGiB }),
	calculator.Required("daily_change_percent", RangeDailyChangePercent,
		"How much of it changes in a day, in percent.",
		func(g *Group) *float64 { return &g.DailyChangePercent }),
	calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
		func(g *Group) *float64 { return &g.RPOMinutes }),
	calculator.HourList("hourly_weights", RangeHourlyWeight,
		"How the day's change is spread; only their proportion counts. Without it, evenly.",
		func(g *Group) *[]float64 { return &g.HourlyWeights }),
	calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of original size to size on the wire.",
		func(g *Group) *float64 { return &g.CompressionRatio }),
}

// totalsRows are the figures that a group and the whole have alike.
func totalsRows[R any](at func(*R) *Totals) calculator.Outputs[R] {
	return calculator.Outputs[R]{
		calculator.Result("compliance_percent",
			"Share of VM-time during which the newest recovery point was within the RPO, in percent. Lateness of less "+
				"than a second does not count.",
			func(r *R) float64 { return at(r).CompliancePercent }),
		calculator.Result("violations", "How often a VM fell out of its RPO.",
			func(r *R) int64 { return at(r).Violations }),
		calculator.Result("violation_minutes", "How long, added up over the VMs, in minutes.",
			func(r *R) float64 { return at(r).ViolationMinutes }),
		calculator.Result("worst_recovery_point_minutes",
			"Greatest age that a newest recovery point reached, in minutes.",
			func(r *R) float64 { return at(r).WorstRecoveryPointMinutes }),
		calculator.Result("p95_sync_seconds", "Duration that 95 % of the syncs stay within, in seconds.",
			func(r *R) float64 { return at(r).P95SyncSeconds }),
		calculator.Result("transferred_gib", "What was sent, in GiB on the wire.",
			func(r *R) float64 { return at(r).TransferredGiB }),
	}
}

var scheduleRows = calculator.Outputs[ScheduleResult]{
	calculator.ResultEach("groups", "", totalsRows(func(t *Totals) *Totals { return t }),
		func(r *ScheduleResult) map[string]Totals { return r.Groups }),
	calculator.Result("link_use_percent", "What was sent against what the link could carry, in percent.",
		func(r *ScheduleResult) float64 { return r.LinkUsePercent }),
	calculator.Result("peak_hour_link_use_percent",
		"What was sent in the busiest hour against what the link could carry in it, in percent.",
		func(r *ScheduleResult) float64 { return r.PeakHourLinkUsePercent }),
	calculator.VerdictRow(scheduleVerdicts, func(r *ScheduleResult) string { return r.Verdict }),
	calculator.Result("throughput_full_compliance_mbps",
		"Smallest throughput without any violation, in Mbit/s, to 1 %; with hourly figures their mean, the profile "+
			"kept. Null if none is enough.",
		func(r *ScheduleResult) *float64 { return r.ThroughputFullComplianceMbps }),
	calculator.Result("throughput_90_percent_compliance_mbps",
		"Smallest throughput with 90 % compliance, in Mbit/s, to 1 %; with hourly figures their mean, the profile "+
			"kept. Null if none is enough.",
		func(r *ScheduleResult) *float64 { return r.Throughput90PercentMbps }),
}
