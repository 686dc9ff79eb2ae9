package simulation

import (
	"cmp"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Result contains the results of all runs.
type Result struct {
	// Runs is the number of runs.
	Runs int
	// Tiers, Links and Targets have the same indexes as in the estate.
	Tiers   []TierResult
	Links   []LinkUtilization
	Targets []TargetUtilization
}

// TierResult contains the results for a tier. All ages are the greatest possible ones.
type TierResult struct {
	// Late reports whether a sync could replace a recovery point older than the promised RPO.
	Late bool
	// WithinPercent is the smallest share of time, over the VMs, that a VM's recovery points are within the promised
	// RPO: the mean over the runs, in percent.
	WithinPercent float64
	// OldestMinutes is the greatest age of a recovery point in any run, and OldestVM is the index of its VM.
	OldestMinutes float64
	OldestVM      int
	// LongestSyncMinutes is the longest duration of a sync in any run.
	LongestSyncMinutes float64
	// LateVMs contains the VMs that are not within the promised RPO all the time, starting with the worst.
	LateVMs []LateVM
}

// LateVM describes the lateness of a VM.
type LateVM struct {
	// VM is the index of the VM in the tier.
	VM int
	// WithinPercent is the share of time that the VM's recovery points are within the promised RPO, in percent.
	WithinPercent float64
	// OldestMinutes is the greatest age of a recovery point.
	OldestMinutes float64
}

// LinkUtilization is the utilization of a link in the first run.
type LinkUtilization struct {
	// UsePercent is the mean utilization. BusiestHourPercent is the utilization in the busiest hour.
	UsePercent, BusiestHourPercent float64
	// HourlyUsePercent is the mean utilization by hour of the day.
	HourlyUsePercent [HoursPerDay]float64
}

// TargetUtilization is the utilization of a target in the first run.
type TargetUtilization struct {
	// BusiestHourPercent is the utilization of the write rate in the busiest hour; nil if the write rate is unlimited.
	BusiestHourPercent *float64
}

// outcome is the outcome of a tier in a run. ages contains an element for each of its VMs.
type outcome struct {
	*tierState

	ages []ages
}

// result returns the results of all runs, of which the first is detailed.
func (e Estate) result(detailed *simulation, outcomes [][]outcome) Result {
	r := Result{Runs: len(outcomes)}
	for i := range e.Tiers {
		runs := make([]outcome, len(outcomes))
		for run, of := range outcomes {
			runs[run] = of[i]
		}
		r.Tiers = append(r.Tiers, tierResult(runs))
	}
	if of, ok := e.only(); ok {
		of.apply(&r.Tiers[0])
	}
	for i := range e.Links {
		r.Links = append(r.Links, detailed.linkUtilization(i))
	}
	for i, t := range e.Targets {
		r.Targets = append(r.Targets, detailed.targetUtilization(i, t))
	}
	return r
}

func tierResult(runs []outcome) TierResult {
	t := TierResult{WithinPercent: quantity.Percent}
	for _, of := range runs {
		t.Late = t.Late || of.isLate
		t.LongestSyncMinutes = max(t.LongestSyncMinutes, of.longest/quantity.SecondsPerMinute)
		if minutes := of.oldest / quantity.SecondsPerMinute; minutes > t.OldestMinutes {
			t.OldestMinutes, t.OldestVM = minutes, of.oldestVM
		}
	}
	for vm := range runs[0].ages {
		one := LateVM{VM: vm}
		isLate := false
		for _, run := range runs {
			of := run.ages[vm]
			isLate = isLate || of.late > 0
			one.OldestMinutes = max(one.OldestMinutes, of.oldest/quantity.SecondsPerMinute)
			one.WithinPercent += of.withinPercent() / float64(len(runs))
		}
		if isLate {
			t.WithinPercent = min(t.WithinPercent, one.WithinPercent)
			t.LateVMs = append(t.LateVMs, one)
		}
	}
	slices.SortFunc(t.LateVMs, func(a, b LateVM) int {
		return cmp.Or(cmp.Compare(a.WithinPercent, b.WithinPercent), cmp.Compare(a.VM, b.VM))
	})
	return t
}

func (a ages) withinPercent() float64 {
	if a.total == 0 {
		return quantity.Percent
	}
	return quantity.Percent * (1 - a.late/a.total)
}

func (s *simulation) linkUtilization(link int) LinkUtilization {
	var u LinkUtilization
	var possible, sent [HoursPerDay]float64
	sums := s.capacities[link].sent
	for hour := warmUpDays * HoursPerDay; hour < len(sums); hour++ {
		of := s.estate.Links[link].HourlyRates[hour%HoursPerDay] * quantity.SecondsPerHour
		possible[hour%HoursPerDay] += of
		sent[hour%HoursPerDay] += sums[hour]
		if of > 0 {
			u.BusiestHourPercent = max(u.BusiestHourPercent, min(quantity.Percent, sums[hour]/of*quantity.Percent))
		}
	}
	for h := range HoursPerDay {
		if possible[h] > 0 {
			u.HourlyUsePercent[h] = min(quantity.Percent, sent[h]/possible[h]*quantity.Percent)
		}
	}
	if all := Mean(possible[:]); all > 0 {
		u.UsePercent = min(quantity.Percent, Mean(sent[:])/all*quantity.Percent)
	}
	return u
}

func (s *simulation) targetUtilization(target int, t Target) TargetUtilization {
	if t.WriteRate == 0 {
		return TargetUtilization{}
	}
	sent := s.capacities[len(s.estate.Links)+target].sent[warmUpDays*HoursPerDay:]
	part := slices.Max(sent) / (t.WriteRate * quantity.SecondsPerHour)
	return TargetUtilization{BusiestHourPercent: new(min(quantity.Percent, part*quantity.Percent))}
}
