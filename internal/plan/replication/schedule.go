// The schedule: many groups of VMs with different promises on one link, simulated.

package replication

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

const (
	hoursPerDay    = calculator.HoursPerDay
	secondsPerHour = 3600
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
	// HourlyWeights are 24 numbers that say how the day's change is spread, from midnight; nil is evenly.
	HourlyWeights []float64
	// CompressionRatio is the ratio of original size to size on the wire.
	CompressionRatio float64
	// OverheadSeconds is the fixed cost of each sync but the initial one, before its data is sent.
	OverheadSeconds float64
	// SeededPercent is the part of the initial sync that is at the target already.
	SeededPercent float64
}

// ScheduleInput is a link and the groups that share it.
type ScheduleInput struct {
	Groups map[string]Group
	// Days to simulate; nil is the least, four times the largest RPO.
	Days *float64
	// ThroughputMbps is what the link carries, in 10^6 bit/s; nil when HourlyThroughputMbps has 24 numbers, from
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
	// UncountedDays at the beginning are not part of UnroundedCompliancePercent: VMs that start evenly spread are late
	// less often than after their first congestion. It is less than Days.
	UncountedDays float64
	// TargetCompliancePercent is the promise over VM-time.
	TargetCompliancePercent float64
	// OutageMinutes is how long the link carries nothing, from OutageStartHours after the start on; nil for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// Runs is how many times the groups are simulated, with starts that move by up to JitterPercent of the RPO.
	Runs, JitterPercent float64
}

// ScheduleDefaults returns an input with the documented defaults: one run, all VMs in sync.
func ScheduleDefaults() ScheduleInput {
	return ScheduleInput{
		StartInSync: true, EfficiencyPercent: percent, TargetCompliancePercent: 99, OutageStartHours: 12, Runs: 1,
	}
}

// Totals are the figures of one group, or of all.
type Totals struct {
	// CompliancePercent is the share of VM-time during which the newest recovery point was within the RPO, and
	// AllWithinRPOPercent the share of time during which that was true of every VM.
	CompliancePercent, AllWithinRPOPercent float64
	// MeanCompliancePercent, P5CompliancePercent and P95CompliancePercent are CompliancePercent over the runs.
	MeanCompliancePercent, P5CompliancePercent, P95CompliancePercent float64
	// Violations counts the times that a VM fell out of its RPO for a minute or longer, ViolationMinutes adds up how long,
	// in whole minutes, over VMs.
	Violations       int64
	ViolationMinutes float64
	// WorstRecoveryPointMinutes is the greatest age that a newest recovery point reached.
	WorstRecoveryPointMinutes float64
	// P95SyncSeconds is the duration that 95 % of the syncs stay within; nil without a sync.
	P95SyncSeconds *float64
	// TransferredGiB is what was sent, in GiB on the wire, by the end of the run.
	TransferredGiB float64
}

// Hour is one hour of the run.
type Hour struct {
	// TransferredGiB is what was sent in it, in GiB on the wire; LinkUsePercent is that against what the link could carry,
	// 0 when it carries nothing.
	TransferredGiB, LinkUsePercent float64
	// ViolationMinutes adds up, over VMs, how long recovery points were older than their RPO.
	ViolationMinutes float64
}

// ScheduleResult is what the simulation found. All but the compliance over the runs is of the first one.
type ScheduleResult struct {
	Groups map[string]Totals
	Totals
	// UnroundedCompliancePercent is CompliancePercent with lateness as it is, not in whole minutes, and without the
	// UncountedDays: what a log measures.
	UnroundedCompliancePercent float64
	// Days is how many were simulated.
	Days float64
	// LinkUsePercent is what was sent against what the link could carry; PeakHourLinkUsePercent the same in the busiest
	// hour.
	LinkUsePercent, PeakHourLinkUsePercent float64
	// Hours are all hours of the run, from midnight of the first day.
	Hours []Hour
	// RecoveredAfterMinutes is the time from the end of the outage until every VM is within its RPO, InSyncAfterMinutes
	// the same from a cold start. They are nil without one, and when the run ends before.
	RecoveredAfterMinutes, InSyncAfterMinutes *float64
	// ThroughputFullComplianceMbps, ThroughputForTargetMbps and Throughput90PercentMbps are the smallest throughputs
	// without a violation, and with TargetCompliancePercent and 90 % compliance, to 1 %. With hourly figures it is the
	// mean of the day, the profile kept. Nil where no throughput in RangeThroughputMbps is enough.
	ThroughputFullComplianceMbps, ThroughputForTargetMbps, Throughput90PercentMbps *float64
	// Verdict is VerdictMeets without any violation, VerdictAtRisk if the target is reached, else VerdictMisses.
	Verdict string
	calculator.Explanation
}

// Schedule simulates vSphere Replication's scheduling in virtual time:
//
//   - A sync sends all that changed from the start of the previous sync to its own start; the age of its recovery point
//     counts from its start.
//   - The next sync starts as late as the RPO allows by the predicted duration, 1.2 * mean of the last 15 durations,
//     and at once when that has passed.
//   - The link of the hour is shared equally by the syncs that run.
//   - A VM is in violation while its newest recovery point is older than its RPO; an unbroken stretch counts in whole
//     minutes, the smallest one that is reported.
//
// First starts are spread evenly over the RPO within each group. At the start the prediction is that of the VM alone
// on the link. Source of the rules: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of
// June 2014. The documentation of the data source has every rule. The error is a plan.InputErrors.
func Schedule(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	w := newWorkers()
	search := newSearch(in, w)
	done := make(chan struct{})
	go func() {
		defer close(done)
		search.run()
	}()
	r := in.simulate(w)
	<-done
	r.ThroughputFullComplianceMbps = search.answer(0)
	r.ThroughputForTargetMbps = search.answer(1)
	r.Throughput90PercentMbps = search.answer(2)
	in.explain(&r)
	return r, nil
}

// Simulate is Schedule without its search for the smallest throughputs, which takes most of its time: they are nil. The
// error is a plan.InputErrors.
func Simulate(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	r := in.simulate(newWorkers())
	in.explain(&r)
	return r, nil
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

// leastDays returns the shortest run: four times the largest RPO, in whole days.
func (in ScheduleInput) leastDays() float64 {
	longest := 0.0
	for _, g := range in.Groups {
		longest = max(longest, g.RPOMinutes)
	}
	return max(1, math.Ceil(horizonRPOs*longest/minutesPerDay))
}

// days returns how many are simulated.
func (in ScheduleInput) days() float64 {
	if in.Days != nil {
		return *in.Days
	}
	return in.leastDays()
}

// meanChangeMbps is the mean rate at which data changes, on the wire. With a curve it is that of one sync for each RPO,
// the least that is possible.
func (in ScheduleInput) meanChangeMbps() float64 {
	bits := 0.0
	// In the order of the names: the order of a map would change the last digits from one run to the next.
	for _, name := range slices.Sorted(maps.Keys(in.Groups)) {
		g := in.Groups[name]
		f := newFlow(name, g, in)
		bits += g.VMCount * f.changed(g.RPOMinutes) / f.rpo
	}
	return bits / bitsPerMbit
}

var (
	errNoGroup      = errors.New("must have at least one group")
	errEither       = errors.New("must be given, or hourly_throughput_mbps in its place")
	errBoth         = errors.New("must not be given beside throughput_mbps")
	errTooManyVMs   = fmt.Errorf("must not have more than %s VMs in all", plan.Thousands(maxVMs, 0))
	errTooManySyncs = fmt.Errorf(
		"must not take more than about %s syncs in all: simulate fewer days, or a part of the groups",
		plan.Thousands(maxSyncs, 0),
	)
	errTooManyRuns = fmt.Errorf("must not take more than about %s syncs in all runs: simulate fewer of them",
		plan.Thousands(maxRunSyncs, 0))
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
	for _, name := range slices.Sorted(maps.Keys(in.Groups)) {
		at := plan.Attr("groups").Key(name).Attr("change_curve")
		errs = append(errs, checkCurve(in.Groups[name].ChangeCurve, at)...)
	}
	if errs.Err() != nil {
		return errs.Err()
	}
	return in.checkRuns().Err()
}

// checkRuns reports what does not fit together: the length of the run, its size, the outage and the runs.
func (in ScheduleInput) checkRuns() plan.InputErrors {
	var errs plan.InputErrors
	if least := in.leastDays(); in.days() < least {
		errs = errs.With(plan.Attr("days"), fmt.Errorf("must be at least %s, which is four times the largest RPO, got %s",
			plan.Number(least), plan.Number(in.days())))
	}
	vms, syncs := 0.0, 0.0
	for _, g := range in.Groups {
		vms += g.VMCount
		syncs += g.VMCount * in.days() * minutesPerDay / g.RPOMinutes
	}
	switch {
	case vms > maxVMs:
		errs = errs.With(plan.Attr("groups"), errTooManyVMs)
	case syncs > maxSyncs:
		errs = errs.With(plan.Attr("days"), errTooManySyncs)
	case syncs*in.Runs > maxRunSyncs:
		errs = errs.With(plan.Attr("runs"), errTooManyRuns)
	}
	if in.Runs > 1 && in.JitterPercent == 0 {
		errs = errs.With(plan.Attr("runs"),
			fmt.Errorf("must be 1 without jitter_percent, because all runs would be the same, got %s", plan.Number(in.Runs)))
	}
	if hours := in.days() * hoursPerDay; in.OutageMinutes != nil && in.OutageStartHours >= hours {
		errs = errs.With(plan.Attr("outage_start_hours"), fmt.Errorf("must be before the end of the run of %s, got %s",
			plan.Count(hours, "hour"), plan.Number(in.OutageStartHours)))
	}
	return errs
}
