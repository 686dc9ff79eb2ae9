package replication

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const hoursPerDay = calculator.HoursPerDay

// Group is a group of VMs that share a promise.
type Group struct {
	// VMCount is the number of VMs. VMSizeGiB is the size of each VM in GiB (2^30 bytes). DailyChangePercent is the share
	// of the data that changes per day.
	VMCount, VMSizeGiB, DailyChangePercent float64
	// VMSizesGiB contains the size of each VM and replaces VMCount and VMSizeGiB. It is nil if all VMs have the same size.
	VMSizesGiB []float64
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval.
	// If it is nil, DailyChangePercent applies.
	ChangeCurve map[float64]float64
	// RPOMinutes is the promised RPO.
	RPOMinutes float64
	// HourlyWeights distributes the daily change over 24 hours from midnight. Alternatively, the change occurs at
	// PeakFactor times its mean rate, starting at PeakStartHour, until the whole daily change has occurred. By default,
	// the change is evenly distributed.
	HourlyWeights []float64
	PeakFactor    *float64
	PeakStartHour float64
	// CompressionRatio is the ratio of the original size to the size on the wire.
	CompressionRatio float64
	// OverheadSeconds and QuiesceSeconds add up to the fixed delay before a sync starts to send data. Initial syncs start
	// without this delay.
	OverheadSeconds, QuiesceSeconds float64
	// SeededPercent is the share of the data that is already at the target before the initial sync.
	SeededPercent float64
	// Mechanism is one of Mechanisms. The default is vSphere Replication.
	Mechanism string
}

// ScheduleInput describes a link and the groups that share it.
type ScheduleInput struct {
	Groups map[string]Group
	// Days is the length of a simulation run. If it is nil, the length depends on the number of syncs.
	Days *float64
	// ThroughputMbps is the throughput of the link in 10^6 bit/s. If it is nil, HourlyThroughputMbps contains the
	// throughput for each hour, starting at midnight. EfficiencyPercent is the usable share of the throughput.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	EfficiencyPercent    float64
	// PerSyncMbps is the maximum rate of one sync; nil for no limit.
	PerSyncMbps *float64
	// SourceReadMbps and TargetWriteMbps are the storage rates for all syncs together, in 10^6 bit/s of uncompressed data;
	// nil for no limit. TargetWriteFactor is the number of bytes written per byte received.
	SourceReadMbps, TargetWriteMbps *float64
	TargetWriteFactor               float64
	// ChecksumMbps is the rate at which seeds are compared, for all VMs together; nil for no comparison.
	ChecksumMbps *float64
	// MaxConcurrentSyncs is the maximum number of concurrent syncs; nil for no limit. Further syncs wait and start in
	// order of their deadlines.
	MaxConcurrentSyncs *float64
	// StartInSync starts the run with a recovery point for every VM. Otherwise, the run starts with initial syncs, and
	// each VM is in violation until its initial sync is complete.
	StartInSync bool
	// StartTogether starts the first syncs of a group at the same time instead of spreading them evenly over the RPO.
	StartTogether bool
	// TargetCompliancePercent is the promised share of time during which each VM is within its RPO. If it is nil,
	// simulation.MeetsPercent and simulation.MissesPercent apply.
	TargetCompliancePercent *float64
	// OutageMinutes is the duration of a link outage that begins OutageStartHours after the start of the run; nil for
	// none.
	OutageMinutes    *float64
	OutageStartHours float64
	// Runs is the number of simulation runs. If it is nil, the number depends on the number of syncs. Sync starts vary by
	// up to JitterPercent of the RPO.
	Runs          *float64
	JitterPercent float64
	// DeadlineHours is the time within which all VMs must be in sync after a cold start; nil for no deadline.
	DeadlineHours *float64
	// ThroughputBasis states how the throughput was determined. It is one of plan.Bases, or empty if unknown.
	ThroughputBasis string
	// GrowthPercentPerYear is the annual growth of data and change; nil for none. HorizonMonths limits how far growth is
	// projected.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
}

// GroupDefaults returns the default group.
func GroupDefaults() Group { return Group{CompressionRatio: 1, PeakStartHour: 8} }

// ScheduleDefaults returns the default input, which starts with all VMs in sync. The default jitter is the smallest at
// which changing the throughput by one part in 10^9 has no noticeable effect on compliance
// (docs/adr/0010-schedule-jitter.md).
func ScheduleDefaults() ScheduleInput {
	return ScheduleInput{
		StartInSync: true, EfficiencyPercent: quantity.Percent, OutageStartHours: 12, JitterPercent: 10,
		TargetWriteFactor: Defaults().TargetWriteFactor, HorizonMonths: defaultHorizonMonths,
	}
}

// Totals contains the results for one group or for all groups.
type Totals struct {
	// CompliancePercent is the share of VM time during which the newest recovery point is within the RPO.
	// AllWithinRPOPercent is the share of time during which every VM is within its RPO.
	CompliancePercent, AllWithinRPOPercent float64
	// MeanCompliancePercent, P5CompliancePercent and P95CompliancePercent summarize CompliancePercent over all runs.
	MeanCompliancePercent, P5CompliancePercent, P95CompliancePercent float64
	// Violations is the number of violations that last more than one second; Alarms is the number of those that last at
	// least one minute. ViolationMinutes is the total duration of the violations over all VMs.
	Violations, Alarms int64
	ViolationMinutes   float64
	// WorstRecoveryPointMinutes is the maximum age that any VM's newest recovery point reaches in the first run and in the
	// runs on which the verdict is based.
	WorstRecoveryPointMinutes float64
	// P95SyncSeconds is the 95th percentile of sync durations; nil if no sync is complete.
	P95SyncSeconds *float64
	// TransferredGiB is the amount of data sent by the end of the run, in GiB on the wire.
	TransferredGiB float64
	// WithinRPOPercent is the share of time that the worst VM is within its RPO, in the worst run or second half of a run.
	// With more than 20 runs, it is the 5th percentile over the runs. DecidedBy names this VM, run and half. After a cold
	// start, the time before InSyncAfterMinutes is excluded.
	WithinRPOPercent float64
	DecidedBy        string
	// LateVMCount is the number of VMs that fall short of their promised share.
	LateVMCount int64
	// DaysPerAlarm is the mean number of days between two alarms of a VM over all runs; nil if there are no alarms.
	DaysPerAlarm *float64
	// VMLinkSharePercent is the mean change rate of the group's largest VM, as a percentage of the rate available to one
	// VM. AloneRecoveryPointMinutes is the maximum age of that VM's recovery points if it has the link to itself: RPO * (1
	// + c) / (1 + 1.2 * c), where c is the share. It is nil if c is at least 1, if there is an overhead or a curve, or if
	// the change or the throughput varies over the day.
	VMLinkSharePercent        float64
	AloneRecoveryPointMinutes *float64
	// Verdict is VerdictMeets if WithinRPOPercent reaches the target, the run has converged, and there are enough runs or
	// VMs. It is VerdictMisses if WithinRPOPercent is too low or the deadline is missed, and VerdictAtRisk otherwise. The
	// verdict on all groups is the worst of their verdicts.
	Verdict string
}

// Hour contains the results for one hour of the run.
type Hour struct {
	// TransferredGiB is the amount of data sent, in GiB on the wire. LinkUsePercent is the utilization of the link, or 0
	// if the link has no capacity in this hour.
	TransferredGiB, LinkUsePercent float64
	// ViolationMinutes is the total time that VMs spend in violation.
	ViolationMinutes float64
}

// ScheduleResult is the result of the simulation. Unless stated otherwise, the results are those of the first run.
type ScheduleResult struct {
	Groups map[string]Totals
	Totals
	// DaysSimulated is the length of a run in days. RunsSimulated is the number of runs. Converged reports whether the
	// halves of the first run agree, in which case a longer run should have the same result.
	DaysSimulated, RunsSimulated int64
	Converged                    bool
	// LinkUsePercent is the mean utilization of the link. PeakHourLinkUsePercent is its utilization in the busiest hour.
	LinkUsePercent, PeakHourLinkUsePercent float64
	// Hours contains all hours of the run, from midnight of the first day.
	Hours []Hour
	// RecoveredAfterMinutes is the time from the end of the outage until every VM is within its RPO. InSyncAfterMinutes is
	// the time from a cold start until all VMs are in sync. Each is nil if there is no such event or if the run ends
	// earlier.
	RecoveredAfterMinutes, InSyncAfterMinutes *float64
	// DeadlineMet reports whether all VMs are in sync by the deadline; nil if there is no deadline.
	DeadlineMet *bool
	// CompliancePercent80 and InSyncAfterMinutes80 are the results that 4 of 5 links with this ThroughputBasis achieve.
	// CompliancePercent90 and InSyncAfterMinutes90 are the results that 9 of 10 links achieve. They are nil if unknown.
	CompliancePercent80, CompliancePercent90   *float64
	InSyncAfterMinutes80, InSyncAfterMinutes90 *float64
	// MonthsUntilAtRisk is the first month in which growth changes the verdict to VerdictAtRisk or VerdictMisses.
	// MonthsUntilMiss is the first month in which it is VerdictMisses. Each is nil if there is no growth or if that month
	// is beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// ThroughputForTargetMbps is the lowest throughput at which every group meets its target, to within 1%. It is at most
	// the given throughput if all groups meet their targets, and higher otherwise. For hourly throughputs, it is the mean
	// of the scaled rates. It is nil if no throughput in RangeThroughputMbps is sufficient.
	ThroughputForTargetMbps *float64
	calculator.Explanation
}

// Schedule simulates the scheduling of vSphere Replication with package simulation and searches for the lowest
// sufficient throughput. The error is a plan.InputErrors, or ctx.Err() if ctx is done.
func Schedule(ctx context.Context, in ScheduleInput) (ScheduleResult, error) {
	r, holds, err := in.simulate(ctx)
	if err != nil {
		return ScheduleResult{}, err
	}
	holds = in.band(ctx, &r) && holds
	in.search(ctx, &r, holds)
	in.grow(ctx, &r)
	if err := ctx.Err(); err != nil {
		return ScheduleResult{}, err
	}
	in.explain(&r)
	return r, nil
}

// Simulate computes a schedule without the results that require further simulations: growth, bands and the lowest
// throughput are nil. The error is a plan.InputErrors.
func Simulate(in ScheduleInput) (ScheduleResult, error) {
	r, _, err := in.simulate(context.Background())
	if err != nil {
		return ScheduleResult{}, err
	}
	in.explain(&r)
	return r, nil
}

func (in ScheduleInput) simulate(ctx context.Context) (ScheduleResult, bool, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, false, err
	}
	e := in.estate()
	o := in.options()
	o.Progress = simulation.ProgressFrom(ctx)
	a, err := simulation.Run(ctx, e, o)
	if err != nil {
		return ScheduleResult{}, false, err
	}
	return in.result(&a), e.MeetsPromises(&a), nil
}

var (
	errNoGroup        = errors.New("must have at least one group")
	errEither         = errors.New("is required unless hourly_throughput_mbps is set")
	errBoth           = errors.New("must not be set together with throughput_mbps")
	errTooManyVMs     = fmt.Errorf("must not have more than %s VMs in total", plan.Thousands(simulation.MaxVMs, 0))
	errPeakAndWeights = errors.New("must not be set together with hourly_weights: both distribute the daily change")
	errOutage         = errors.New("requires outage_minutes, the duration of the outage")
	errDeadlineInSync = errors.New("requires start_in_sync = false: otherwise, all VMs are in sync from the start")
	errTooManySyncs   = fmt.Errorf(
		"must not require more than about %s syncs in total: simulate fewer days or groups",
		plan.Thousands(simulation.MaxSyncs, 0))
	errTooManyRuns = fmt.Errorf("must not require more than about %s syncs in all runs: simulate fewer runs or days",
		plan.Thousands(simulation.MaxRunSyncs, 0))
)

func (in ScheduleInput) check() error {
	errs := scheduleInputs.Check(&in, nil)
	switch {
	case in.ThroughputMbps == nil && in.HourlyThroughputMbps == nil:
		errs = errs.With(plan.Attr("throughput_mbps"), errEither)
	case in.ThroughputMbps != nil && in.HourlyThroughputMbps != nil:
		errs = errs.With(plan.Attr("hourly_throughput_mbps"), errBoth)
	}
	if len(in.Groups) == 0 {
		errs = errs.With(plan.Attr("groups"), errNoGroup)
	}
	for _, name := range in.names() {
		g, at := in.Groups[name], plan.Attr("groups").Key(name)
		errs = append(errs, checkCurve(g.ChangeCurve, at.Attr("change_curve"))...)
		if g.VMSizesGiB == nil {
			errs = errs.With(at.Attr("vm_count"), RangeScheduleVMCount.Check(g.VMCount))
			errs = errs.With(at.Attr("vm_size_gib"), RangeVMSizeGiB.Check(g.VMSizeGiB))
		}
		if g.PeakFactor != nil && g.HourlyWeights != nil {
			errs = errs.With(at.Attr("peak_factor"), errPeakAndWeights)
		}
	}
	if errs.Err() != nil {
		return errs.Err()
	}
	return in.checkRuns().Err()
}

func (in ScheduleInput) checkRuns() plan.InputErrors {
	var errs plan.InputErrors
	e, runs := in.estate(), 1.0
	lengths := e.Lengths(in.options())
	days := lengths[len(lengths)-1]
	if in.Runs != nil {
		runs = *in.Runs
	}
	switch least := e.MinDays(); {
	case days >= least:
	case in.DeadlineHours != nil && *in.DeadlineHours > float64(days*hoursPerDay):
		errs = errs.With(plan.Attr("days"), fmt.Errorf("must be at least %d to include deadline_hours, got %d", least, days))
	default:
		errs = errs.With(plan.Attr("days"),
			fmt.Errorf("must be at least %d, which is four times the largest RPO, got %d", least, days))
	}
	switch syncs := e.Syncs(days); {
	case in.vms() > simulation.MaxVMs:
		errs = errs.With(plan.Attr("groups"), errTooManyVMs)
	case syncs > simulation.MaxSyncs:
		errs = errs.With(plan.Attr("days"), errTooManySyncs)
	case syncs*runs > simulation.MaxRunSyncs:
		errs = errs.With(plan.Attr("runs"), errTooManyRuns)
	}
	if runs > 1 && in.JitterPercent == 0 {
		errs = errs.With(plan.Attr("runs"),
			fmt.Errorf("must be 1 if jitter_percent is 0, because all runs would be the same, got %s", plan.Number(runs)))
	}
	return append(errs, in.checkOutage(days)...)
}

func (in ScheduleInput) checkOutage(days int) plan.InputErrors {
	var errs plan.InputErrors
	if in.OutageMinutes == nil && in.OutageStartHours != ScheduleDefaults().OutageStartHours {
		errs = errs.With(plan.Attr("outage_start_hours"), errOutage)
	}
	if hours := float64(days * hoursPerDay); in.OutageMinutes != nil && in.OutageStartHours >= hours {
		errs = errs.With(plan.Attr("outage_start_hours"), fmt.Errorf("must be before the end of the run of %s, got %s",
			plan.Count(hours, "hour"), plan.Number(in.OutageStartHours)))
	}
	if in.DeadlineHours != nil && in.StartInSync {
		errs = errs.With(plan.Attr("deadline_hours"), errDeadlineInSync)
	}
	return errs
}

// takesLong estimates whether a schedule takes longer than calculator.SlowSeconds on two cores. A schedule with about
// 9.4 million syncs took 7 s of processor time for 4,000 VMs, but 53 s for 100,000 VMs, whose data exceeds the
// processor cache.
func (in ScheduleInput) takesLong() bool {
	const vmsInCache, slow = 15000, 2.5e7
	e := in.estate()
	lengths := e.Lengths(in.options())
	work := e.Syncs(lengths[len(lengths)-1]) * (1 + in.vms()/vmsInCache)
	if in.GrowthPercentPerYear != nil {
		work *= 2
	}
	return work > slow
}

func (in ScheduleInput) vms() float64 {
	vms := 0.0
	for _, g := range in.Groups {
		vms += g.Count()
	}
	return vms
}

// GroupInput returns the group input with the given name. It panics if there is no such input.
func GroupInput(name string) calculator.Input[Group] {
	i := slices.IndexFunc(groupInputs, func(row calculator.Input[Group]) bool { return row.Name == name })
	return groupInputs[i]
}

// CheckCurve returns errors for an invalid change curve.
func CheckCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	return checkCurve(points, at)
}
