// Package promise determines whether the promises to tiers of VMs can be met on the links and targets that the tiers
// share. It simulates every VM individually.
package promise

import (
	"context"
	"maps"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// Plan describes the promises to tiers of VMs and the links and targets that the tiers share.
type Plan struct {
	// Links contains at least one link, by name. Each link has one direction.
	Links map[string]Link
	// Targets contains the storage that holds the replicas, by name. Several links can lead to the same target.
	Targets map[string]Target
	// Tiers contains at least one tier, by name.
	Tiers map[string]Tier
	// GrowthPercentPerYear is the annual growth of data and change; nil for none. HorizonMonths limits how far growth is
	// projected.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
	// Days is the length of a simulation run, and Runs is the number of runs. The default of each depends on the number of
	// syncs.
	Days, Runs *float64
	// JitterPercent is the maximum random shift of sync starts, as a percentage of the RPO.
	JitterPercent float64
	// MaxConcurrentSyncs is the maximum number of concurrent syncs on each link; nil for no limit.
	MaxConcurrentSyncs *float64
	// SourceReadMbps is the rate at which all syncs together can read from the source storage, in 10^6 bit/s of
	// uncompressed data; nil for no limit.
	SourceReadMbps *float64
	// ChecksumMbps is the rate at which seeded data is compared, for all VMs together, in 10^6 bit/s of uncompressed data;
	// nil for no comparison.
	ChecksumMbps *float64

	callbacks Callbacks
}

// Link is a network link in one direction.
type Link struct {
	// ThroughputMbps is the throughput in 10^6 bit/s. It is nil if HourlyThroughputMbps is set (24 numbers from midnight),
	// or if the throughput is computed from Network.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	Network              *link.Input
	// EfficiencyPercent is the usable share of the throughput.
	EfficiencyPercent float64
	// ThroughputBasis is one of plan.Bases; empty if unknown.
	ThroughputBasis string
	// OutageMinutes is the duration of an outage that begins OutageStartHours after the start of the simulation; nil
	// for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// HourlyMovesPercent is the percentage of the link that migrations use in each hour of the day (24 numbers); nil
	// for no migrations.
	HourlyMovesPercent []float64
	// Ranges are the bounds of uncertain inputs, by input name. The input itself is the likely value.
	Ranges map[string]calculator.Ends
}

// Target is the storage that holds replicas.
type Target struct {
	// FreeGiB is the free space; nil if unknown.
	FreeGiB *float64
	// WriteMbps is the write rate in 10^6 bit/s of uncompressed data; nil for no limit.
	WriteMbps *float64
	// WriteFactor is the number of bytes written per byte received.
	WriteFactor float64
}

// Tier is a group of VMs that share a promise.
type Tier struct {
	// VirtualMachines are the VMs by name; nil if the VMs are identical and described by VMCount and VMSizeGiB.
	VirtualMachines    map[string]VM
	VMCount, VMSizeGiB *float64
	// Link and Target are names. An empty Link selects the only link; an empty Target means no target.
	Link, Target string
	// TargetCompliancePercent is the promised percentage of time within the RPO for each VM. If it is nil, the
	// documented thresholds of the verdicts apply.
	TargetCompliancePercent *float64
	// DeadlineHours is the time after a cold start of all tiers by which the tier's initial sync must be complete; nil for
	// no deadline.
	DeadlineHours *float64
	// DailyChangePercent is the daily change of VMs that have no value of their own. It is nil if ChangeCurve is set or
	// each VM has a value.
	DailyChangePercent *float64
	// PerSyncMbps is the maximum rate of one sync; nil if only the link and the target limit it.
	PerSyncMbps *float64
	// PointInTime describes the recovery points that are kept in addition to the newest; nil for none.
	PointInTime *replication.PointInTime
	// Ranges are the bounds of uncertain inputs, by input name. The input itself is the likely value.
	Ranges map[string]calculator.Ends
	// Group contains the inputs of a schedule's group, except the number, size and change of its VMs. RPOMinutes is the
	// promised RPO.
	replication.Group
}

// VM is a VM of a tier.
type VM struct {
	// SizeGiB is the size of the data in GiB (2^30 bytes). If it is nil (unknown), the verdict on the tier is
	// VerdictUnknown.
	SizeGiB *float64
	// DailyChangePercent and SeededPercent override the tier's values; nil for no override.
	DailyChangePercent, SeededPercent *float64
}

// Ends are the bounds of an uncertain input.
type Ends = calculator.Ends

// Defaults returns the default plan.
func Defaults() Plan {
	schedule := replication.ScheduleDefaults()
	return Plan{JitterPercent: schedule.JitterPercent, HorizonMonths: schedule.HorizonMonths}
}

// LinkDefaults returns the default link.
func LinkDefaults() Link {
	return Link{EfficiencyPercent: quantity.Percent, OutageStartHours: replication.ScheduleDefaults().OutageStartHours}
}

// TargetDefaults returns the default target, which writes each received byte twice.
func TargetDefaults() Target { return Target{WriteFactor: 2} }

// TierDefaults returns the default tier.
func TierDefaults() Tier { return Tier{Group: replication.GroupDefaults()} }

// LinkInputs returns the inputs of a link.
func LinkInputs() calculator.Inputs[Link] { return linkInputs }

// TargetInputs returns the inputs of a target.
func TargetInputs() calculator.Inputs[Target] { return targetInputs }

// TierInputs returns the inputs of a tier.
func TierInputs() calculator.Inputs[Tier] { return tierInputs() }

// Callbacks contains callbacks that report the progress of a computation.
type Callbacks struct {
	// Runs is called after each simulation run with the number of completed runs and the total number of runs. It can be
	// nil.
	Runs func(done, all int)
	// Partial is called by Compute with the verdicts before needs, growth and remedies are computed, and again once the
	// needs are known. It can be nil.
	Partial func(Result)
}

// WithCallbacks returns the plan with callbacks for its computation.
func (p Plan) WithCallbacks(w Callbacks) Plan {
	p.callbacks = w
	return p
}

func (ev *evaluation) reportPartial() {
	if ev.plan.callbacks.Partial == nil {
		return
	}
	early := *ev
	early.result.Promises, early.result.Links = maps.Clone(ev.result.Promises), maps.Clone(ev.result.Links)
	early.explain()
	ev.plan.callbacks.Partial(early.result)
}

// Needs computes the verdicts and the throughput that each link needs.
func Needs(ctx context.Context, p Plan) (Result, error) {
	ev, err := p.evaluate(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := ev.setNeeds(ctx); err != nil {
		return Result{}, err
	}
	ev.explain()
	return ev.result, nil
}

// MeanMbps returns the mean throughput of a link in Mbit/s, or 0 for an invalid link.
func (l Link) MeanMbps() float64 {
	if l.check(nil).Err() != nil {
		return 0
	}
	return l.capacity().mean()
}

var linkRows = calculator.Outputs[LinkResult]{
	calculator.Result("mean_throughput_mbps", "Mean throughput of the link over the day, before `efficiency_percent` "+
		"is applied, in Mbit/s.",
		func(r *LinkResult) *float64 { return &r.ThroughputMbps }),
	calculator.Result("use_percent", "Data sent, as a percentage of the capacity of the link.",
		func(r *LinkResult) *float64 { return &r.UsePercent }),
	calculator.Result("busiest_hour_percent", "Data sent in the busiest hour of the run, as a percentage of the "+
		"capacity of the link.",
		func(r *LinkResult) *float64 { return &r.BusiestHourPercent }),
	calculator.Result("hourly_use_percent", "Mean of the data sent in each hour of the day, as a percentage of the "+
		"capacity of the link. List of 24 numbers.",
		func(r *LinkResult) *[]float64 { return &r.HourlyUsePercent }),
	calculator.Result("throughput_needed_mbps",
		"Smallest throughput at which every promise on the link, including deadlines, is met at the worse end of "+
			"uncertain inputs, in Mbit/s, accurate to 1%. All other inputs are unchanged. Like `throughput_mbps`, it is "+
			"the specified throughput. A worse end of the link is scaled in proportion. Null if `needed_limited_by` is "+
			"set or no tier uses the link.",
		func(r *LinkResult) **float64 { return &r.ThroughputNeededMbps }),
	calculator.ResultOf("needed_limited_by",
		"Limit that a higher throughput of this link cannot remove: `target` (space or writes), `per_sync`, `overhead`, "+
			"`other_link`, `source_read`, `moves`, or `unknown` (a promise cannot be evaluated, or no single limit is the "+
			"cause). Null if there is no such limit.",
		[]string{
			LimitedByTarget, LimitedByPerSync, LimitedByOverhead, LimitedByOtherLink, LimitedBySource, LimitedByMoves,
			LimitedByUnknown,
		},
		func(r *LinkResult) **string { return &r.NeededLimitedBy }),
	calculator.Result("headroom_percent",
		"Share of the throughput above `throughput_needed_mbps`, in percent. Negative if the throughput is too low. Null "+
			"if `throughput_needed_mbps` is null.",
		func(r *LinkResult) **float64 { return &r.HeadroomPercent }),
	calculator.Result("promises", "Names of the tiers that use the link, sorted.",
		func(r *LinkResult) *[]string { return &r.Promises }),
}

var targetRows = calculator.Outputs[TargetResult]{
	calculator.Result("needed_gib", "Space of all replicas on the target, in GiB.",
		func(r *TargetResult) *float64 { return &r.NeededGiB }),
	calculator.Result("free_after_gib",
		"Remaining free space, in GiB. Negative if there is too little space. Null without `free_gib`.",
		func(r *TargetResult) **float64 { return &r.FreeAfterGiB }),
	calculator.Result("months_until_full",
		"Number of months until growth uses up the free space, as a decimal number. Null without growth or `free_gib`, "+
			"or if this takes longer than `horizon_months`.",
		func(r *TargetResult) **float64 { return &r.MonthsUntilFull }),
	calculator.Result("busiest_write_percent",
		"Data written in the busiest hour, as a percentage of `write_mbps`. Null without `write_mbps`.",
		func(r *TargetResult) **float64 { return &r.BusiestWritePercent }),
	calculator.Result("promises", "Names of the tiers that use the target, sorted.",
		func(r *TargetResult) *[]string { return &r.Promises }),
}

var lateRows = calculator.Outputs[LateVM]{
	calculator.Result("name", "Name of the VM.", func(r *LateVM) *string { return &r.Name }),
	calculator.Result("size_gib", "Data of the VM, in GiB.", func(r *LateVM) *float64 { return &r.SizeGiB }),
	calculator.Result("within_rpo_percent", "Smallest share of time that the VM is within its RPO, over all runs and "+
		"their second halves, in percent.",
		func(r *LateVM) *float64 { return &r.WithinRPOPercent }),
	calculator.Result("oldest_recovery_point_minutes", "Maximum age of the newest recovery point, in minutes.",
		func(r *LateVM) *float64 { return &r.OldestRecoveryPointMinutes }),
}

var remedyRows = calculator.Outputs[Remedy]{
	calculator.ResultOf("kind", "Input to change: `throughput_mbps`, `hourly_moves_percent`, `rpo_minutes`, "+
		"`deadline_hours`, `free_gib`, `throughput_basis` (measure the throughput) or `without_virtual_machines` "+
		"(exclude VMs).", remedyKinds, func(r *Remedy) *string { return &r.Kind }),
	calculator.Result("at", "Name of the link, target or tier to which the input belongs.",
		func(r *Remedy) *string { return &r.At }),
	calculator.Result("value", "New value of the input. Null for `without_virtual_machines` and `throughput_basis`.",
		func(r *Remedy) **float64 { return &r.Value }),
	calculator.Result("virtual_machines", "Names of the VMs to exclude, with `without_virtual_machines`.",
		func(r *Remedy) *[]string { return &r.VirtualMachines }),
	calculator.Result("sentence", "Description of the change in one sentence.",
		func(r *Remedy) *string { return &r.Sentence }),
}

var promiseRows = append(calculator.Outputs[Promise]{
	calculator.VerdictRow(verdicts, func(r *Promise) *string { return &r.Verdict }),
	calculator.ResultOf("likely_verdict", "Verdict with the inputs as specified.", codes,
		func(r *Promise) *string { return &r.LikelyVerdict }),
	calculator.ResultOf("worse_end_verdict", "Verdict with every uncertain input at its worse end. Null if no input "+
		"has a worse end.", codes,
		func(r *Promise) **string { return &r.WorseEndVerdict }),
	calculator.ResultOf("moves_verdict",
		"Verdict with the inputs as specified while migrations use `hourly_moves_percent` of the links. Null without "+
			"`hourly_moves_percent`.", codes,
		func(r *Promise) **string { return &r.MovesVerdict }),
	calculator.Result("moves_within_rpo_percent", "`within_rpo_percent` while migrations use `hourly_moves_percent` "+
		"of the links. Null without `hourly_moves_percent`.",
		func(r *Promise) **float64 { return &r.MovesWithinRPOPercent }),
	calculator.Result("vm_count", "Number of VMs of the tier.", func(r *Promise) *int64 { return &r.VMCount }),
	calculator.Result("total_gib", "Data of the VMs, in GiB, excluding VMs of unknown size.",
		func(r *Promise) *float64 { return &r.TotalGiB }),
	calculator.Result("within_rpo_percent",
		"Smallest share of time that a VM is within its RPO, over all runs and their second halves, in percent. "+
			"Determines the verdict. With more than 20 runs, the 5th percentile over the runs is used. Null if the tier "+
			"cannot be simulated.",
		func(r *Promise) **float64 { return &r.WithinRPOPercent }),
	calculator.Result("decided_by", "VM, run and part of the run (whole run or second half) that determine "+
		"`within_rpo_percent`.", func(r *Promise) *string { return &r.DecidedBy }),
	calculator.Result("worse_end_within_rpo_percent", "`within_rpo_percent` with every uncertain input at its worse "+
		"end. Null if no input has a worse end.",
		func(r *Promise) **float64 { return &r.WorseEndWithinRPOPercent }),
	calculator.Result("compliance_percent", "Share of VM time within the RPO in the first run, in percent.",
		func(r *Promise) **float64 { return &r.CompliancePercent }),
	calculator.Result("late_vm_count", "Number of VMs that are within their RPO for less than the promised share of "+
		"time.",
		func(r *Promise) *int64 { return &r.LateVMCount }),
	calculator.ResultList("late_virtual_machines", "Late VMs, sorted by their share of time within the RPO, worst "+
		"first. Contains at most 20 VMs.", lateRows,
		func(r *Promise) *[]LateVM { return &r.LateVirtualMachines }),
	calculator.Result("violations", "Number of violations of more than one second in the first run.",
		func(r *Promise) *int64 { return &r.Violations }),
	calculator.Result("alarms", "Number of violations of one minute or longer in the first run. vSphere Replication "+
		"raises an alarm for each of them.",
		func(r *Promise) *int64 { return &r.Alarms }),
	calculator.Result("days_per_alarm", "Mean number of days between two alarms of a VM, over all runs. Null if there "+
		"are no alarms.",
		func(r *Promise) **float64 { return &r.DaysPerAlarm }),
	calculator.Result("worst_recovery_point_minutes",
		"Maximum age of the newest recovery point of any VM, in minutes.",
		func(r *Promise) **float64 { return &r.WorstRecoveryPointMinutes }),
	calculator.Result("p95_sync_seconds", "95th percentile of the duration of the completed syncs, in seconds. Null "+
		"if no sync is complete.",
		func(r *Promise) **float64 { return &r.P95SyncSeconds }),
	calculator.Result("change_mbps", "Mean change rate of the tier on the wire, in Mbit/s.",
		func(r *Promise) *float64 { return &r.ChangeMbps }),
	calculator.Result("busiest_change_mbps", "Change rate of the tier on the wire in the busiest interval of the "+
		"length of the RPO, in Mbit/s.",
		func(r *Promise) *float64 { return &r.BusiestChangeMbps }),
	calculator.Result("initial_sync_minutes",
		"Time until the last VM of the tier is in sync if the initial syncs of all tiers start together, in minutes. "+
			"Null if it exceeds 31 days.",
		func(r *Promise) **float64 { return &r.InitialSyncMinutes }),
	calculator.Result("deadline_met", "Whether the initial sync of all VMs of the tier is complete within "+
		"`deadline_hours`. Null without `deadline_hours`.",
		func(r *Promise) **bool { return &r.DeadlineMet }),
	calculator.Result("target_gib", "Space that the replicas of the tier take at the target, in GiB. Null without a "+
		"target.",
		func(r *Promise) **float64 { return &r.TargetGiB }),
	calculator.Result("months_until_at_risk",
		"First month in which growth changes the verdict to `at_risk` or `misses`. 0 if the verdict is already "+
			"`at_risk` or `misses`. Null without growth, or if this does not happen within `horizon_months`.",
		func(r *Promise) **int64 { return &r.MonthsUntilAtRisk }),
	calculator.Result("months_until_miss", "First month in which growth changes the verdict to `misses`. 0 if the "+
		"verdict is already `misses`. Null without growth, or if this does not happen within `horizon_months`.",
		func(r *Promise) **int64 { return &r.MonthsUntilMiss }),
	calculator.ResultList("remedies", "Changes with which the promise is kept. Each change is sufficient on its own, "+
		"with all other inputs unchanged.", remedyRows,
		func(r *Promise) *[]Remedy { return &r.Remedies }),
}, calculator.ExplanationRows(func(r *Promise) *calculator.Explanation { return &r.Explanation }, promiseReasons)...)

var results = calculator.Outputs[Result]{
	calculator.ResultOf("verdict", "Worst verdict on any tier, in the order `meets`, `at_risk`, `unknown`, `misses`.",
		codes, func(r *Result) *string { return &r.Verdict }),
	calculator.ResultEach("promises", "Results for each tier, by name.", promiseRows,
		func(r *Result) *map[string]Promise { return &r.Promises }),
	calculator.ResultEach("links", "", linkRows, func(r *Result) *map[string]LinkResult { return &r.Links }),
	calculator.ResultEach("targets", "", targetRows, func(r *Result) *map[string]TargetResult { return &r.Targets }),
	calculator.Result("days_simulated", "Number of days per run.", func(r *Result) *int64 { return &r.DaysSimulated }),
	calculator.Result("runs_simulated", "Number of simulated runs.", func(r *Result) *int64 { return &r.Runs }),
	calculator.Result("converged", "Whether the two halves of the first run agree. If not, a longer run could have a "+
		"different result.",
		func(r *Result) *bool { return &r.Converged }),
	calculator.Result("not_counted", "Names of inputs that are not set everywhere, although they could turn a verdict "+
		"into `misses`, sorted.",
		func(r *Result) *[]string { return &r.NotCounted }),
}
