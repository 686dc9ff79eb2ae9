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

func (ev *evaluation) explain() {
	r := &ev.result
	for _, name := range names(r.Promises) {
		one := r.Promises[name]
		ev.explainPromise(name, &one)
		r.Promises[name] = one
	}
	for _, name := range names(r.Links) {
		if len(r.Links[name].Promises) == 0 {
			r.Findings = append(r.Findings, reasonLinkUnused.Finding("the "+linkText(name)))
		}
	}
	for _, name := range names(r.Targets) {
		if len(r.Targets[name].Promises) == 0 {
			r.Findings = append(r.Findings, reasonTargetUnused.Finding(fmt.Sprintf("the target %q", name)))
		}
	}
	r.NotCounted = ev.plan.notCounted()
	r.Summary = ev.summary()
}

var verdictWords = map[string]string{
	VerdictMeets: "holds", VerdictAtRisk: "is at risk", VerdictUnknown: "is not known to hold",
	VerdictMisses: "does not hold",
}

var countWords = map[string]string{
	VerdictMeets: "met", VerdictAtRisk: "at risk", VerdictUnknown: "unknown", VerdictMisses: "missed",
}

func (ev *evaluation) summary() string {
	r := ev.result
	var parts []string
	for _, verdict := range slices.Backward(codes) {
		of := slices.DeleteFunc(names(r.Promises), func(name string) bool { return r.Promises[name].Verdict != verdict })
		if len(of) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(of), countWords[verdict], quantity.List(of, maxNamed)))
		}
	}
	text := []string{plan.Count(float64(len(r.Promises)), "promise") + ": " + strings.Join(parts, ", ") + "."}
	if r.Runs > 0 {
		text = append(text, fmt.Sprintf("Simulated in %s of %s.", plan.Count(float64(r.Runs), "run"),
			plan.Count(float64(r.DaysSimulated), "day")))
	}
	for _, name := range names(r.Links) {
		if need := r.Links[name].ThroughputNeededMbps; need != nil {
			text = append(text, fmt.Sprintf("The %s requires %s Mbit/s and provides %s.", linkText(name),
				plan.Thousands(*need, -1), formatMbps(r.Links[name].ThroughputMbps)))
		}
	}
	return strings.Join(text, " ")
}

func (ev *evaluation) explainPromise(name string, one *Promise) {
	t := ev.plan.Tiers[name]
	find := func(r calculator.Reason, args ...any) { one.Findings = append(one.Findings, r.Finding(args...)) }
	ev.explainUnknown(name, find)
	if i := slices.Index(ev.tiers, name); i >= 0 {
		ev.explainShares(one, t, i, find)
		ev.explainSpace(t, find)
	}
	version, figures := replicationLimits()
	for _, code := range ev.plan.exceededLimits(name) {
		switch code {
		case reasonAbove500.Code:
			find(reasonAbove500, plan.Thousands(ev.plan.countReplicas(Tier.isFrequent), 0), version,
				plan.Thousands(figures["replications_at_min_rpo"], 0))
		case reasonAppliance.Code:
			find(reasonAppliance, plan.Thousands(ev.plan.countReplicas(func(Tier) bool { return true }), 0),
				plan.Thousands(figures["replications"], 0), version)
		case reasonQuiesced.Code:
			find(reasonQuiesced, formatMinutes(t.RPOMinutes))
		}
	}
	if t.isVSphereReplication() && t.RPOMinutes < frequentMinutes {
		find(reasonEnhanced, formatMinutes(t.RPOMinutes))
	}
	if !t.isVSphereReplication() {
		find(reasonScheduler)
	}
	one.Summary = summarize(t, ev.plan.Links[ev.plan.linkOf(t)].OutageMinutes != nil, one)
}

func (ev *evaluation) explainUnknown(name string, find func(calculator.Reason, ...any)) {
	u := ev.unknownReasons[name]
	if u.noVMs {
		find(reasonNoVMs)
	}
	if len(u.unsized) > 0 {
		find(reasonSizeless, plan.Count(float64(len(u.unsized)), "VM"), quantity.List(u.unsized, maxNamed))
	}
	if n := len(u.inSeveralTiers); n > 0 {
		are := " are"
		if n == 1 {
			are = " is"
		}
		find(reasonTwice, plan.Count(float64(n), "VM")+are, quantity.List(u.inSeveralTiers, maxNamed))
	}
	if len(u.unsizedNeighbors) > 0 {
		find(reasonBeside, quantity.List(u.unsizedNeighbors, maxNamed))
	}
}

func (ev *evaluation) explainShares(one *Promise, t Tier, i int, find func(calculator.Reason, ...any)) {
	of := ev.likely.Tiers[i]
	if len(one.LateVirtualMachines) > 0 {
		promised := promisedPercent(t)
		worst := one.LateVirtualMachines[0]
		verb := "are"
		if one.LateVMCount == 1 {
			verb = "is"
		}
		find(reasonLate, plan.Thousands(float64(one.LateVMCount), 0), plan.Count(float64(one.VMCount), "VM"), verb,
			formatMinutes(t.RPOMinutes), plan.Thousands(promised, -1), worst.Name, formatShare(worst.WithinRPOPercent),
			formatMinutes(worst.OldestRecoveryPointMinutes))
	}
	if slices.Contains(of.Reasons, simulation.NotConverged) {
		find(reasonNotConverged)
	}
	if slices.Contains(of.Reasons, simulation.OneRun) {
		find(reasonOneRun, plan.Count(float64(ev.likely.Runs), "run"), plan.Count(float64(ev.likely.Days), "day"))
	}
	if slices.Contains(of.Reasons, simulation.TwoStates) {
		find(reasonTwoStates)
	}
	if one.DeadlineMet != nil && !*one.DeadlineMet {
		after := "more than 31 days"
		if one.InitialSyncMinutes != nil {
			after = formatMinutes(*one.InitialSyncMinutes)
		}
		find(reasonDeadline, after, quantity.Duration(*t.DeadlineHours*quantity.SecondsPerHour))
	}
	ev.explainMoves(one, i, find)
	if one.WorseEndVerdict == nil || one.LikelyVerdict != VerdictMeets || *one.WorseEndVerdict == VerdictMeets {
		return
	}
	share := formatShare(*one.WorseEndWithinRPOPercent)
	if promised := promisedPercent(t); *one.WorseEndWithinRPOPercent >= promised {
		ev.explainWorseEnd(t, i, find)
		return
	}
	if c := ev.plan.Links[ev.plan.linkOf(t)].capacity(); c.bandFactor > 0 && ev.plan.onlyBands() {
		find(reasonBand, plan.Thousands(c.bandFactor, -1), share)
		return
	}
	find(reasonWorseEnd, share)
}

func promisedPercent(t Tier) float64 {
	if t.TargetCompliancePercent != nil {
		return *t.TargetCompliancePercent
	}
	return simulation.MeetsPercent
}

func (ev *evaluation) explainWorseEnd(t Tier, i int, find func(calculator.Reason, ...any)) {
	switch {
	case t.DeadlineHours != nil && !meetsDeadline(t, ev.worse.initial[i]):
		find(reasonWorseDeadline, quantity.Duration(*t.DeadlineHours*quantity.SecondsPerHour))
	case slices.Contains(ev.worse.Tiers[i].Reasons, simulation.NotConverged):
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

func (ev *evaluation) explainSpace(t Tier, find func(calculator.Reason, ...any)) {
	for _, v := range []variant{asGiven, worseEnd} {
		if v == worseEnd && ev.worse == nil || !ev.plan.isNearlyFull(t.Target, v) {
			continue
		}
		reason := reasonNearlyFull
		if ev.plan.isFull(t.Target, v) {
			reason = reasonFull
		}
		find(reason, t.Target, quantity.FromGiB(ev.plan.neededGiB(t.Target, v)).Ceil(),
			quantity.FromGiB(*ev.plan.Targets[t.Target].FreeGiB))
		return
	}
}

func summarize(t Tier, fails bool, one *Promise) string {
	sentences := []string{fmt.Sprintf("The RPO of %s for %s %s.", formatMinutes(t.RPOMinutes),
		plan.Count(float64(one.VMCount), "VM"), verdictWords[one.Verdict])}
	if one.WithinRPOPercent != nil {
		sentences = append(sentences, fmt.Sprintf("The worst VM is within it for %s%% of the time (%s).",
			formatShare(*one.WithinRPOPercent), one.DecidedBy))
	}
	if worst := one.WorstRecoveryPointMinutes; fails && worst != nil && *worst > t.RPOMinutes {
		sentences = append(sentences, fmt.Sprintf("With the outage, a VM is late for up to %s at a time.",
			formatMinutes(*worst-t.RPOMinutes)))
	}
	for _, remedy := range one.Remedies {
		sentences = append(sentences, remedy.Sentence)
	}
	if one.Verdict != VerdictMisses && one.MonthsUntilMiss != nil {
		sentences = append(sentences, fmt.Sprintf("With growth, the promise is missed from month %d on.",
			*one.MonthsUntilMiss))
	}
	return strings.Join(sentences, " ")
}

// DefaultLinkName is the name given to the only link of a plan if that link has no name.
const DefaultLinkName = "link"

func linkText(name string) string {
	if name == DefaultLinkName {
		return name
	}
	return "link " + name
}

func formatMinutes(n float64) string {
	return quantity.Duration(n * quantity.SecondsPerMinute).String()
}

// formatMbps formats a mean of hourly rates, without the rounding errors of the sum.
func formatMbps(mbps float64) string { return plan.Thousands(plan.Nearest.Round(mbps, 6), -1) }

func formatShare(share float64) string { return plan.Thousands(plan.Down.Round(share, 2), -1) }
