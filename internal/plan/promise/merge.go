package promise

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/simulation"
)

// setLinks sets the results of the links that need no further simulation.
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

// tierNames returns the sorted names of the tiers for which is returns true. It is never nil, because the names are
// results.
func (p Plan) tierNames(is func(Tier) bool) []string {
	found := []string{}
	for _, name := range names(p.Tiers) {
		if is(p.Tiers[name]) {
			found = append(found, name)
		}
	}
	return found
}

// result merges the results of the parts.
func (ev *evaluation) result() Result {
	r := ev.emptyResult()
	for _, pt := range ev.parts {
		maps.Copy(r.Promises, pt.promises)
		maps.Copy(r.Links, pt.links)
		if runs := int64(pt.results[asGiven].Runs); r.Runs == 0 || runs < r.Runs {
			r.Runs = runs
		}
	}
	ev.setTargets(&r)
	for _, one := range r.Promises {
		r.Verdict = plan.Worse(r.Verdict, one.Verdict)
	}
	for i, a := range r.Assumed {
		r.Assumed[i].Decides = ev.decides(r, a)
	}
	ev.explain(&r)
	return r
}

// emptyResult returns the result for links without tiers, and for tiers that are in no part: empty ones and those
// without a VM of known size.
func (ev *evaluation) emptyResult() Result {
	r := Result{
		Verdict:       plan.Empty,
		Promises:      make(map[string]Promise, len(ev.plan.Tiers)),
		Links:         make(map[string]LinkResult, len(ev.plan.Links)),
		Targets:       make(map[string]TargetResult, len(ev.plan.Targets)),
		Assumed:       ev.plan.assumptions(),
		NotCounted:    ev.plan.notCounted(),
		DaysSimulated: simulation.MeasuredDays,
	}
	for name, l := range ev.plan.Links {
		r.Links[name] = LinkResult{
			ThroughputMbps:   l.capacity().mean(),
			HourlyUsePercent: make([]float64, hoursPerDay),
			Promises:         []string{},
		}
	}
	for name, t := range ev.plan.Tiers {
		verdict := plan.Unknown
		if t.count() == 0 {
			verdict = plan.Empty
		}
		r.Promises[name] = Promise{
			VMCount:             int64(t.count()),
			Verdict:             verdict,
			LikelyVerdict:       verdict,
			LateVirtualMachines: []LateVM{},
			Remedies:            []Remedy{},
		}
	}
	return r
}

// setTargets sets the space and the busiest writes of all targets.
func (ev *evaluation) setTargets(r *Result) {
	for _, pt := range ev.parts {
		for i, name := range names(pt.full.Targets) {
			busiest := pt.results[asGiven].Targets[i].BusiestHourPercent
			r.Targets[name] = TargetResult{BusiestWritePercent: busiest}
		}
	}
	for name, target := range ev.plan.Targets {
		one := r.Targets[name]
		one.NeededGiB = ev.full.neededGiB(name, asGiven)
		one.Promises = ev.plan.tierNames(func(t Tier) bool { return t.Target == name })
		if target.FreeGiB != nil {
			one.FreeAfterGiB = new(*target.FreeGiB - one.NeededGiB)
		}
		one.MonthsUntilFull = ev.full.monthsUntilFull(name)
		r.Targets[name] = one
	}
}

// decides reports whether a promise would be judged better if the value of an assumed input were known.
func (ev *evaluation) decides(r Result, a plan.Assumption) bool {
	return slices.ContainsFunc(names(r.Promises), func(tier string) bool {
		promise := r.Promises[tier]
		isOfLink := ev.plan.linkOf(ev.plan.Tiers[tier]) == a.At
		if a.Input == inputMeasured {
			return isOfLink && promise.holds && ev.plan.Links[a.At].isOld()
		}
		if isOfTier := a.At == tier; !isOfTier && (a.Input != inputBasis || !isOfLink) {
			return false
		}
		if hasRange := a.WorseValue != nil; hasRange {
			return slices.Contains(promise.decidedBy, a.Input)
		}
		return promise.isOnlyAtRiskAsAssumed()
	})
}

// isOnlyAtRiskAsAssumed reports whether the promise holds at both ends of all ranges, but rests on an assumed value.
func (one *Promise) isOnlyAtRiskAsAssumed() bool {
	return one.LikelyVerdict == plan.Meets && one.Verdict != plan.Meets &&
		(one.WorseEndVerdict == nil || *one.WorseEndVerdict == plan.Meets)
}
