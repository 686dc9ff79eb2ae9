package migration

import (
	"cmp"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (v VM) dirtyRateIsUnknown() bool { return v.Method == MethodVMotion && v.MemoryDirtyMbps == nil }

func (v VM) changeIsUnknown() bool {
	return v.Method == MethodReplication && v.DailyChangePercent == nil
}

// judgeDirtyRates reports whether a downtime is promised for a VM whose dirty rate is unknown.
func (r *PlanResult) judgeDirtyRates(in PlanInput) bool {
	unknown := in.vmsThat(VM.dirtyRateIsUnknown)
	if len(unknown) == 0 {
		return false
	}
	r.find(reasonDirtyRateUnknown, quantity.List(unknown, maxNamedVMs))
	return slices.ContainsFunc(unknown, func(name string) bool { return in.promisedDowntime(name) != nil })
}

// vmsThat returns the names of the VMs for which a condition holds, sorted.
func (in PlanInput) vmsThat(holds func(VM) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(in.VMs)), func(name string) bool { return !holds(in.VMs[name]) })
}

func (in PlanInput) promisedDowntime(name string) *float64 {
	return cmp.Or(in.VMs[name].MaxDowntimeMinutes, in.MaxDowntimeMinutes)
}

// assumptions returns the inputs that are not known, sorted by VM and name.
func (in PlanInput) assumptions(r *PlanResult) []plan.Assumption {
	all := []plan.Assumption{}
	if in.ResumeSeconds < minStopSeconds && len(in.vmsThat(VM.dirtyRateIsUnknown)) > 0 {
		all = append(all, plan.Assumption{Input: "resume_seconds", Value: minStopSeconds})
	}
	if in.SetupSeconds == nil {
		all = append(all, plan.Assumption{
			Input:      "setup_seconds",
			WorseValue: new(float64(assumedSetupSeconds)),
			Decides: r.Verdict == plan.AtRisk &&
				slices.Contains(plan.Codes(r.Findings), reasonFixedCostUnknown.Code),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		v := in.VMs[name]
		if v.changeIsUnknown() {
			all = append(all, plan.Assumption{
				Input:   "daily_change_percent",
				At:      name,
				Decides: r.Verdict == plan.AtRisk,
			})
		}
		if v.dirtyRateIsUnknown() {
			all = append(all, plan.Assumption{
				Input:   "memory_dirty_mbps",
				At:      name,
				Decides: r.Verdict == plan.AtRisk && in.promisedDowntime(name) != nil,
			})
		}
	}
	return all
}

// concurrentVMotions returns the largest number of vMotions that run at the same time.
func (r *PlanResult) concurrentVMotions() int {
	changes := map[float64]int{}
	for _, m := range r.Moves {
		if m.Method == MethodVMotion && m.StartSeconds != nil {
			changes[*m.StartSeconds]++
			changes[*m.EndSeconds]--
		}
	}
	running, most := 0, 0
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		running += changes[at]
		most = max(most, running)
	}
	return most
}
