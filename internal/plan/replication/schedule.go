// The schedule: many groups of VMs with different promises on one link, simulated.

package replication

import (
	"context"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const hoursPerDay = calculator.HoursPerDay

// Group is VMs with one promise.
type Group struct {
	// VMCount VMs of VMSizeGiB each (GiB, 2^30 bytes), of which DailyChangePercent changes in a day.
	VMCount, VMSizeGiB, DailyChangePercent float64
	// VMSizesGiB are the sizes of VMs that differ, in place of VMCount and VMSizeGiB; nil if they are alike.
	VMSizesGiB []float64
	// ChangeCurve is how many GiB of one VM change in a number of minutes; nil for DailyChangePercent. See Curve.
	ChangeCurve map[float64]float64
	// RPOMinutes is their promise.
	RPOMinutes float64
	// HourlyWeights are 24 numbers that say how the day's change is spread, from midnight. In their place, PeakFactor
	// times the mean change happens from PeakStartHour on until the day's change has, and nothing in the rest. Nil is
	// evenly.
	HourlyWeights []float64
	PeakFactor    *float64
	PeakStartHour float64
	// CompressionRatio is the ratio of original size to size on the wire.
	CompressionRatio float64
	// OverheadSeconds and QuiesceSeconds are the fixed cost of each sync but the initial one, before its data is sent.
	OverheadSeconds, QuiesceSeconds float64
	// SeededPercent is the part of the initial sync that is at the target already.
	SeededPercent float64
	// Mechanism is one of Mechanisms; empty is vSphere Replication.
	Mechanism string
}

// ScheduleInput is a link and the groups that share it.
type ScheduleInput struct {
	Groups map[string]Group
	// Days to simulate; nil chooses by the number of syncs.
	Days *float64
	// ThroughputMbps is the link's throughput, in 10^6 bit/s; nil when HourlyThroughputMbps has 24 numbers, from
	// midnight. EfficiencyPercent of it is usable.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	EfficiencyPercent    float64
	// PerSyncMbps is the most that one sync gets; nil is no limit.
	PerSyncMbps *float64
	// SourceReadMbps and TargetWriteMbps are the rates of uncompressed data that all syncs together read and write, in
	// 10^6 bit/s; nil for no limit. TargetWriteFactor is the number of writes for each byte that arrives.
	SourceReadMbps, TargetWriteMbps *float64
	TargetWriteFactor               float64
	// ChecksumMbps is how fast seeds are compared, all VMs together; nil does not count it.
	ChecksumMbps *float64
	// MaxConcurrentSyncs is how many syncs run at a time; nil is no limit. The others wait, the nearest deadline first.
	MaxConcurrentSyncs *float64
	// StartInSync: every VM has a recovery point at the start. Otherwise its initial sync comes first, and it is in
	// violation until it has arrived.
	StartInSync bool
	// StartTogether: the first syncs of a group start at once. Otherwise they are spread evenly over the RPO.
	StartTogether bool
	// TargetCompliancePercent is the share of time within the RPO that each VM is promised; nil for
	// simulation.MeetsPercent and simulation.MissesPercent.
	TargetCompliancePercent *float64
	// OutageMinutes is how long the link carries nothing, from OutageStartHours after the start on; nil for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// Runs is how many times the groups are simulated, with starts that vary by up to JitterPercent of the RPO; nil
	// chooses by the number of syncs.
	Runs          *float64
	JitterPercent float64
	// DeadlineHours is when all VMs have to be in sync, from a cold start; nil for no deadline.
	DeadlineHours *float64
	// ThroughputBasis is where the throughput is from, one of plan.Bases, or empty if unknown.
	ThroughputBasis string
	// GrowthPercentPerYear is how much the data, and with it its change, grows in a year; nil for none. HorizonMonths is
	// how far the growth is followed.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
	// Link is the label of the link; it changes no result.
	Link string
}

// GroupDefaults returns a group with the documented defaults.
func GroupDefaults() Group { return Group{CompressionRatio: 1, PeakStartHour: 8} }

// ScheduleDefaults returns an input with the documented defaults: all VMs in sync. The jitter is the least with which a
// change of the throughput by 10^-9 does not change compliance noticeably (docs/adr/0010-schedule-jitter.md).
func ScheduleDefaults() ScheduleInput {
	return ScheduleInput{
		StartInSync: true, EfficiencyPercent: quantity.Percent, OutageStartHours: 12, JitterPercent: 10,
		TargetWriteFactor: Defaults().TargetWriteFactor, HorizonMonths: defaultHorizonMonths,
	}
}

// Totals are the figures of one group, or of all.
type Totals struct {
	// CompliancePercent is the share of VM-time during which the newest recovery point was within the RPO, and
	// AllWithinRPOPercent the share of time during which that was true of every VM.
	CompliancePercent, AllWithinRPOPercent float64
	// MeanCompliancePercent, P5CompliancePercent and P95CompliancePercent are CompliancePercent over the runs.
	MeanCompliancePercent, P5CompliancePercent, P95CompliancePercent float64
	// Violations counts the times that a VM fell out of its RPO for more than a second, ViolationMinutes adds up how long,
	// over VMs, and Alarms counts those of a minute or longer.
	Violations, Alarms int64
	ViolationMinutes   float64
	// WorstRecoveryPointMinutes is the greatest age that a newest recovery point reached.
	WorstRecoveryPointMinutes float64
	// P95SyncSeconds is the duration that 95 % of the syncs stay within; nil without a sync.
	P95SyncSeconds *float64
	// TransferredGiB is the data sent, in GiB on the wire, by the end of the run.
	TransferredGiB float64
	// WithinRPOPercent is the least share of time within the RPO of a VM, over the runs and their second halves, DecidedBy
	// its VM, run and half. From a cold start it counts from InSyncAfterMinutes on.
	WithinRPOPercent float64
	DecidedBy        string
	// LateVMCount is the number of VMs below the share that each is promised.
	LateVMCount int64
	// DaysPerAlarm is the mean number of days between two alarms of a VM, over the runs; nil without an alarm.
	DaysPerAlarm *float64
	// VMLinkSharePercent is the mean change of the largest VM of a group as a part of the mean rate that it may get alone.
	// AloneRecoveryPointMinutes is how old its recovery points get alone, by hand: RPO * (1 + c) / (1 + 1.2 * c) with this
	// part c; nil with an overhead, a curve, or change that is not even.
	VMLinkSharePercent        float64
	AloneRecoveryPointMinutes *float64
	// Verdict is VerdictMeets if WithinRPOPercent reaches the target, the run has converged, and runs and VMs are enough;
	// VerdictMisses below the target; else VerdictAtRisk. The verdict on all is the worst of the groups'.
	Verdict string
}

// Hour is one hour of the run.
type Hour struct {
	// TransferredGiB is the data sent in it, in GiB on the wire; LinkUsePercent is its share of the link's capacity,
	// 0 when it carries nothing.
	TransferredGiB, LinkUsePercent float64
	// ViolationMinutes adds up, over VMs, how long recovery points were older than their RPO.
	ViolationMinutes float64
}

// ScheduleResult is the result of the simulation. All but shares and verdicts is of the first run.
type ScheduleResult struct {
	Groups map[string]Totals
	Totals
	// DaysSimulated is the length of a run, RunsSimulated their number. Converged: the halves of the first one agree, so
	// that a longer one comes to the same.
	DaysSimulated, RunsSimulated int64
	Converged                    bool
	// LinkUsePercent is the share of the link's capacity that was used; PeakHourLinkUsePercent the same in the busiest
	// hour.
	LinkUsePercent, PeakHourLinkUsePercent float64
	// Hours are all hours of the run, from midnight of the first day.
	Hours []Hour
	// RecoveredAfterMinutes is the time from the end of the outage until every VM is within its RPO, InSyncAfterMinutes
	// the same from a cold start. They are nil without one, and when the run ends before.
	RecoveredAfterMinutes, InSyncAfterMinutes *float64
	// DeadlineMet: all VMs are in sync by the deadline; nil without one.
	DeadlineMet *bool
	// CompliancePercent80 and InSyncAfterMinutes80 are what 4 of 5 links with this ThroughputBasis come to at worst, those
	// with 90 are 9 of 10; nil where that is not known.
	CompliancePercent80, CompliancePercent90   *float64
	InSyncAfterMinutes80, InSyncAfterMinutes90 *float64
	// MonthsUntilAtRisk and MonthsUntilMiss are the first months in which growth makes the verdict that or worse; nil
	// without growth and beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// ThroughputForTargetMbps is the least throughput with which every group meets, to 1 %: never above the one that is
	// given if they do, above it if not. With hourly figures it is the mean of the day, the profile kept. Nil if no
	// throughput in RangeThroughputMbps is enough.
	ThroughputForTargetMbps *float64
	calculator.Explanation
}

// Schedule simulates vSphere Replication's scheduling in virtual time, by the rules of package simulation, and searches
// the least throughput. The error is a plan.InputErrors, or the one of ctx soon after its end.
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

// Simulate is Schedule without what takes more simulations, which are most of its time: growth, bands, and the least
// throughput are nil. The error is a plan.InputErrors.
func Simulate(in ScheduleInput) (ScheduleResult, error) {
	r, _, err := in.simulate(context.Background())
	if err != nil {
		return ScheduleResult{}, err
	}
	in.explain(&r)
	return r, nil
}

// simulate also reports whether the groups would meet with enough runs.
func (in ScheduleInput) simulate(ctx context.Context) (ScheduleResult, bool, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, false, err
	}
	e := in.estate()
	a, err := simulation.Play(ctx, e, in.options())
	if err != nil {
		return ScheduleResult{}, false, err
	}
	return in.result(&a), e.Enough(&a), nil
}
