// The schedule: many groups of VMs with different promises on one link, simulated.

package replication

import (
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hoursPerDay = calculator.HoursPerDay
	// maxSyncs bounds the work of one simulation, some seconds on one core, and maxRunSyncs that of all runs.
	maxSyncs    = 2e7
	maxRunSyncs = 2e8
	// maxVMs bounds its memory.
	maxVMs = 2e5
	// horizonRPOs is how many of the largest RPO a simulation takes at least.
	horizonRPOs = 4
)

// Group is a number of VMs that are alike.
type Group struct {
	// VMCount VMs of VMSizeGiB each (GiB, 2^30 bytes), of which DailyChangePercent changes in a day.
	VMCount, VMSizeGiB, DailyChangePercent float64
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
	// Days to simulate; nil is 8, 16 or 31, until the halves of the run agree.
	Days *float64
	// ThroughputMbps is the link's throughput, in 10^6 bit/s; nil when HourlyThroughputMbps has 24 numbers, from
	// midnight. EfficiencyPercent of it is usable.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	EfficiencyPercent    float64
	// PerSyncMbps is the most that one sync gets; nil is no limit.
	PerSyncMbps *float64
	// ChecksumMbps is how fast seeds are compared, all VMs together; nil does not count it.
	ChecksumMbps *float64
	// MaxConcurrentSyncs is how many syncs run at a time; nil is no limit. The others wait, the nearest deadline first.
	MaxConcurrentSyncs *float64
	// StartInSync: every VM has a recovery point at the start. Otherwise its initial sync comes first, and it is in
	// violation until it has arrived.
	StartInSync bool
	// StartTogether: the first syncs of a group start at once. Otherwise they are spread evenly over the RPO.
	StartTogether bool
	// TargetCompliancePercent is the promise over VM-time.
	TargetCompliancePercent float64
	// OutageMinutes is how long the link carries nothing, from OutageStartHours after the start on; nil for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// Runs is how many times the groups are simulated, with starts that move by up to JitterPercent of the RPO.
	Runs, JitterPercent float64
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

// ScheduleDefaults returns an input with the documented defaults: one run, all VMs in sync. The jitter is the least
// with which a change of the throughput by 10^-9 does not change compliance noticeably
// (docs/adr/0010-schedule-jitter.md).
func ScheduleDefaults() ScheduleInput {
	return ScheduleInput{
		StartInSync: true, EfficiencyPercent: quantity.Percent, TargetCompliancePercent: 99, OutageStartHours: 12, Runs: 1,
		JitterPercent: 10, HorizonMonths: defaultHorizonMonths,
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
	// Verdict is VerdictMeets without an alarm, if the target is reached over the runs and in the second half of the
	// first one, and the halves agree; VerdictAtRisk if only the target is reached, else VerdictMisses. The verdict on all
	// is the worst of the groups'.
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

// ScheduleResult is the result of the simulation. All but the compliance over the runs is of the first one.
type ScheduleResult struct {
	Groups map[string]Totals
	Totals
	// DaysSimulated is the length of the run. Converged: its halves agree, so that a longer one comes to the same.
	DaysSimulated int64
	Converged     bool
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
	// ThroughputFullComplianceMbps is the smallest throughput with VerdictMeets, ThroughputForTargetMbps and
	// Throughput90PercentMbps are those with TargetCompliancePercent and 90 % compliance, to 1 %. With hourly figures it
	// is the mean of the day, the profile kept. Nil where no throughput in RangeThroughputMbps is enough.
	ThroughputFullComplianceMbps, ThroughputForTargetMbps, Throughput90PercentMbps *float64
	calculator.Explanation
}

// Schedule simulates vSphere Replication's scheduling in virtual time:
//
//   - A sync sends all that changed from the start of the previous sync to its own start; the age of its recovery point
//     counts from its start.
//   - The next sync starts as late as the RPO allows by the predicted duration, 1.2 * mean of the last 15 durations,
//     and at once when that has passed.
//   - The link of the hour is shared equally by the syncs that run.
//   - A VM is in violation while its newest recovery point is older than its RPO, if that takes more than a second.
//   - The run is as long as it takes until its halves agree.
//
// First starts are spread evenly over the RPO within each group. At the start the prediction is that of the VM alone
// on the link. Source of the rules: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of
// June 2014. The documentation of the data source has every rule. The error is a plan.InputErrors.
func Schedule(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	w := newWorkers()
	var search *search
	var r ScheduleResult
	both(func() { search = in.throughputs(w) }, func() {
		p := in.play(w, true)
		r = p.result()
		in.band(&r, w)
		in.grow(&r, w)
	})
	r.ThroughputFullComplianceMbps = search.answer(0)
	r.ThroughputForTargetMbps = search.answer(1)
	r.Throughput90PercentMbps = search.answer(2)
	in.explain(&r)
	return r, nil
}

// Simulate is Schedule without what takes more simulations, which are most of its time: growth, bands, and the search
// for the smallest throughputs are nil. The error is a plan.InputErrors.
func Simulate(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	p := in.play(newWorkers(), true)
	r := p.result()
	in.explain(&r)
	return r, nil
}

// both calls two functions at the same time.
func both(a, b func()) {
	var all sync.WaitGroup
	all.Go(a)
	b()
	all.Wait()
}

// hourly returns the link of each hour in Mbit/s.
func (in ScheduleInput) hourly() [hoursPerDay]float64 {
	var hours [hoursPerDay]float64
	for h := range hours {
		if in.ThroughputMbps != nil {
			hours[h] = *in.ThroughputMbps
		} else {
			hours[h] = in.HourlyThroughputMbps[h]
		}
	}
	return hours
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// scaled returns the input with every throughput of the link times a factor.
func (in ScheduleInput) scaled(factor float64) ScheduleInput {
	if in.ThroughputMbps != nil {
		in.ThroughputMbps = new(*in.ThroughputMbps * factor)
	}
	hours := slices.Clone(in.HourlyThroughputMbps)
	for h := range hours {
		hours[h] *= factor
	}
	in.HourlyThroughputMbps = hours
	return in
}

// meanChangeMbps is the mean rate at which data changes, on the wire. With a curve it is that of one sync for each RPO,
// the least that is possible.
func (in ScheduleInput) meanChangeMbps() float64 {
	bits := 0.0
	// In the order of the names: the order of a map would change the last digits from one run to the next.
	for _, name := range sortedNames(in.Groups) {
		g := in.Groups[name]
		f := newFlow(name, g, in)
		bits += g.VMCount * f.changed(g.RPOMinutes) / f.rpo
	}
	return bits / quantity.BitsPerMbit
}
