package promise

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const maxNamed = 5

func (a *answer) explain() {
	r := &a.result
	for _, name := range names(r.Promises) {
		one := r.Promises[name]
		a.explainPromise(name, &one)
		r.Promises[name] = one
	}
	for _, name := range names(r.Links) {
		if len(r.Links[name].Promises) == 0 {
			r.Findings = append(r.Findings, reasonLinkUnused.Finding("the "+linkNamed(name)))
		}
	}
	for _, name := range names(r.Targets) {
		if len(r.Targets[name].Promises) == 0 {
			r.Findings = append(r.Findings, reasonTargetUnused.Finding(fmt.Sprintf("the target %q", name)))
		}
	}
	r.NotCounted = a.plan.notCounted()
	r.Summary = a.summary()
}

var words = map[string]string{
	VerdictMeets: "holds", VerdictAtRisk: "is at risk", VerdictUnknown: "is not known to hold",
	VerdictMisses: "does not hold",
}

func (a *answer) summary() string {
	r := a.result
	var parts []string
	for _, verdict := range slices.Backward(codes) {
		of := slices.DeleteFunc(names(r.Promises), func(name string) bool { return r.Promises[name].Verdict != verdict })
		if len(of) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", strings.ReplaceAll(verdict, "_", " "), quantity.List(of, maxNamed)))
		}
	}
	text := []string{plan.Count(float64(len(r.Promises)), "promise") + "; " + strings.Join(parts, "; ") + "."}
	if r.Runs > 0 {
		text = append(text, fmt.Sprintf("Simulated in %s of %s.", plan.Count(float64(r.Runs), "run"),
			plan.Count(float64(r.DaysSimulated), "day")))
	}
	for _, name := range names(r.Links) {
		if need := r.Links[name].ThroughputNeededMbps; need != nil {
			text = append(text, fmt.Sprintf("The %s needs %s Mbit/s, and has %s.", linkNamed(name), plan.Thousands(*need, -1),
				plan.Thousands(r.Links[name].ThroughputMbps, -1)))
		}
	}
	return strings.Join(text, " ")
}

func (a *answer) explainPromise(name string, one *Promise) {
	t := a.plan.Tiers[name]
	find := func(r calculator.Reason, args ...any) { one.Findings = append(one.Findings, r.Finding(args...)) }
	a.explainUnknown(name, find)
	if i := slices.Index(a.tiers, name); i >= 0 {
		a.explainShares(one, t, i, find)
		a.explainSpace(t, find)
	}
	version, figures := maxima()
	for _, code := range a.plan.exceeded(name) {
		switch code {
		case reasonAbove500.Code:
			find(reasonAbove500, plan.Thousands(a.plan.replicas(Tier.frequent), 0), version,
				plan.Thousands(figures["replications_at_min_rpo"], 0))
		case reasonAppliance.Code:
			find(reasonAppliance, plan.Thousands(a.plan.replicas(func(Tier) bool { return true }), 0),
				plan.Thousands(figures["replications"], 0), version)
		case reasonQuiesced.Code:
			find(reasonQuiesced, minutes(t.RPOMinutes))
		}
	}
	if t.replicated() && t.RPOMinutes < frequentMinutes {
		find(reasonEnhanced, minutes(t.RPOMinutes))
	}
	if !t.replicated() {
		find(reasonScheduler)
	}
	one.Summary = summarize(t, a.plan.Links[a.plan.linkOf(t)].OutageMinutes != nil, one)
}

func (a *answer) explainUnknown(name string, find func(calculator.Reason, ...any)) {
	u := a.unknown[name]
	if u.empty {
		find(reasonNoVMs)
	}
	if len(u.sizeless) > 0 {
		find(reasonSizeless, plan.Count(float64(len(u.sizeless)), "VM"), quantity.List(u.sizeless, maxNamed))
	}
	if n := len(u.twice); n > 0 {
		are := " are"
		if n == 1 {
			are = " is"
		}
		find(reasonTwice, plan.Count(float64(n), "VM")+are, quantity.List(u.twice, maxNamed))
	}
	if len(u.others) > 0 {
		find(reasonBeside, quantity.List(u.others, maxNamed))
	}
}

func (a *answer) explainShares(one *Promise, t Tier, i int, find func(calculator.Reason, ...any)) {
	of := a.likely.Tiers[i]
	if len(one.LateVirtualMachines) > 0 {
		promised := promisedPercent(t)
		worst := one.LateVirtualMachines[0]
		verb := "are"
		if one.LateVMCount == 1 {
			verb = "is"
		}
		find(reasonLate, plan.Thousands(float64(one.LateVMCount), 0), plan.Count(float64(one.VMCount), "VM"), verb,
			minutes(t.RPOMinutes), plan.Thousands(promised, -1), worst.Name, down(worst.WithinRPOPercent),
			minutes(worst.OldestRecoveryPointMinutes))
	}
	if slices.Contains(of.Reasons, simulation.NotConverged) {
		find(reasonNotConverged)
	}
	if slices.Contains(of.Reasons, simulation.OneRun) {
		find(reasonOneRun, plan.Count(float64(a.likely.Runs), "run"), plan.Count(float64(a.likely.Days), "day"))
	}
	if slices.Contains(of.Reasons, simulation.TwoStates) {
		find(reasonTwoStates)
	}
	if one.DeadlineMet != nil && !*one.DeadlineMet {
		after := "more than 31 days"
		if one.InitialSyncMinutes != nil {
			after = minutes(*one.InitialSyncMinutes)
		}
		find(reasonDeadline, after, quantity.Duration(*t.DeadlineHours*quantity.SecondsPerHour))
	}
	a.explainMoves(one, i, find)
	if one.WorseEndVerdict == nil || one.LikelyVerdict != VerdictMeets || *one.WorseEndVerdict == VerdictMeets {
		return
	}
	share := down(*one.WorseEndWithinRPOPercent)
	if promised := promisedPercent(t); *one.WorseEndWithinRPOPercent >= promised {
		a.explainWorseEnd(t, i, find)
		return
	}
	if c := a.plan.Links[a.plan.linkOf(t)].capacity(); c.band > 0 && a.plan.onlyBands() {
		find(reasonBand, plan.Thousands(c.band, -1), share)
		return
	}
	find(reasonWorseEnd, share)
}

// promisedPercent returns the share of time for which each VM of a tier is promised to be within its RPO.
func promisedPercent(t Tier) float64 {
	if t.TargetCompliancePercent != nil {
		return *t.TargetCompliancePercent
	}
	return simulation.MeetsPercent
}

// explainWorseEnd explains why a promise is missed at the worse end, if the reason is the deadline or that the halves
// differ.
func (a *answer) explainWorseEnd(t Tier, i int, find func(calculator.Reason, ...any)) {
	switch {
	case t.DeadlineHours != nil && !meetsDeadline(t, a.worse.initial[i]):
		find(reasonWorseDeadline, quantity.Duration(*t.DeadlineHours*quantity.SecondsPerHour))
	case slices.Contains(a.worse.Tiers[i].Reasons, simulation.NotConverged):
		find(reasonWorseHalves)
	}
}

func (p Plan) onlyBands() bool {
	for _, l := range p.Links {
		if len(l.Ranges) > 0 {
			return false
		}
	}
	for _, t := range p.Tiers {
		if len(t.Ranges) > 0 {
			return false
		}
	}
	return true
}

func (a *answer) explainSpace(t Tier, find func(calculator.Reason, ...any)) {
	for _, e := range []end{asGiven, worseEnd} {
		if e == worseEnd && a.worse == nil || !a.plan.nearlyFull(t.Target, e) {
			continue
		}
		reason := reasonNearlyFull
		if a.plan.full(t.Target, e) {
			reason = reasonFull
		}
		find(reason, t.Target, quantity.FromGiB(a.plan.needed(t.Target, e)).Ceil(),
			quantity.FromGiB(*a.plan.Targets[t.Target].FreeGiB))
		return
	}
}

func summarize(t Tier, fails bool, one *Promise) string {
	text := fmt.Sprintf("An RPO of %s for %s %s", minutes(t.RPOMinutes), plan.Count(float64(one.VMCount), "VM"),
		words[one.Verdict])
	if one.WithinRPOPercent != nil {
		text += fmt.Sprintf(": %s%% of the time for the worst (%s)", down(*one.WithinRPOPercent), one.DecidedBy)
	}
	sentences := []string{text + "."}
	if worst := one.WorstRecoveryPointMinutes; fails && worst != nil && *worst > t.RPOMinutes {
		sentences = append(sentences, fmt.Sprintf("With the outage a VM is late for up to %s at a time.",
			minutes(*worst-t.RPOMinutes)))
	}
	for _, remedy := range one.Remedies {
		sentences = append(sentences, remedy.Sentence)
	}
	if one.Verdict != VerdictMisses && one.MonthsUntilMiss != nil {
		sentences = append(sentences, fmt.Sprintf("With growth it misses from month %d on.", *one.MonthsUntilMiss))
	}
	return strings.Join(sentences, " ")
}

// OnlyLink is the name given to the only link of a plan if that link has no name.
const OnlyLink = "link"

func linkNamed(name string) string {
	if name == OnlyLink {
		return name
	}
	return "link " + name
}

func minutes(n float64) string { return quantity.Duration(n * quantity.SecondsPerMinute).String() }

func down(share float64) string { return plan.Thousands(plan.Down.Round(share, 2), -1) }
