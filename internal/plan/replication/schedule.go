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
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hoursPerDay    = calculator.HoursPerDay
	secondsPerHour = 3600
	// maxSyncs bounds the work of one simulation: some ten seconds on one core.
	maxSyncs = 2e7
	// maxVMs bounds its memory.
	maxVMs = 2e5
)

// Group is a number of VMs that are alike.
type Group struct {
	// VMCount VMs of VMSizeGiB each (GiB, 2^30 bytes), of which DailyChangePercent changes in a day.
	VMCount, VMSizeGiB, DailyChangePercent float64
	// RPOMinutes is their promise.
	RPOMinutes float64
	// HourlyWeights are 24 numbers that say how the day's change is spread, from midnight; nil is evenly.
	HourlyWeights []float64
	// CompressionRatio is data over wire data.
	CompressionRatio float64
}

// ScheduleInput is a link and the groups that share it.
type ScheduleInput struct {
	Groups map[string]Group
	// Days to simulate.
	Days float64
	// ThroughputMbps is what the link carries, in 10^6 bit/s; nil when HourlyThroughputMbps gives 24 numbers, from
	// midnight.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	// MaxConcurrentSyncs is how many syncs run at a time; nil is no limit. The others wait, the nearest deadline first.
	MaxConcurrentSyncs *float64
	// StartInSync: every VM has a recovery point at the start. Otherwise its initial sync comes first, and it is in
	// violation until it has arrived.
	StartInSync bool
}

// ScheduleDefaults returns an input with the documented defaults: one day, all VMs in sync.
func ScheduleDefaults() ScheduleInput { return ScheduleInput{Days: 1, StartInSync: true} }

// Totals are the figures of one group, or of all.
type Totals struct {
	// CompliancePercent is the share of machine-time during which the newest recovery point was within the RPO.
	CompliancePercent float64
	// Violations counts the times that a VM fell out of its RPO, ViolationMinutes adds up how long, over VMs.
	Violations       int64
	ViolationMinutes float64
	// WorstRecoveryPointMinutes is the greatest age that a newest recovery point reached.
	WorstRecoveryPointMinutes float64
	// P95SyncSeconds is the duration that 95 % of the syncs stay within.
	P95SyncSeconds float64
	// TransferredGiB is what was sent, in GiB on the wire.
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

// ScheduleResult is what the simulation found. Pointers are nil where no throughput in RangeThroughputMbps is enough.
type ScheduleResult struct {
	Groups map[string]Totals
	Totals
	// LinkUsePercent is what was sent against what the link could carry; PeakHourLinkUsePercent the same in the busiest
	// hour.
	LinkUsePercent, PeakHourLinkUsePercent float64
	// Hours are all hours of the run, from midnight of the first day.
	Hours []Hour
	// ThroughputFullComplianceMbps and Throughput90PercentMbps are the smallest throughputs with 100 % and 90 %
	// compliance, to 1 %. With hourly figures it is the mean of the day, the profile kept.
	ThroughputFullComplianceMbps, Throughput90PercentMbps *float64
	// Verdict is VerdictMeets at 100 % compliance, VerdictAtRisk from 90 % up, else VerdictMisses.
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
//   - A VM is in violation while its newest recovery point is older than its RPO, if that lasts for more than a
//     second.
//
// First starts are spread evenly over the RPO within each group. At the start the prediction is that of the VM alone
// on the link. Source of the rules: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of
// June 2014. The error is a plan.InputErrors.
func Schedule(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	r := in.simulate()
	r.ThroughputFullComplianceMbps = in.smallestScheduleThroughput(0)
	r.Throughput90PercentMbps = in.smallestScheduleThroughput(0.1)
	in.explain(&r)
	return r, nil
}

// Simulate is Schedule without its search for the smallest throughputs, which takes most of its time: both are nil. The
// error is a plan.InputErrors.
func Simulate(in ScheduleInput) (ScheduleResult, error) {
	if err := in.check(); err != nil {
		return ScheduleResult{}, err
	}
	r := in.simulate()
	in.explain(&r)
	return r, nil
}

// simulate runs once and judges the run.
func (in ScheduleInput) simulate() ScheduleResult {
	s := newSimulation(in, 1, true)
	s.run(noLimit)
	r := s.result()
	switch {
	case r.Violations == 0:
		r.Verdict = VerdictMeets
	case r.CompliancePercent >= 90:
		r.Verdict = VerdictAtRisk
	default:
		r.Verdict = VerdictMisses
	}
	return r
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

// smallestScheduleThroughput bisects on the simulation, in proportion, until the bounds are within 1 %. A run ends as
// soon as its violations are more than is allowed.
func (in ScheduleInput) smallestScheduleThroughput(allowed float64) *float64 {
	hours := in.hourly()
	base := mean(hours[:])
	holds := func(mbps float64) bool {
		s := newSimulation(in, mbps/base, false)
		return s.run(allowed)
	}
	// Widen from the mean change: in the long run nothing below it holds.
	high := max(in.meanChangeMbps(), RangeThroughputMbps.Min)
	for !holds(high) {
		if high *= 4; high > RangeThroughputMbps.Max {
			return nil
		}
	}
	low := high / 4
	for low > RangeThroughputMbps.Min && holds(low) {
		high, low = low, low/4
	}
	if low < RangeThroughputMbps.Min {
		return &high
	}
	for high/low > 1.01 {
		middle := low * math.Sqrt(high/low)
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return &high
}

// meanChangeMbps is the mean rate at which data changes, on the wire.
func (in ScheduleInput) meanChangeMbps() float64 {
	bits := 0.0
	// In the order of the names: the order of a map would change the last digits from one run to the next.
	for _, name := range slices.Sorted(maps.Keys(in.Groups)) {
		g := in.Groups[name]
		bits += g.VMCount * g.VMSizeGiB * g.DailyChangePercent / percent * bitsPerGiB / g.CompressionRatio
	}
	return bits / secondsPerDay / bitsPerMbit
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
	vms, syncs := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(in.Groups)) {
		g := in.Groups[name]
		vms += g.VMCount
		syncs += g.VMCount * in.Days * minutesPerDay / g.RPOMinutes
	}
	if errs.Err() == nil && vms > maxVMs {
		errs = errs.With(plan.Attr("groups"), errTooManyVMs)
	}
	if errs.Err() == nil && syncs > maxSyncs {
		errs = errs.With(plan.Attr("days"), errTooManySyncs)
	}
	return errs.Err()
}

func (in ScheduleInput) explain(r *ScheduleResult) {
	if r.Violations > 0 {
		r.Findings = append(r.Findings, reasonViolations.Finding(plan.Thousands(float64(r.Violations), 0),
			plan.Thousands(r.ViolationMinutes, 0), plan.Thousands(r.WorstRecoveryPointMinutes, 1)))
	}
	if r.PeakHourLinkUsePercent > 99 {
		r.Findings = append(r.Findings, reasonLinkSaturated.Finding(plan.Thousands(r.PeakHourLinkUsePercent, 0)))
	}
	r.Summary = fmt.Sprintf(
		"%s%% of the time all recovery points are within their RPO.",
		plan.Thousands(r.CompliancePercent, 2),
	)
	if r.ThroughputFullComplianceMbps != nil {
		r.Summary += fmt.Sprintf(" %s are enough for all of it.", quantity.FromMbps(*r.ThroughputFullComplianceMbps))
	}
}
