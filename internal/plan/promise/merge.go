package promise

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (pt *part) setLinks() {
	for i, name := range names(pt.full.Links) {
		use := pt.results[asGiven].Links[i]
		pt.links[name] = LinkResult{
			ThroughputMbps:     pt.full.Links[name].capacity().mean(),
			UsePercent:         use.UsePercent,
			BusiestHourPercent: use.BusiestHourPercent,
			HourlyUsePercent:   use.HourlyUsePercent[:],
			Promises:           pt.full.tierNames(func(t Tier) bool { return pt.full.linkOf(t) == name }),
		}
	}
}

func (p Plan) tierNames(is func(Tier) bool) []string {
	on := slices.DeleteFunc(names(p.Tiers), func(name string) bool { return !is(p.Tiers[name]) })
	return append([]string{}, on...)
}

// result merges the results of the parts.
func (ev *evaluation) result() Result {
	r := Result{
		Verdict:       plan.Empty,
		Promises:      make(map[string]Promise, len(ev.plan.Tiers)),
		Links:         make(map[string]LinkResult, len(ev.plan.Links)),
		Targets:       make(map[string]TargetResult, len(ev.plan.Targets)),
		Assumed:       ev.plan.assumptions(),
		NotCounted:    ev.plan.notCounted(),
		DaysSimulated: simulation.MeasuredDays,
	}
	for _, name := range names(ev.plan.Links) {
		r.Links[name] = LinkResult{
			ThroughputMbps:   ev.plan.Links[name].capacity().mean(),
			HourlyUsePercent: make([]float64, hoursPerDay),
			Promises:         []string{},
		}
	}
	for _, name := range names(ev.plan.Tiers) {
		t := ev.plan.Tiers[name]
		one := Promise{
			VMCount:             int64(t.count()),
			Verdict:             plan.Unknown,
			LikelyVerdict:       plan.Unknown,
			LateVirtualMachines: []LateVM{},
			Remedies:            []Remedy{},
		}
		if t.count() == 0 {
			one.Verdict, one.LikelyVerdict = plan.Empty, plan.Empty
		}
		r.Promises[name] = one
	}
	for _, pt := range ev.parts {
		maps.Copy(r.Promises, pt.promises)
		maps.Copy(r.Links, pt.links)
		if runs := int64(pt.results[asGiven].Runs); r.Runs == 0 || runs < r.Runs {
			r.Runs = runs
		}
		pt.setTargets(r.Targets)
	}
	for _, name := range names(ev.plan.Targets) {
		if _, ok := r.Targets[name]; !ok {
			r.Targets[name] = TargetResult{}
		}
		one := r.Targets[name]
		one.NeededGiB = ev.full.neededGiB(name, asGiven)
		one.Promises = ev.plan.tierNames(func(t Tier) bool { return t.Target == name })
		if free := ev.plan.Targets[name].FreeGiB; free != nil {
			one.FreeAfterGiB = new(*free - one.NeededGiB)
		}
		one.MonthsUntilFull = ev.full.monthsUntilFull(name)
		r.Targets[name] = one
	}
	for _, one := range r.Promises {
		r.Verdict = plan.Worse(r.Verdict, one.Verdict)
	}
	for i, a := range r.Assumed {
		r.Assumed[i].Decides = ev.decides(r, a)
	}
	ev.explain(&r)
	return r
}

func (pt *part) setTargets(all map[string]TargetResult) {
	for i, name := range names(pt.full.Targets) {
		all[name] = TargetResult{BusiestWritePercent: pt.results[asGiven].Targets[i].BusiestHourPercent}
	}
}

// decides reports whether a promise would be judged better if the value of an assumed input were known.
func (ev *evaluation) decides(r Result, a plan.Assumption) bool {
	for _, name := range names(r.Promises) {
		t, one := ev.plan.Tiers[name], r.Promises[name]
		applies := a.At == name || a.Input == inputBasis && ev.plan.linkOf(t) == a.At
		switch {
		case a.Input == inputMeasured:
			if one.holds && ev.plan.linkOf(t) == a.At && ev.plan.Links[a.At].isOld() {
				return true
			}
		case !applies:
		case a.WorseValue != nil && slices.Contains(one.decidedBy, a.Input):
			return true
		case a.WorseValue == nil && one.LikelyVerdict == plan.Meets && one.Verdict != plan.Meets:
			return one.WorseEndVerdict == nil || *one.WorseEndVerdict == plan.Meets
		}
	}
	return false
}
