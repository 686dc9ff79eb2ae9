// What a schedule refuses.

package replication

import (
	"errors"
	"fmt"

	"terraform-provider-vsla/internal/plan"
)

var (
	errNoGroup        = errors.New("must have at least one group")
	errEither         = errors.New("must be given, or hourly_throughput_mbps in its place")
	errBoth           = errors.New("must not be given together with throughput_mbps")
	errTooManyVMs     = fmt.Errorf("must not have more than %s VMs in all", plan.Thousands(maxVMs, 0))
	errPeakAndWeights = errors.New("must not be given together with hourly_weights: both spread the day's change")
	errOutage         = errors.New("needs outage_minutes, which is how long the outage lasts")
	errDeadlineInSync = errors.New("needs start_in_sync = false: otherwise all VMs are in sync from the start on")
	errTooManySyncs   = fmt.Errorf(
		"must not take more than about %s syncs in all: simulate fewer days, or a part of the groups",
		plan.Thousands(maxSyncs, 0),
	)
	errTooManyRuns = fmt.Errorf(
		"must not take more than about %s syncs in all runs: simulate fewer of them, or fewer days",
		plan.Thousands(maxRunSyncs, 0),
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
	for _, name := range sortedNames(in.Groups) {
		g, at := in.Groups[name], plan.Attr("groups").Key(name)
		errs = append(errs, checkCurve(g.ChangeCurve, at.Attr("change_curve"))...)
		if g.PeakFactor != nil && g.HourlyWeights != nil {
			errs = errs.With(at.Attr("peak_factor"), errPeakAndWeights)
		}
	}
	if errs.Err() != nil {
		return errs.Err()
	}
	return in.checkRuns().Err()
}

// checkRuns reports what does not fit together: the length of the run, its size, the outage and the runs.
func (in ScheduleInput) checkRuns() plan.InputErrors {
	var errs plan.InputErrors
	days := in.longest()
	switch least := in.leastDays(); {
	case days >= least:
	case in.DeadlineHours != nil && *in.DeadlineHours > float64(days*hoursPerDay):
		errs = errs.With(plan.Attr("days"), fmt.Errorf("must be at least %d, until deadline_hours, got %d", least, days))
	default:
		errs = errs.With(plan.Attr("days"),
			fmt.Errorf("must be at least %d, which is four times the largest RPO, got %d", least, days))
	}
	vms := 0.0
	for _, g := range in.Groups {
		vms += g.VMCount
	}
	switch syncs := in.syncs(days); {
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
	return append(errs, in.checkOutage(days)...)
}

// checkOutage reports an outage that is not in the run, and a deadline that nothing has to meet.
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

// takesLong estimates whether an answer takes longer than calculator.SlowSeconds on two cores. Of two schedules with
// about 9.4 million syncs, 4,000 VMs took 7 s of processor time and 100,000 VMs, which fit into no cache, 53 s.
func (in ScheduleInput) takesLong() bool {
	const vmsInCache, slow = 15000, 2.5e7
	vms := 0.0
	for _, g := range in.Groups {
		vms += g.VMCount
	}
	work := in.syncs(in.longest()) * (1 + vms/vmsInCache)
	if in.GrowthPercentPerYear != nil {
		work *= 2
	}
	return work > slow
}
