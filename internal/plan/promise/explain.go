package promise

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// explain sets the findings and the summaries.
func (ev *evaluation) explain(r *Result) {
	for _, name := range names(r.Promises) {
		one := r.Promises[name]
		one.Findings = ev.findings(name, one)
		one.Summary = ev.summarize(name, one)
		r.Promises[name] = one
	}
	for _, name := range names(r.Links) {
		if len(ev.plan.tierNames(func(t Tier) bool { return ev.plan.linkOf(t) == name })) == 0 {
			r.Findings = append(r.Findings, reasonLinkUnused.Finding("the "+linkText(name)))
		}
	}
	for _, name := range names(r.Targets) {
		if len(r.Targets[name].Promises) == 0 {
			r.Findings = append(r.Findings, reasonTargetUnused.Finding(fmt.Sprintf("the target %q", name)))
		}
	}
	r.Summary = summary(r)
}

// findings returns the reasons for the verdict on a promise.
func (ev *evaluation) findings(name string, one Promise) []plan.Finding {
	t := ev.plan.Tiers[name]
	var all []plan.Finding
	find := func(r calculator.Reason, args ...any) { all = append(all, r.Finding(args...)) }
	if t.count() == 0 {
		find(reasonNoVMs)
		return all
	}
	ev.explainUnknown(name, find)
	if one.LongestSyncMinutes != nil {
		t.explainSetting(one, find)
		explainMoves(one, find)
		ev.explainWorseEnd(t, one, find)
		t.explainTimes(one, find)
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
	if t.isVSphereReplication() && t.RPOMinutes < t.MinConfiguredRPOMinutes {
		find(reasonEnhanced, formatMinutes(t.RPOMinutes), formatMinutes(t.MinConfiguredRPOMinutes))
	}
	if !t.isVSphereReplication() {
		find(reasonScheduler)
	}
	if one.obstacle != "" {
		find(reasonNoRemedy, one.obstacle)
	}
	return all
}

func (ev *evaluation) explainUnknown(name string, find func(calculator.Reason, ...any)) {
	u := ev.unknown[name]
	if len(u.unsized) > 0 {
		others := ""
		if ev.plan.Tiers[name].medianGiB() != nil {
			others = " All other results assume the median size of the tier."
		}
		find(reasonSizeless, plan.Count(float64(len(u.unsized)), "VM"), quantity.List(u.unsized, maxNamed), others)
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

// explainSetting explains the verdict for likely inputs.
func (t Tier) explainSetting(one Promise, find func(calculator.Reason, ...any)) {
	promised := formatMinutes(t.RPOMinutes)
	switch {
	case t.ConfiguredRPOMinutes != nil && one.judgedMinutes < t.leastMinutes():
		find(reasonBelowLeast, formatMinutes(one.judgedMinutes), formatMinutes(t.leastMinutes()))
	case one.judgedMinutes > t.RPOMinutes:
		if t.ConfiguredRPOMinutes != nil {
			find(reasonAbovePromise, formatMinutes(one.judgedMinutes), promised)
		}
	case one.HoldsBy == nil && one.waitMinutes != nil:
		configured := formatMinutes(one.judgedMinutes)
		find(reasonWait, configured, configured, formatMinutes(*one.waitMinutes))
	case one.HoldsBy == nil:
		inDays := ", in the simulated days"
		if one.isClosed {
			inDays = ""
		}
		find(reasonLate, formatMinutes(one.judgedMinutes), formatMinutes(*one.LongestSyncMinutes),
			formatMinutes(*one.OldestRecoveryPointMinutes), t.nameText(one.WorstVirtualMachine), promised, inDays)
	case *one.HoldsBy == ByVendorRule && one.SuggestedRPOMinutes != nil &&
		*one.SuggestedRPOMinutes < one.judgedMinutes:
		suggested := ""
		if !one.suggestionHoldsWorse {
			suggested = " with likely inputs"
		}
		oldest, at := one.oldestByRule()
		find(reasonVendorRule, formatMinutes(one.judgedMinutes), oldest, at, formatMinutes(*one.SuggestedRPOMinutes),
			suggested)
	case *one.HoldsBy == ByVendorRule && t.canBeEnhanced():
		oldest, at := one.oldestByRule()
		find(reasonVendorRuleOnly, formatMinutes(one.judgedMinutes), oldest, at)
	}
}

// canBeEnhanced reports whether enhanced replication lowers the least RPO that can be configured. It does not for
// quiesced VMs.
func (t Tier) canBeEnhanced() bool {
	return t.MinConfiguredRPOMinutes > 1 && t.QuiesceSeconds == 0 && t.isVSphereReplication()
}

// oldestByRule returns the greatest age of a recovery point, and a phrase if it is that at the worse end.
func (one *Promise) oldestByRule() (oldest, at string) {
	if one.worseOldestMinutes > *one.OldestRecoveryPointMinutes {
		return formatMinutes(one.worseOldestMinutes), " at the worse end"
	}
	return formatMinutes(*one.OldestRecoveryPointMinutes), ""
}

// worseEndText states what fails at the worse end of uncertain inputs.
func (ev *evaluation) worseEndText(t Tier, one Promise) string {
	text := ""
	if one.movesWorseEndPercent != nil {
		text = " while migrations use part of the link"
	}
	switch {
	case one.missesDeadlineAtWorseEnd:
		return fmt.Sprintf("%s: the VMs are in sync after %s, but the deadline is %s", text,
			syncText(one.worseInitialMinutes), t.deadline())
	case ev.full.isFull(t.Target, worseEnd):
		return text + ": the replicas do not fit on the target " + t.Target
	case one.WorseEndWithinRPOPercent != nil:
		return text + ": within the RPO for " + formatShare(*one.WorseEndWithinRPOPercent) + "% of the time"
	}
	return text
}

// explainWorseEnd explains why the promise does not hold at the worse end of uncertain inputs, or with inputs that a
// tool has filled in.
func (ev *evaluation) explainWorseEnd(t Tier, one Promise, find func(calculator.Reason, ...any)) {
	if one.holds && len(t.AssumedInputs) > 0 {
		values := "value of " + t.AssumedInputs[0] + " is"
		if len(t.AssumedInputs) > 1 {
			values = "values of " + strings.Join(t.AssumedInputs, " and ") + " are"
		}
		find(reasonAssumed, values, one.maxima(t))
	}
	if l := ev.plan.Links[ev.plan.linkOf(t)]; l.isOld() {
		find(reasonOldMeasurement, l.measurement.ageText(), formatDown(l.MaxAgeDays))
	}
	if !one.isDoubtful() {
		return
	}
	if slices.Contains(one.decidedBy, inputPeak) {
		find(reasonPeakUnknown, one.maxPeak())
	}
	if hour := ev.plan.worseStartHour(t); hour != nil && slices.Contains(one.decidedBy, inputPeakStart) {
		find(reasonStartUnknown, plan.Number(LikelyPeakStartHour), plan.Number(*hour))
	}
	if slices.Contains(one.decidedBy, inputBasis) {
		c := ev.full.Links[ev.full.linkOf(t)].capacity()
		find(reasonBasisUnknown, plan.Thousands(plan.Down.Round(c.mean()*c.worseUsable(), 1), -1))
	}
	if len(one.decidedBy) == 0 {
		find(reasonWorseEnd, ev.worseEndText(t, one))
	}
}

// maxPeak returns a clause about the largest peak with which the promise holds.
func (one *Promise) maxPeak() string {
	if one.MaxPeakFactor == nil {
		return "set peak_factor"
	}
	text := fmt.Sprintf("holds while the busiest time changes at most %s times the daily mean",
		formatDown(*one.MaxPeakFactor))
	if one.MaxPeakRPOMinutes != nil {
		text += fmt.Sprintf(", then with %s configured", formatMinutes(*one.MaxPeakRPOMinutes))
	}
	return text
}

// maxima returns clauses about the largest values of the assumed inputs with which the promise holds.
func (one *Promise) maxima(t Tier) string {
	clauses := []string{"the promise would hold as assumed"}
	for _, input := range []struct {
		name          string
		most, setting *float64
		format        string
	}{
		{inputChange, one.MaxDailyChangePercent, one.MaxDailyChangeRPOMinutes, "it holds up to %s%% a day"},
		{inputPeak, one.MaxPeakFactor, one.MaxPeakRPOMinutes, "it holds up to %s times the daily mean in the busiest " +
			"time"},
	} {
		if input.most == nil || !slices.Contains(t.AssumedInputs, input.name) {
			continue
		}
		clause := fmt.Sprintf(input.format, formatDown(*input.most))
		if input.setting != nil {
			clause += fmt.Sprintf(", then with %s configured", formatMinutes(*input.setting))
		}
		clauses = append(clauses, clause)
	}
	return strings.Join(clauses, "; ")
}

// syncText formats how long the initial sync takes; nil for more than the simulated days.
func syncText(minutes *float64) string {
	if minutes == nil {
		return "more than 31 days"
	}
	return formatMinutes(*minutes)
}

func (t Tier) deadline() quantity.Duration {
	return quantity.Duration(*t.DeadlineHours * quantity.SecondsPerHour)
}

// explainTimes explains missed deadlines and outages.
func (t Tier) explainTimes(one Promise, find func(calculator.Reason, ...any)) {
	if one.DeadlineMet != nil && !*one.DeadlineMet {
		find(reasonDeadline, syncText(one.InitialSyncMinutes), t.deadline())
	}
	if t.outageExceeded(one) {
		find(reasonOutage, formatMinutes(*one.OutageOldestRecoveryPointMinutes), formatMinutes(*t.MaxOutageRPOMinutes))
	}
}

func explainMoves(one Promise, find func(calculator.Reason, ...any)) {
	if one.movesWorseEndPercent != nil && len(one.decidedBy) > 0 {
		find(reasonMoves, plan.Verb(plan.AtRisk, 1), formatShare(*one.movesWorseEndPercent))
	}
	if one.MovesVerdict == nil || one.LikelyVerdict == *one.MovesVerdict {
		return
	}
	if plan.Worse(one.LikelyVerdict, *one.MovesVerdict) == *one.MovesVerdict {
		find(reasonMoves, plan.Verb(*one.MovesVerdict, 1), formatShare(*one.MovesWithinRPOPercent))
	}
}

func (ev *evaluation) explainSpace(t Tier, find func(calculator.Reason, ...any)) {
	for _, v := range []variant{asGiven, worseEnd} {
		if !ev.full.isNearlyFull(t.Target, v) {
			continue
		}
		reason := reasonNearlyFull
		if ev.full.isFull(t.Target, v) {
			reason = reasonFull
		}
		find(reason, t.Target, quantity.FromGiB(ev.full.neededGiB(t.Target, v)).Ceil(),
			quantity.FromGiB(*ev.full.Targets[t.Target].FreeGiB))
		return
	}
}
