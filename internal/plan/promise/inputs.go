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

// The bounds of inputs that are not inputs of a schedule's groups.
const (
	maxVMs     = 50000
	maxLinks   = 50
	maxTargets = 50
	maxTiers   = 500
)

// RangeVMCount allows a tier without VMs. The promise of such a tier is unknown.
var RangeVMCount = plan.Range{Min: 0, Max: maxVMs, Whole: true, Unit: "VMs"}

// RangeMovesPercent allows moves that use the whole link.
var RangeMovesPercent = plan.Range{Min: 0, Max: quantity.Percent, Unit: "%"}

var inputs = calculator.Inputs[Plan]{
	calculator.Each("links", "What the syncs go over, by name, 1 to 50, with what they use and need of each. A link is a "+
		"capacity in one direction: two directions of a full-duplex line are two links, a line that both share is one.",
		linkInputs, LinkDefaults,
		func(p *Plan) *map[string]Link { return &p.Links }).Either("a link more carries nothing by itself"),
	calculator.Each("targets", "The storages of the replicas, by name, up to 50, with the need of each. Several links "+
		"may lead to one.", targetInputs, TargetDefaults,
		func(p *Plan) *map[string]Target { return &p.Targets }).
		OrNone().
		Either("a target more holds nothing by itself"),
	calculator.Each("tiers", "The promises, by name, 1 to 500: VMs with one RPO.", tierInputs(), TierDefaults,
		func(p *Plan) *map[string]Tier { return &p.Tiers }).Better(calculator.Lower).Simulates(),
	calculator.Absent("growth_percent_per_year", replication.RangeGrowthPercent,
		"How much all data, and with it its change, grows in a year, in percent.",
		func(p *Plan) **float64 { return &p.GrowthPercentPerYear }).Neutral("the verdict is that of today"),
	calculator.Optional("horizon_months", replication.RangeScheduleHorizonMonths, "How far growth is followed, in months.",
		func(p *Plan) *float64 { return &p.HorizonMonths }).Neutral("the verdict is that of today"),
	calculator.Absent("days", replication.RangeDays,
		"Days to simulate, at least four times the largest RPO. Without it 31, 16 or 8, by the number of syncs.",
		func(p *Plan) **float64 { return &p.Days }).Either("a longer run shows more of what happens"),
	calculator.Absent("runs", replication.RangeRuns,
		"How many times the tiers are simulated. Without it up to 20, by the number of syncs.",
		func(p *Plan) **float64 { return &p.Runs }).Either("more runs show better and worse ones"),
	calculator.Optional("jitter_percent", replication.RangeJitterPercent,
		"By how much of the RPO a start moves at most, in percent, as in `vsla_replication_schedule`. With 0, VMs keep in "+
			"step, and there is one run.",
		func(p *Plan) *float64 { return &p.JitterPercent }).
		Either("earlier starts send more, and keep VMs from starting together"),
	calculator.Absent("max_concurrent_syncs", replication.RangeMaxConcurrentSyncs,
		"Syncs that run at a time on each link; the others wait, the nearest deadline first. Without it there is no limit.",
		func(p *Plan) **float64 { return &p.MaxConcurrentSyncs }).
		Either("fewer syncs at a time are faster each, and the others wait"),
	calculator.Absent("source_read_mbps", replication.RangeStorageMbps,
		"What the storage of the VMs reads, all syncs together, in Mbit/s of uncompressed data. Without it there is no "+
			"limit.",
		func(p *Plan) **float64 { return &p.SourceReadMbps }).Better(calculator.Higher),
}

var linkNumbers = calculator.Inputs[Link]{
	calculator.Absent("throughput_mbps", replication.RangeThroughputMbps,
		"What the link carries, in Mbit/s (10^6 bit/s). Exactly one of this, `hourly_throughput_mbps` and `network` must be "+
			"given.",
		func(l *Link) **float64 { return &l.ThroughputMbps }).WithExample(1000.0).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", replication.RangeEfficiencyPercent,
		"Usable part of the throughput, in percent: 100 for a measured one. A `network` has its own.",
		func(l *Link) *float64 { return &l.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Absent("outage_minutes", replication.RangeOutageMinutes, "How long the link carries nothing, in minutes.",
		func(l *Link) **float64 { return &l.OutageMinutes }).Better(calculator.Lower),
}

var linkInputs = append(slices.Clip(linkNumbers), calculator.Inputs[Link]{
	calculator.HourList("hourly_throughput_mbps", replication.RangeHourlyThroughputMbps,
		"What the link carries, in Mbit/s, in place of `throughput_mbps`.",
		func(l *Link) *[]float64 { return &l.HourlyThroughputMbps }).Better(calculator.Higher),
	calculator.Nested("network", "A path that the throughput is computed from, with the inputs of "+
		"`vsla_link_throughput`. A sync then gets at most what one stream carries, unless its tier has `per_sync_mbps`.",
		lifted(link.Definition.Inputs), link.Defaults,
		func(l *Link) **link.Input { return &l.Network }).
		Either("it takes the place of a throughput"),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Where the throughput is from: `transfer` is the measured rate of whole transfers of this kind (past syncs, a "+
			"calibration), `network` a measured network (iperf and the like), `nominal` the rate of a line. With `transfer` "+
			"and `nominal` the rate that 4 of 5 measurements reached is the worse end: the throughput / 1.14, or / 1.87 at an "+
			"efficiency of at most 70 %. `ranges` take its place.",
		func(l *Link) *string { return &l.ThroughputBasis }).Either("a basis adds a worse end"),
	calculator.Optional("outage_start_hours", replication.RangeOutageStartHours,
		"When the outage begins, in hours from the start of the run. Only with `outage_minutes`.",
		func(l *Link) *float64 { return &l.OutageStartHours }).
		Either("an hour of the day: what changes then decides"),
	calculator.HourList("hourly_moves_percent", RangeMovesPercent,
		"What migrations take of the link, in percent. Every promise is then simulated a second time with the rest, as on a "+
			"day of moves, and has to hold in both.",
		func(l *Link) *[]float64 { return &l.HourlyMovesPercent }).Better(calculator.Lower),
	calculator.Ranges(linkNumbers, func(l *Link) *map[string]calculator.Ends { return &l.Ranges }),
}...)

func lifted[I any](rows calculator.Inputs[I]) calculator.Inputs[I] {
	all := make(calculator.Inputs[I], len(rows))
	for i, row := range rows {
		all[i] = calculator.Of(row, func(in *I) *I { return in })
	}
	return all
}

var targetInputs = calculator.Inputs[Target]{
	calculator.Absent("free_gib", replication.RangeFreeGiB,
		"Free space, in GiB, before any of these replicas are there. Without it, space is not judged.",
		func(t *Target) **float64 { return &t.FreeGiB }).Better(calculator.Higher),
	calculator.Absent("write_mbps", replication.RangeStorageMbps,
		"What the storage writes, all syncs together, in Mbit/s of uncompressed data. Without it there is no limit.",
		func(t *Target) **float64 { return &t.WriteMbps }).Better(calculator.Higher),
	calculator.Optional("write_factor", replication.RangeTargetWriteFactor,
		"Writes for each byte that arrives: it is written, and later merged into the replica. Only with `write_mbps`.",
		func(t *Target) *float64 { return &t.WriteFactor }).Better(calculator.Lower),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Absent("size_gib", replication.RangeVMSizeGiB,
		"Data of the VM, in GiB (2^30 bytes). Null if it is not known: the promise of its tier is unknown then.",
		func(v *VM) **float64 { return &v.SizeGiB }).Better(calculator.Lower),
	calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
		"How much of it changes in a day, in percent, in place of that of the tier.",
		func(v *VM) **float64 { return &v.DailyChangePercent }).Better(calculator.Lower),
	calculator.Absent("seeded_percent", replication.RangeSeededPercent,
		"Part of its initial sync that is at the target already, in percent, in place of that of the tier.",
		func(v *VM) **float64 { return &v.SeededPercent }).Better(calculator.Higher),
}

func ofGroup(name string) calculator.Input[Tier] {
	return calculator.Of(replication.GroupInput(name), func(t *Tier) *replication.Group { return &t.Group })
}

// tierNumbers returns the inputs of a tier that may have a range. The promise itself may not have one.
func tierNumbers() calculator.Inputs[Tier] {
	return calculator.Inputs[Tier]{
		calculator.Absent("vm_count", RangeVMCount, "Number of VMs, all with `vm_size_gib`.",
			func(t *Tier) **float64 { return &t.VMCount }).OrElse("virtual_machines").WithExample(20.0).Better(calculator.Lower),
		calculator.Absent("vm_size_gib", replication.RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
			func(t *Tier) **float64 { return &t.VMSizeGiB }).Together("vm_count").WithExample(100.0).Better(calculator.Lower),
		calculator.Absent("daily_change_percent", replication.RangeDailyChangePercent,
			"How much of the data changes in a day, in percent, for VMs without their own. Its range scales theirs in "+
				"proportion.",
			func(t *Tier) **float64 { return &t.DailyChangePercent }).WithExample(5.0).Better(calculator.Lower),
		ofGroup("peak_factor"),
		ofGroup("compression_ratio"),
		ofGroup("overhead_seconds"),
		ofGroup("quiesce_seconds"),
		calculator.Absent("per_sync_mbps", replication.RangeThroughputMbps,
			"The most that one sync gets, in Mbit/s. Without it there is no limit but link and target.",
			func(t *Tier) **float64 { return &t.PerSyncMbps }).Better(calculator.Higher),
		ofGroup("seeded_percent").Better(calculator.Higher),
	}
}

func tierInputs() calculator.Inputs[Tier] {
	numbers := tierNumbers()
	return append(numbers, calculator.Inputs[Tier]{
		calculator.Each("virtual_machines", "The VMs, by a name that no other tier has: `{ db-01 = { size_gib = 100 } }`. "+
			"Each is simulated as itself.", vmInputs, func() VM { return VM{} },
			func(t *Tier) *map[string]VM { return &t.VirtualMachines }).OrNone().Better(calculator.Lower),
		ofGroup("rpo_minutes"),
		calculator.Absent("target_compliance_percent", replication.RangeTargetCompliancePercent,
			"The least share of time within the RPO of each VM, in percent. Without it, 99.9 is promised, and below 99 is a "+
				"miss.",
			func(t *Tier) **float64 { return &t.TargetCompliancePercent }).Better(calculator.Lower),
		calculator.Choice("link", false, nil, "Name of the link. It may be left out with a single one.",
			func(t *Tier) *string { return &t.Link }).KeyOf("links").Either("a name"),
		calculator.Choice("target", false, nil, "Name of the target; without it, neither space nor writes are counted.",
			func(t *Tier) *string { return &t.Target }).KeyOf("targets").Either("a name"),
		calculator.Absent("deadline_hours", replication.RangeScheduleDeadlineHours,
			"Time in which the initial sync of all VMs of the tier has to end, in hours from a cold start of all tiers.",
			func(t *Tier) **float64 { return &t.DeadlineHours }).Better(calculator.Higher),
		ofGroup("change_curve"),
		ofGroup("hourly_weights"),
		ofGroup("peak_start_hour"),
		calculator.Nested("point_in_time", "Recovery points that are kept besides the newest, as in `vsla_replica_storage`.",
			lifted(replication.PointInTimeInputs), func() replication.PointInTime { return replication.PointInTime{} },
			func(t *Tier) **replication.PointInTime { return &t.PointInTime }).Better(calculator.Lower),
		ofGroup("mechanism"),
		calculator.Ranges(numbers, func(t *Tier) *map[string]calculator.Ends { return &t.Ranges }),
	}...)
}

func (p Plan) moves() bool {
	for _, l := range p.Links {
		if l.mostMoved() > 0 {
			return true
		}
	}
	return false
}

// mostMoved returns the largest hourly share of the link that migrations use, in percent.
func (l Link) mostMoved() float64 {
	most := 0.0
	for _, percent := range l.HourlyMovesPercent {
		most = max(most, percent)
	}
	return most
}

// withMoves returns the link with a limit on the share that migrations use, in percent.
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

func (a *answer) explainMoves(one *Promise, i int, find func(calculator.Reason, ...any)) {
	worst := a.ends[worseEnd|moving]
	switch {
	case one.MovesVerdict == nil:
	case worse(one.LikelyVerdict, *one.MovesVerdict) != one.LikelyVerdict:
		find(reasonMoves, words[*one.MovesVerdict], down(*one.MovesWithinRPOPercent))
	case worst != nil && one.LikelyVerdict == VerdictMeets && *one.WorseEndVerdict == VerdictMeets &&
		worst.Tiers[i].Verdict != VerdictMeets:
		find(reasonMovesWorse, down(worst.Tiers[i].WithinRPOPercent))
	}
}

// fewerMoves returns a remedy with the largest share for migrations, in whole percent, for which the promise holds.
func (a *answer) fewerMoves(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := a.plan.linkOf(a.plan.Tiers[tier])
	given := a.plan.Links[link].mostMoved()
	if given == 0 {
		return nil, nil //nolint:nilnil // no remedy
	}
	most := func(percent float64) (*Remedy, error) {
		sentence := fmt.Sprintf("Let the moves take at most %s%% of the %s (now %s%%).", plan.Number(percent),
			linkNamed(link), plan.Thousands(given, -1))
		if percent == 0 {
			sentence = fmt.Sprintf("Move over another link than the %s.", linkNamed(link))
		}
		return a.helps(ctx, tier, Remedy{
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
