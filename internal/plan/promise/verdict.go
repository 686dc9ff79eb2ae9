package promise

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// holdsBy returns how a tier with the given result keeps its promise, or an empty string if it does not.
func (t Tier) holdsBy(configured float64, r simulation.TierResult) string {
	switch {
	case !t.canConfigure(configured):
		return ""
	case !r.Late:
		return ByBound
	case r.LongestSyncMinutes <= configured/2:
		return ByVendorRule
	case t.ConfiguredRPOMinutes != nil && r.WithinPercent >= t.targetPercent():
		return ByShare
	}
	return ""
}

// holdsBy returns the weakest way in which the tier keeps its promise in the variants in which it keeps it; nil if it
// does not keep it with likely inputs.
func (pt *part) holdsBy(i int) *string {
	t := pt.full.Tiers[pt.tiers[i]]
	by := t.holdsBy(pt.choice.Minutes[i], pt.results[asGiven].Tiers[i])
	if by == "" {
		return nil
	}
	order := []string{ByBound, ByVendorRule, ByShare}
	for _, r := range pt.results {
		at := slices.Index(order, t.holdsBy(pt.choice.Minutes[i], r.Tiers[i]))
		by = order[max(at, slices.Index(order, by))]
	}
	return &by
}

func (t Tier) targetPercent() float64 {
	if t.TargetCompliancePercent != nil {
		return *t.TargetCompliancePercent
	}
	return DefaultTargetPercent
}

func shareOrNil(of simulation.TierResult) *float64 {
	if math.IsNaN(of.WithinPercent) {
		return nil
	}
	return &of.WithinPercent
}

func (pt *part) evaluatePromise(i int, name string) Promise {
	t := pt.full.Tiers[name]
	likely := pt.results[asGiven].Tiers[i]
	one := Promise{
		VMCount:              int64(t.count()),
		LateVirtualMachines:  []LateVM{},
		Remedies:             []Remedy{},
		judgedMinutes:        pt.choice.Minutes[i],
		suggestionHoldsWorse: pt.suggestions[name].HoldsWorse,
		InitialSyncMinutes:   pt.results[asGiven].initial[i],
		WithinRPOPercent:     shareOrNil(likely),
		LongestSyncMinutes:   &likely.LongestSyncMinutes,
		WorstVirtualMachine:  t.vmName(likely.OldestVM),
		waitMinutes:          pt.results[asGiven].waitMinutes,
		isClosed:             pt.results[asGiven].isClosed,
	}
	if !math.IsInf(likely.OldestMinutes, 1) {
		one.OldestRecoveryPointMinutes = &likely.OldestMinutes
	}
	total := 0.0
	for _, vm := range pt.plan.Tiers[name].vms() {
		total += float64(vm.Count) * vm.SizeGiB
	}
	one.TotalGiB = &total
	if t.Target != "" {
		one.TargetGiB = new(t.spaceGiB(asGiven))
	}
	mean, busiest := changeMbps(pt.full.estate(asGiven).Tiers[i])
	one.ChangeMbps = &mean
	one.BusiestChangeMbps = &busiest
	one.setRecovery(pt.recoveries[name], pt.full.Links[pt.full.linkOf(t)].OutageMinutes != nil)
	if t.DeadlineHours != nil {
		one.DeadlineMet = new(meetsDeadline(t, one.InitialSyncMinutes))
	}
	one.HoldsBy = pt.holdsBy(i)
	switch {
	case t.ConfiguredRPOMinutes == nil && one.HoldsBy != nil:
		one.SuggestedRPOMinutes = &pt.choice.Minutes[i]
	case pt.suggestions[name].HoldsLikely:
		one.SuggestedRPOMinutes = &pt.suggestions[name].Minutes[i]
	}
	if one.HoldsBy == nil || *one.HoldsBy != ByVendorRule {
		one.setLate(t, likely)
	}
	pt.setVariants(i, &one)
	pt.setVerdict(i, name, &one)
	return one
}

func meetsDeadline(t Tier, minutes *float64) bool {
	return minutes != nil && *minutes <= *t.DeadlineHours*quantity.MinutesPerHour
}

func (one *Promise) setLate(t Tier, r simulation.TierResult) {
	target := float64(quantity.Percent)
	if t.ConfiguredRPOMinutes != nil {
		target = t.targetPercent()
	}
	sizes := t.vms()
	for _, late := range r.LateVMs {
		if late.WithinPercent >= target {
			break
		}
		if one.LateVMCount++; one.LateVMCount > MaxLateNames {
			continue
		}
		size := sizes[0].SizeGiB
		if t.VMCount == nil {
			size = sizes[late.VM].SizeGiB
		}
		one.LateVirtualMachines = append(one.LateVirtualMachines, LateVM{
			Name:                       t.vmName(late.VM),
			SizeGiB:                    size,
			WithinRPOPercent:           late.WithinPercent,
			OldestRecoveryPointMinutes: late.OldestMinutes,
		})
	}
}

func (one *Promise) setRecovery(of recoveries, outage bool) {
	one.TogetherOldestRecoveryPointMinutes = &of.together.OldestMinutes
	one.TogetherWithinRPOAfterMinutes = of.together.WithinAfterMinutes
	if outage {
		one.OutageOldestRecoveryPointMinutes = &of.outage.OldestMinutes
		one.OutageWithinRPOAfterMinutes = of.outage.WithinAfterMinutes
	}
}

// setVerdict sets the verdict, which considers all variants and the tier's limits.
func (pt *part) setVerdict(i int, name string, one *Promise) {
	t := pt.full.Tiers[name]
	one.Verdict = one.LikelyVerdict
	if one.MovesVerdict != nil {
		one.Verdict = plan.Worse(one.Verdict, *one.MovesVerdict)
	}
	for v := range pt.results {
		if one.Verdict == plan.Meets && pt.verdictAt(v, i) != plan.Meets {
			one.Verdict = plan.AtRisk
		}
	}
	if one.Verdict == plan.Meets &&
		(pt.evaluation.plan.exceedsLimits(name) || pt.evaluation.full.isNearlyFull(t.Target, asGiven)) {
		one.Verdict = plan.AtRisk
	}
	if t.outageExceeded(*one) {
		one.Verdict = plan.Misses
	}
	one.holds = one.Verdict == plan.Meets
	if one.holds && (len(t.AssumedInputs) > 0 || pt.full.Links[pt.full.linkOf(t)].isOld()) {
		one.Verdict = plan.AtRisk
	}
	one.knownVerdict = one.Verdict
	if _, ok := pt.unknown[name]; ok {
		one.Verdict = plan.Worse(one.Verdict, plan.Unknown)
	}
}

// verdictAt returns the verdict on a tier in a variant.
func (pt *part) verdictAt(v variant, i int) plan.Level {
	t, r := pt.full.Tiers[pt.tiers[i]], pt.results[v]
	switch {
	case t.DeadlineHours != nil && !meetsDeadline(t, r.initial[i]), pt.evaluation.full.isFull(t.Target, v):
		return plan.Misses
	case t.holdsBy(pt.choice.Minutes[i], r.Tiers[i]) != "":
		return plan.Meets
	case t.ConfiguredRPOMinutes != nil && t.canConfigure(*t.ConfiguredRPOMinutes) &&
		r.Tiers[i].WithinPercent >= min(AtRiskPercent, t.targetPercent()):
		return plan.AtRisk
	}
	return plan.Misses
}

func (t Tier) outageExceeded(one Promise) bool {
	most, oldest := t.MaxOutageRPOMinutes, one.OutageOldestRecoveryPointMinutes
	return most != nil && oldest != nil && *oldest > *most
}

// setVariants sets the verdicts in all variants, and the percentages on which they are based.
func (pt *part) setVariants(i int, one *Promise) {
	one.LikelyVerdict = pt.verdictAt(asGiven, i)
	if worse := pt.results[worseEnd]; worse != nil {
		one.WorseEndVerdict = new(pt.verdictAt(worseEnd, i))
		one.WorseEndWithinRPOPercent = shareOrNil(worse.Tiers[i])
		one.worseInitialMinutes = worse.initial[i]
		t := pt.full.Tiers[pt.tiers[i]]
		one.missesDeadlineAtWorseEnd = t.DeadlineHours != nil && !meetsDeadline(t, worse.initial[i])
		if *one.WorseEndVerdict == plan.Meets {
			one.worseOldestMinutes = worse.Tiers[i].OldestMinutes
		}
	}
	if moving := pt.results[whileMoving]; moving != nil {
		one.MovesVerdict = new(pt.verdictAt(whileMoving, i))
		one.MovesWithinRPOPercent = &moving.Tiers[i].WithinPercent
	}
	if moving := pt.results[worseEnd|whileMoving]; moving != nil {
		share := shareOrNil(moving.Tiers[i])
		verdict := plan.Worse(*one.WorseEndVerdict, pt.verdictAt(worseEnd|whileMoving, i))
		if *one.WorseEndVerdict == plan.Meets && verdict != plan.Meets {
			one.movesWorseEndPercent = &moving.Tiers[i].WithinPercent
		}
		if one.WorseEndVerdict = &verdict; share != nil && (one.WorseEndWithinRPOPercent == nil ||
			*share < *one.WorseEndWithinRPOPercent) {
			one.WorseEndWithinRPOPercent = share
		}
	}
}

// WorseChangeMbps returns the change rate on the wire of each tier that has VMs of known size, in its busiest interval
// of the length of the promised RPO, at the worse end of the tier's inputs.
func (p Plan) WorseChangeMbps() map[string]float64 {
	p = p.withMeasured().complete()
	rates, tiers := make(map[string]float64), p.estate(worseEnd).Tiers
	for i, name := range p.simulated() {
		_, rates[name] = changeMbps(tiers[i])
	}
	return rates
}

// changeMbps returns the mean change rate of a tier on the wire, and the change rate in its busiest interval of the
// length of the promised RPO.
func changeMbps(t simulation.Tier) (mean, busiest float64) {
	seconds := t.PromisedMinutes * quantity.SecondsPerMinute
	return t.MeanBits() / quantity.BitsPerMbit, t.BusiestBits(t.PromisedMinutes) / seconds / quantity.BitsPerMbit
}
