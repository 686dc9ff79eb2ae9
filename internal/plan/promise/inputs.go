package promise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	maxVMs     = 50000
	maxLinks   = 50
	maxTargets = 50
	maxTiers   = 500
)

// RangeVMCount allows a tier without VMs. The verdict on such a tier is VerdictUnknown.
var RangeVMCount = plan.Range{Min: 0, Max: maxVMs, Whole: true, Unit: "VMs"}

// RangeMovesPercent allows migrations to use the whole link.
var RangeMovesPercent = plan.Range{Min: 0, Max: quantity.Percent, Unit: "percent"}

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
	calculator.Absent("growth_percent_per_year", replication.RangeGrowthPercent,
		"Annual growth of all data and of its daily change, in percent.",
		func(p *Plan) **float64 { return &p.GrowthPercentPerYear }).Neutral("the verdict applies to today"),
	calculator.Optional("horizon_months", replication.RangeScheduleHorizonMonths, "Period for which growth is "+
		"evaluated, in months.",
		func(p *Plan) *float64 { return &p.HorizonMonths }).Neutral("the verdict applies to today"),
	calculator.Absent("days", replication.RangeDays,
		"Number of days to simulate, at least four times the largest RPO. By default, 31, 16 or 8 days are simulated, "+
			"depending on the number of syncs.",
		func(p *Plan) **float64 { return &p.Days }).Either("a longer run includes more events"),
	calculator.Absent("runs", replication.RangeRuns,
		"Number of simulation runs. More than one run requires a `jitter_percent` above 0. By default, up to 20 runs "+
			"are simulated, depending on the number of syncs.",
		func(p *Plan) **float64 { return &p.Runs }).Either("more runs include better and worse ones"),
	calculator.Optional("jitter_percent", replication.RangeJitterPercent,
		"Maximum shift of the start of a sync, as a percentage of the RPO, as in `vsla_replication_schedule`. With "+
			"`0`, the syncs of the VMs stay synchronized with each other, and there is only one run.",
		func(p *Plan) *float64 { return &p.JitterPercent }).
		Either("earlier starts send more data, but prevent simultaneous starts"),
	calculator.Absent("max_concurrent_syncs", replication.RangeMaxConcurrentSyncs,
		"Maximum number of concurrent syncs on each link. Further syncs wait, and the sync with the earliest deadline "+
			"starts next. If not set, there is no limit.",
		func(p *Plan) **float64 { return &p.MaxConcurrentSyncs }).
		Either("fewer concurrent syncs are faster, but the others wait"),
	calculator.Absent("source_read_mbps", replication.RangeStorageMbps,
		"Read rate of the source storage for all syncs together, in Mbit/s of uncompressed data. If not set, there is no "+
			"limit.",
		func(p *Plan) **float64 { return &p.SourceReadMbps }).Better(calculator.Higher),
	calculator.Absent("checksum_mbps", replication.RangeStorageMbps,
		"Rate at which seeded data is compared with the source, for all VMs together, in Mbit/s of uncompressed data. If "+
			"not set, the time for the comparison is not evaluated.",
		func(p *Plan) **float64 { return &p.ChecksumMbps }).Better(calculator.Higher),
}

var linkNumbers = calculator.Inputs[Link]{
	calculator.Absent("throughput_mbps", replication.RangeThroughputMbps,
		"Throughput of the link, in Mbit/s (10^6 bit/s). Exactly one of this, `hourly_throughput_mbps` and `network` is "+
			"required.",
		func(l *Link) **float64 { return &l.ThroughputMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", replication.RangeEfficiencyPercent,
		"Usable share of the throughput, in percent. Use 100 for a measured throughput. Conflicts with `network`, which "+
			"has its own efficiency.",
		func(l *Link) *float64 { return &l.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Absent("outage_minutes", replication.RangeOutageMinutes, "Duration of an outage of the link, in minutes.",
		func(l *Link) **float64 { return &l.OutageMinutes }).Better(calculator.Lower),
}

var linkInputs = append(slices.Clip(linkNumbers), calculator.Inputs[Link]{
	calculator.HourList("hourly_throughput_mbps", replication.RangeHourlyThroughputMbps,
		"Throughput of the link by hour of the day, in Mbit/s. Conflicts with `throughput_mbps`.",
		func(l *Link) *[]float64 { return &l.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Nested("network", "Network path from which the throughput is calculated, with the inputs of "+
		"`vsla_link_throughput`. A sync is limited to the throughput of one stream, unless its tier has `per_sync_mbps`.",
		lift(link.Definition.Inputs), link.Defaults,
		func(l *Link) **link.Input { return &l.Network }).
		Either("it replaces a throughput"),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of the throughput: `transfer` (measured transfers of the same kind, such as past syncs or a "+
			"calibration), `network` (measured with iperf or similar) or `nominal` (nominal rate of the line). Determines "+
			"the worse end of the throughput, which 4 of 5 measurements reached or exceeded. With `transfer`, it is the "+
			"throughput divided by 1.14. With `nominal`, it is the throughput at an efficiency of at most 70%, divided by "+
			"1.87. With `network`, there is no worse end. Ranges of the throughput or the efficiency override the worse "+
			"end. Conflicts with the block `network`, which has its own basis.",
		func(l *Link) *string { return &l.ThroughputBasis }).Either("a basis adds a worse end"),
	calculator.Optional("outage_start_hours", replication.RangeOutageStartHours,
		"Start of the outage, in hours from the start of the run. Requires `outage_minutes`.",
		func(l *Link) *float64 { return &l.OutageStartHours }).
		Either("the effect depends on the changes at that time"),
	calculator.HourList("hourly_moves_percent", RangeMovesPercent,
		"Share of the link that migrations use by hour of the day, in percent. All promises are then also simulated "+
			"with the remaining throughput, and must be met in both simulations.",
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
	calculator.Absent("free_gib", replication.RangeFreeGiB,
		"Free space of the target before any of the replicas are stored on it, in GiB. If not set, space is not "+
			"evaluated.",
		func(t *Target) **float64 { return &t.FreeGiB }).Better(calculator.Higher),
	calculator.Absent("write_mbps", replication.RangeStorageMbps,
		"Write rate of the target for all syncs together, in Mbit/s of uncompressed data. If not set, there is no "+
			"limit.",
		func(t *Target) **float64 { return &t.WriteMbps }).Better(calculator.Higher),
	calculator.Optional("write_factor", replication.RangeTargetWriteFactor,
		"Number of times that the target writes each replicated byte. By default, each byte is written once and later "+
			"merged into the replica. Requires `write_mbps`.",
		func(t *Target) *float64 { return &t.WriteFactor }).Better(calculator.Lower),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Absent("size_gib", replication.RangeVMSizeGiB,
		"Data of the VM, in GiB (2^30 bytes). If null, the size is unknown, and the verdict on the tier is at best "+
			"`unknown`.",
		func(v *VM) **float64 { return &v.SizeGiB }).Better(calculator.Lower),
	calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
		"Data that changes per day, as a percentage of the size of the VM. Defaults to the value of the tier.",
		func(v *VM) **float64 { return &v.DailyChangePercent }).Better(calculator.Lower),
	calculator.Absent("seeded_percent", replication.RangeSeededPercent,
		"Share of the data that is already at the target before the initial sync, in percent. Defaults to the value of "+
			"the tier.",
		func(v *VM) **float64 { return &v.SeededPercent }).Better(calculator.Higher),
}

func groupInput(name string) calculator.Input[Tier] {
	return calculator.Of(replication.GroupInput(name), func(t *Tier) *replication.Group { return &t.Group })
}

// tierNumbers returns the inputs of a tier that can have ranges. The promise itself cannot have a range.
func tierNumbers() calculator.Inputs[Tier] {
	return calculator.Inputs[Tier]{
		calculator.Absent("vm_count", RangeVMCount, "Number of VMs, each with the size `vm_size_gib`.",
			func(t *Tier) **float64 { return &t.VMCount }).OrElse("virtual_machines").Better(calculator.Lower),
		calculator.Absent("vm_size_gib", replication.RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
			func(t *Tier) **float64 { return &t.VMSizeGiB }).Together("vm_count").Better(calculator.Lower),
		calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
			"Data that changes per day, as a percentage of the size of each VM, for VMs without their own value. A range "+
				"of this input also scales the values of individual VMs.",
			func(t *Tier) **float64 { return &t.DailyChangePercent }).Better(calculator.Lower),
		groupInput("peak_factor"),
		groupInput("compression_ratio"),
		groupInput("overhead_seconds"),
		groupInput("quiesce_seconds"),
		calculator.Absent("per_sync_mbps", replication.RangeThroughputMbps,
			"Maximum rate of one sync, in Mbit/s. If not set, only the link and the target limit it.",
			func(t *Tier) **float64 { return &t.PerSyncMbps }).Better(calculator.Higher),
		groupInput("seeded_percent").Better(calculator.Higher),
	}
}

func tierInputs() calculator.Inputs[Tier] {
	numbers := tierNumbers()
	return append(numbers, calculator.Inputs[Tier]{
		calculator.Each("virtual_machines", "VMs of the tier, by a name that is unique across all tiers, such as `{ db-01 "+
			"= { size_gib = 100 } }`. Each VM is simulated individually.", vmInputs, func() VM { return VM{} },
			func(t *Tier) *map[string]VM { return &t.VirtualMachines }).OrNone().Better(calculator.Lower),
		groupInput("rpo_minutes"),
		calculator.Absent("target_compliance_percent", replication.RangeTargetCompliancePercent,
			"Promised share of time within the RPO for each VM, in percent. If not set, the promise is kept at 99.9 percent "+
				"or more and missed below 99 percent.",
			func(t *Tier) **float64 { return &t.TargetCompliancePercent }).Better(calculator.Lower),
		calculator.Choice("link", false, nil, "Name of the link. Required if there are several links.",
			func(t *Tier) *string { return &t.Link }).KeyOf("links").Either("a name"),
		calculator.Choice("target", false, nil, "Name of the target. If not set, space and writes are not evaluated.",
			func(t *Tier) *string { return &t.Target }).KeyOf("targets").Either("a name"),
		calculator.Absent("deadline_hours", replication.RangeScheduleDeadlineHours,
			"Time within which the initial sync of all VMs of the tier must be complete, in hours after the initial syncs "+
				"of all tiers start together.",
			func(t *Tier) **float64 { return &t.DeadlineHours }).Better(calculator.Higher),
		groupInput("change_curve"),
		groupInput("hourly_weights"),
		groupInput("peak_start_hour"),
		calculator.Nested("point_in_time", "Point-in-time instances to keep in addition to the newest recovery point, as "+
			"in `vsla_replica_storage`.",
			lift(replication.PointInTimeInputs), func() replication.PointInTime { return replication.PointInTime{} },
			func(t *Tier) **replication.PointInTime { return &t.PointInTime }).Better(calculator.Lower),
		groupInput("mechanism").Either("limits of vSphere Replication do not apply to a protection group"),
		calculator.Ranges(numbers, func(t *Tier) *map[string]calculator.Ends { return &t.Ranges }),
	}...)
}

func (p Plan) hasMoves() bool {
	for _, l := range p.Links {
		if l.maxMovesPercent() > 0 {
			return true
		}
	}
	return false
}

func (l Link) maxMovesPercent() float64 {
	most := 0.0
	for _, percent := range l.HourlyMovesPercent {
		most = max(most, percent)
	}
	return most
}

func (l Link) withMoves(most float64) Link {
	hours := slices.Clone(l.HourlyMovesPercent)
	for h := range hours {
		hours[h] = min(hours[h], most)
	}
	if l.HourlyMovesPercent = hours; most == 0 {
		l.HourlyMovesPercent = nil
	}
	return l
}

func (ev *evaluation) explainMoves(one *Promise, i int, find func(calculator.Reason, ...any)) {
	worst := ev.results[worseEnd|whileMoving]
	switch {
	case one.MovesVerdict == nil:
	case worseVerdict(one.LikelyVerdict, *one.MovesVerdict) != one.LikelyVerdict:
		find(reasonMoves, verdictWords[*one.MovesVerdict], formatShare(*one.MovesWithinRPOPercent))
	case worst != nil && one.LikelyVerdict == VerdictMeets && *one.WorseEndVerdict == VerdictMeets &&
		worst.Tiers[i].Verdict != VerdictMeets:
		find(reasonMovesWorse, formatShare(worst.Tiers[i].WithinRPOPercent))
	}
}

func (ev *evaluation) movesRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := ev.plan.linkOf(ev.plan.Tiers[tier])
	given := ev.plan.Links[link].maxMovesPercent()
	if given == 0 {
		return nil, nil //nolint:nilnil // no remedy
	}
	most := func(percent float64) (*Remedy, error) {
		sentence := fmt.Sprintf("Limit migrations to %s%% of the %s (now %s%%).", plan.Number(percent),
			linkText(link), plan.Thousands(given, -1))
		if percent == 0 {
			sentence = fmt.Sprintf("Migrate over a link other than the %s.", linkText(link))
		}
		return ev.confirm(ctx, tier, Remedy{
			Kind: RemedyMoves, At: link, Value: &percent, VirtualMachines: []string{}, Sentence: sentence,
		})
	}
	found, err := most(0)
	for fails := math.Ceil(given); err == nil && found != nil && fails-*found.Value > 1; {
		middle := math.Floor((fails + *found.Value) / 2)
		var r *Remedy
		if r, err = most(middle); r != nil {
			found = r
		} else {
			fails = middle
		}
	}
	return found, err
}
