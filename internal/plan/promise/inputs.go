package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
)

const (
	maxVMs = 100000
)

var inputs = calculator.Inputs[Plan]{
	calculator.Each("links", "Links over which VMs are replicated, by name, with their use and the throughput that "+
		"they need. Must have 1 to 50 elements. A link transfers data in one direction. Specify a full-duplex line as "+
		"two links, and a line whose directions share the bandwidth as one link.",
		linkInputs, LinkDefaults,
		func(p *Plan) *map[string]Link { return &p.Links }).Either("a link without tiers has no effect"),
	calculator.Each("targets", "Storage targets of the replicas, by name, with the space that the replicas need. Must "+
		"have at most 50 elements. Several links can lead to the same target.", targetInputs, TargetDefaults,
		func(p *Plan) *map[string]Target { return &p.Targets }).
		OrNone().
		Either("a target without tiers has no effect"),
	calculator.Each("tiers", "Tiers, by name. A tier is a set of VMs with the same RPO. Must have 1 to 500 "+
		"elements.", tierInputs(), TierDefaults,
		func(p *Plan) *map[string]Tier { return &p.Tiers }).Better(calculator.Lower).Simulates(),
	calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
		"Annual growth of all data and of its daily change, in percent.",
		func(p *Plan) **float64 { return &p.GrowthPercentPerYear }).Neutral("the verdict applies to today"),
	calculator.Optional("horizon_months", RangeHorizonMonths, "Period for which growth is "+
		"evaluated, in months.",
		func(p *Plan) *float64 { return &p.HorizonMonths }).Neutral("the verdict applies to today"),
	calculator.Optional("jitter_percent", RangeJitterPercent,
		"Maximum share of the configured RPO by which a sync starts early, in percent.",
		func(p *Plan) *float64 { return &p.JitterPercent }).Better(calculator.Lower),
	calculator.Absent("max_concurrent_syncs", RangeMaxConcurrentSyncs,
		"Maximum number of concurrent syncs on each link. Further syncs wait, and the sync with the earliest deadline "+
			"starts next. If not set, there is no limit.",
		func(p *Plan) **float64 { return &p.MaxConcurrentSyncs }).
		Either("fewer concurrent syncs are faster, but the others wait"),
	calculator.Absent("source_read_mbps", RangeStorageMbps,
		"Read rate of the source storage for all syncs together, in Mbit/s of uncompressed data. If not set, there "+
			"is no limit.",
		func(p *Plan) **float64 { return &p.SourceReadMbps }).Better(calculator.Higher),
	calculator.Absent("checksum_mbps", RangeStorageMbps,
		"Rate at which seeded data is compared with the source, for all VMs together, in Mbit/s of uncompressed "+
			"data. If not set, the time for the comparison is not evaluated.",
		func(p *Plan) **float64 { return &p.ChecksumMbps }).Better(calculator.Higher),
}

var linkNumbers = calculator.Inputs[Link]{
	calculator.Absent("throughput_mbps", RangeThroughputMbps,
		"Throughput of the link, in Mbit/s (10^6 bit/s). Exactly one of this, `hourly_throughput_mbps`, `network` "+
			"and `measured` is required.",
		func(l *Link) **float64 { return &l.ThroughputMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
		"Usable share of the throughput, in percent. Use 100 for a measured throughput. Conflicts with `network`, "+
			"which has its own efficiency.",
		func(l *Link) *float64 { return &l.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Absent("outage_minutes", RangeOutageMinutes, "Duration of an outage of the link, in minutes.",
		func(l *Link) **float64 { return &l.OutageMinutes }).Better(calculator.Lower),
}

var linkInputs = append(slices.Clip(linkNumbers), calculator.Inputs[Link]{
	calculator.HourList("hourly_throughput_mbps", RangeHourlyThroughputMbps,
		"Throughput of the link by hour of the day, in Mbit/s. Conflicts with `throughput_mbps`.",
		func(l *Link) *[]float64 { return &l.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Nested("network", "Network path from which the throughput is calculated, with the inputs of "+
		"`vsla_link_throughput`. A sync is limited to the throughput of one stream, unless its tier has "+
		"`per_sync_mbps`.",
		lift(link.Definition.Inputs), link.Defaults,
		func(l *Link) **link.Input { return &l.Network }).
		Either("it replaces a throughput"),
	calculator.Nested(inputMeasured, "Result of `vsla_replication_link`, which has the throughput that the appliances "+
		"measured. Its basis is `network`. Its source and its age are listed in `assumed`.",
		measuredInputs, func() Measurement { return Measurement{} },
		func(l *Link) **Measurement { return &l.Measured }).
		Either("it replaces a throughput"),
	calculator.Optional("max_age_days", RangeAgeDays,
		"Age up to which `measured` is relied on, in days. With an older measurement, a promise is at best `at_risk`.",
		func(l *Link) *float64 { return &l.MaxAgeDays }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of the throughput: `transfer` (measured transfers of the same kind, such as past syncs or a "+
			"calibration), `network` (measured with iperf or similar) or `nominal` (nominal rate of the line). "+
			"Determines the worse end of the throughput, which 4 of 5 measurements reached or exceeded. With "+
			"`transfer` and `network`, it is the throughput divided by 1.14. With `nominal` and without a basis, it "+
			"is the throughput at an efficiency of at most 70%, divided by 1.87. Ranges of the throughput or the "+
			"efficiency override the worse end. Conflicts with `network` and `measured`, which have a basis of their "+
			"own.",
		func(l *Link) *string { return &l.ThroughputBasis }).Either("a measured basis has a better worse end"),
	calculator.Optional("outage_start_hours", RangeOutageStartHours,
		"Start of the outage, in hours from the start of the run. Requires `outage_minutes`.",
		func(l *Link) *float64 { return &l.OutageStartHours }).
		Either("the effect depends on the changes at that time"),
	calculator.HourList("hourly_moves_percent", RangeMovesPercent,
		"Share of the link that migrations use by hour of the day, in percent. All promises are then also simulated "+
			"with the remaining throughput, and must hold in both simulations.",
		func(l *Link) *[]float64 { return &l.HourlyMovesPercent }).Better(calculator.Lower),
	calculator.Ranges(linkNumbers, func(l *Link) *map[string]calculator.Ends { return &l.Ranges }),
}...)

func lift[I any](rows calculator.Inputs[I]) calculator.Inputs[I] {
	all := make(calculator.Inputs[I], len(rows))
	for i, row := range rows {
		all[i] = calculator.Of(row, func(in *I) *I { return in })
	}
	return all
}

var targetInputs = calculator.Inputs[Target]{
	calculator.Absent("free_gib", RangeFreeGiB,
		"Free space of the target before any of the replicas are stored on it, in GiB. If not set, space is not "+
			"evaluated.",
		func(t *Target) **float64 { return &t.FreeGiB }).Better(calculator.Higher),
	calculator.Absent("write_mbps", RangeStorageMbps,
		"Write rate of the target for all syncs together, in Mbit/s of uncompressed data. If not set, there is no "+
			"limit.",
		func(t *Target) **float64 { return &t.WriteMbps }).Better(calculator.Higher),
	calculator.Optional("write_factor", RangeTargetWriteFactor,
		"Number of times that the target writes each replicated byte. By default, each byte is written once and later "+
			"merged into the replica. Requires `write_mbps`.",
		func(t *Target) *float64 { return &t.WriteFactor }).Better(calculator.Lower),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Choice("id", false, nil, "ID of the VM, such as `vm-42`, by which other results and `vsla gate` find "+
		"it. By default, they find it by its name.",
		func(v *VM) *string { return &v.ID }).Neutral("it identifies the VM"),
	calculator.Absent("size_gib", RangeVMSizeGiB,
		"Data of the VM, in GiB (2^30 bytes). If null, the size is unknown, and the verdict on the tier is at best "+
			"`unknown`.",
		func(v *VM) **float64 { return &v.SizeGiB }).Better(calculator.Lower),
	calculator.Absent("daily_change_percent", RangeDailyChangePercent,
		"Data that changes per day, as a percentage of the size of the VM. Defaults to the value of the tier.",
		func(v *VM) **float64 { return &v.DailyChangePercent }).Better(calculator.Lower),
	calculator.Absent("seeded_percent", RangeSeededPercent,
		"Share of the data that is already at the target before the initial sync, in percent. Defaults to the value "+
			"of the tier.",
		func(v *VM) **float64 { return &v.SeededPercent }).Better(calculator.Higher),
}

// tierNumbers returns the inputs of a tier that can have ranges. The promise itself cannot have a range.
func tierNumbers() calculator.Inputs[Tier] {
	return calculator.Inputs[Tier]{
		calculator.Absent("vm_count", RangeVMCount, "Number of VMs, each with the size `vm_size_gib`.",
			func(t *Tier) **float64 { return &t.VMCount }).OrElse("virtual_machines").Better(calculator.Lower),
		calculator.Absent("vm_size_gib", RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
			func(t *Tier) **float64 { return &t.VMSizeGiB }).Together("vm_count").Better(calculator.Lower),
		calculator.Absent(
			inputChange,
			RangeDailyChangePercent,
			"Data that changes per day, as a percentage of the size of each VM, for VMs without their own value. A "+
				"range of this input also scales the values of individual VMs.",
			func(t *Tier) **float64 { return &t.DailyChangePercent },
		).Better(calculator.Lower),
		calculator.Absent(
			inputPeak,
			RangePeakFactor,
			"Ratio of the change rate in the busiest time to the daily mean. Conflicts with `hourly_weights`. The "+
				"busiest time starts at `peak_start_hour` and lasts for 1,440 / `peak_factor` minutes. No data "+
				"changes outside it. If neither this nor `hourly_weights` nor `change_curve` is set, the likely "+
				"value is 3, and the value at the worse end is 1,440 / `rpo_minutes`, but at least 3: the change of "+
				"a whole day within one RPO.",
			func(t *Tier) **float64 { return &t.PeakFactor },
		).Better(calculator.Lower),
		calculator.Optional("compression_ratio", RangeCompressionRatio,
			"Ratio of the original size to the size on the wire.",
			func(t *Tier) *float64 { return &t.CompressionRatio }).Better(calculator.Higher),
		calculator.Optional("overhead_seconds", RangeOverheadSeconds,
			"Fixed overhead before the data of a sync is sent, in seconds. Does not apply to the initial sync.",
			func(t *Tier) *float64 { return &t.OverheadSeconds }).Better(calculator.Lower),
		calculator.Optional("quiesce_seconds", RangeOverheadSeconds,
			"Time to quiesce the VM before the data of a sync is sent, in seconds. Added to `overhead_seconds`. Does "+
				"not apply to the initial sync. With quiescing, at least 15 minutes are configured.",
			func(t *Tier) *float64 { return &t.QuiesceSeconds }).Better(calculator.Lower),
		calculator.Absent("per_sync_mbps", RangeThroughputMbps,
			"Maximum rate of one sync, in Mbit/s. If not set, only the link and the target limit it.",
			func(t *Tier) **float64 { return &t.PerSyncMbps }).Better(calculator.Higher),
		calculator.Optional("seeded_percent", RangeSeededPercent,
			"Share of the data that is already at the target before the initial sync, in percent.",
			func(t *Tier) *float64 { return &t.SeededPercent }).Better(calculator.Higher),
	}
}

func tierInputs() calculator.Inputs[Tier] {
	numbers := tierNumbers()
	return append(numbers, calculator.Inputs[Tier]{
		calculator.Each("virtual_machines", "VMs of the tier, by a name that is unique across all tiers, such as `{ "+
			"db-01 = { size_gib = 100 } }`. Each VM is simulated individually.", vmInputs, func() VM { return VM{} },
			func(t *Tier) *map[string]VM { return &t.VirtualMachines }).OrNone().Better(calculator.Lower),
		calculator.Required("rpo_minutes", RangeRPOMinutes,
			"Promised RPO, in minutes: the maximum age of the newest recovery point that users are promised.",
			func(t *Tier) *float64 { return &t.RPOMinutes }).Better(calculator.Higher),
		calculator.Absent("configured_rpo_minutes", RangeRPOMinutes,
			"RPO that vSphere Replication is configured with, in minutes. If not set, the longest setting that keeps "+
				"the promise is used.",
			func(t *Tier) **float64 { return &t.ConfiguredRPOMinutes }).
			Either("a shorter setting has younger recovery points, but more syncs"),
		calculator.Optional("min_configured_rpo_minutes", RangeRPOMinutes,
			"Shortest RPO that can be configured, in minutes: 1 with enhanced replication. With quiescing, it is at "+
				"least 15.",
			func(t *Tier) *float64 { return &t.MinConfiguredRPOMinutes }).Better(calculator.Lower),
		calculator.Choices("assumed_inputs", AssumableInputs,
			"Names of inputs of this tier whose values are not known, but were filled in by a tool. A promise that "+
				"holds with them is at best `at_risk`. Remove a name when its value is known.",
			func(t *Tier) *[]string { return &t.AssumedInputs }).Either("it states what is known"),
		calculator.Absent("target_compliance_percent", RangeTargetCompliancePercent,
			"Promised share of time within the RPO for each VM, in percent, with a given `configured_rpo_minutes`. "+
				"If not set, the promise is kept at 99.9 percent or more and missed below 99 percent.",
			func(t *Tier) **float64 { return &t.TargetCompliancePercent }).Better(calculator.Lower),
		calculator.Absent("max_outage_rpo_minutes", RangeOutageRPOMinutes,
			"Maximum age of a recovery point that is promised for the outage of the link, in minutes. If not set, "+
				"nothing is promised about outages.",
			func(t *Tier) **float64 { return &t.MaxOutageRPOMinutes }).Better(calculator.Higher),
		calculator.Choice("link", false, nil, "Name of the link. Required if there are several links.",
			func(t *Tier) *string { return &t.Link }).KeyOf("links").Either("a name"),
		calculator.Choice("target", false, nil, "Name of the target. If not set, space and writes are not evaluated.",
			func(t *Tier) *string { return &t.Target }).KeyOf("targets").Either("a name"),
		calculator.Absent("deadline_hours", RangeDeadlineHours,
			"Time within which the initial sync of all VMs of the tier must be complete, in hours after the initial "+
				"syncs of all tiers start together.",
			func(t *Tier) **float64 { return &t.DeadlineHours }).Better(calculator.Higher),
		calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
			"Change of one VM in GiB, by interval in minutes, such as `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. A sync "+
				"sends the change for the time since the start of the previous sync, with each minute weighted by "+
				"`hourly_weights`.",
			func(t *Tier) *map[float64]float64 { return &t.ChangeCurve }).Better(calculator.Lower),
		calculator.HourList("hourly_weights", RangeHourlyWeight,
			"Distribution of the daily change over the hours. Only the proportions of the numbers matter. All hourly "+
				"lists must use the same time zone. The lists of `vsla_change_rates` are in UTC.",
			func(t *Tier) *[]float64 { return &t.HourlyWeights }).Either("only the proportions matter"),
		calculator.Absent("peak_start_hour", RangePeakStartHour,
			"Start of the busiest time, in hours from midnight, in the time zone of the hourly lists. If not set, it "+
				"is likely to be 8, and at the worse end, the link is slowest at that time. Has no effect without a "+
				"peak factor.",
			func(t *Tier) **float64 { return &t.PeakStartHour }).
			Either("the effect depends on the other traffic at that time"),
		calculator.Nested("point_in_time", "Point-in-time instances to keep in addition to the newest recovery point.",
			PointInTimeInputs, func() PointInTime { return PointInTime{} },
			func(t *Tier) **PointInTime { return &t.PointInTime }).Better(calculator.Lower),
		calculator.Choice("mechanism", false, Mechanisms,
			"Replication mechanism: `vsphere_replication`, or `protection_group` for vSAN Data Protection, whose "+
				"scheduler is not documented. Defaults to `vsphere_replication`.",
			func(t *Tier) *string { return &t.Mechanism }).
			Either("limits of vSphere Replication do not apply to a protection group"),
		calculator.Ranges(numbers, func(t *Tier) *map[string]calculator.Ends { return &t.Ranges }),
	}...)
}

// PointInTimeInputs describes the inputs of PointInTime.
var PointInTimeInputs = calculator.Inputs[PointInTime]{
	calculator.Required("instances_per_day", RangeInstances,
		"Number of instances to keep per day. The instances cannot be closer together than the RPO.",
		func(p *PointInTime) *float64 { return &p.InstancesPerDay }).Better(calculator.Lower),
	calculator.Required("days", RangeInstances, "Number of days to keep instances.",
		func(p *PointInTime) *float64 { return &p.Days }).Better(calculator.Lower),
}
