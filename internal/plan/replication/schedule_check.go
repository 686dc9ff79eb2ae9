package replication

import (
	"errors"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/simulation"
)

var (
	errNoGroup        = errors.New("must have at least one group")
	errEither         = errors.New("must be given, or hourly_throughput_mbps instead")
	errBoth           = errors.New("must not be given together with throughput_mbps")
	errTooManyVMs     = fmt.Errorf("must not have more than %s VMs in all", plan.Thousands(simulation.MaxVMs, 0))
	errPeakAndWeights = errors.New("must not be given together with hourly_weights: both spread the day's change")
	errOutage         = errors.New("needs outage_minutes, the duration of the outage")
	errDeadlineInSync = errors.New("needs start_in_sync = false: otherwise all VMs are in sync from the start")
	errTooManySyncs   = fmt.Errorf(
		"must not need more than about %s syncs in all: simulate fewer days or groups",
		plan.Thousands(simulation.MaxSyncs, 0),
	)
	errTooManyRuns = fmt.Errorf(
		"must not need more than about %s syncs in all runs: simulate fewer runs or days",
		plan.Thousands(simulation.MaxRunSyncs, 0),
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
	switch least := e.LeastDays(); {
	case days >= least:
	case in.DeadlineHours != nil && *in.DeadlineHours > float64(days*hoursPerDay):
		errs = errs.With(plan.Attr("days"), fmt.Errorf("must be at least %d, until deadline_hours, got %d", least, days))
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
			fmt.Errorf("must be 1 without jitter_percent, because all runs would be the same, got %s", plan.Number(runs)))
	}
	return append(errs, in.checkOutage(days)...)
}

// checkOutage checks that the outage is within the run, and that a deadline has a cold start.
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

// takesLong estimates whether a schedule takes longer than calculator.SlowSeconds on two cores. Of two schedules with
// about 9.4 million syncs, 4,000 VMs took 7 s of processor time and 100,000 VMs, which exceed the cache, 53 s.
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

// GroupInput returns the input of a group with the given name, which must exist.
func GroupInput(name string) calculator.Input[Group] {
	i := slices.IndexFunc(groupInputs, func(row calculator.Input[Group]) bool { return row.Name == name })
	return groupInputs[i]
}

// CheckCurve returns the errors of a change curve.
func CheckCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	return checkCurve(points, at)
}
