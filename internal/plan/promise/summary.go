package promise

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

var countWords = map[plan.Level]string{
	plan.Empty:   "without VMs",
	plan.Meets:   "met",
	plan.AtRisk:  "at risk",
	plan.Unknown: "unknown",
	plan.Misses:  "missed",
}

func summary(r *Result) string {
	var parts []string
	promises := 0
	for _, verdict := range slices.Backward(plan.Levels) {
		of := slices.DeleteFunc(
			names(r.Promises),
			func(name string) bool { return r.Promises[name].Verdict != verdict },
		)
		if verdict != plan.Empty {
			promises += len(of)
		}
		if len(of) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(of), countWords[verdict], quantity.List(of, maxNamed)))
		}
	}
	text := []string{plan.Count(float64(promises), "promise") + ": " + strings.Join(parts, ", ") + "."}
	if r.Runs > 0 {
		text = append(text, fmt.Sprintf("Simulated in %s of %s.", plan.Count(float64(r.Runs), "run"),
			plan.Count(float64(r.DaysSimulated), "day")))
	}
	for _, name := range names(r.Links) {
		if need := r.Links[name].ThroughputNeededMbps; need != nil {
			text = append(text, fmt.Sprintf("The %s needs %s Mbit/s%s and provides %s.", linkText(name),
				plan.Thousands(*need, -1), r.NeedPurpose(name), formatMbps(r.Links[name].ThroughputMbps)))
		}
	}
	return strings.Join(text, " ")
}

// NeedPurpose completes a sentence about the throughput that a link needs: without migrations if there are any, and
// with which reserve if its promises hold with less.
func (r *Result) NeedPurpose(name string) string {
	on, text := r.Links[name], ""
	of := func(is func(Promise) bool) bool {
		return slices.ContainsFunc(on.Promises, func(tier string) bool { return is(r.Promises[tier]) })
	}
	if of(func(one Promise) bool { return one.MovesVerdict != nil }) {
		text = " without migrations"
	}
	if on.ThroughputNeededMbps == nil || on.ThroughputMbps >= *on.ThroughputNeededMbps ||
		of(func(one Promise) bool { return one.Verdict != plan.Meets }) {
		return text
	}
	return text + Reserve
}

// Reserve is the purpose of a need above the throughput of a link whose promises hold.
const Reserve = " to have a tenth left at its busiest time"

// verdictSentence states the verdict, apart from the VMs of unknown size if the others would hold or be at risk.
func (ev *evaluation) verdictSentence(name string, one Promise) string {
	t := ev.plan.Tiers[name]
	promised := formatMinutes(t.RPOMinutes)
	u := ev.unknown[name]
	if len(u.unsized) == 0 || one.Verdict != plan.Unknown || one.knownVerdict == "" {
		how := plan.Verb(one.Verdict, 1)
		switch {
		case one.Verdict != plan.Meets:
		case *one.HoldsBy == ByVendorRule:
			how += " by the vendor's rule"
		case *one.HoldsBy == ByShare:
			how += " by its share of time"
		}
		return fmt.Sprintf("The promise of %s %s.", promised, how)
	}
	known := t.count() - len(u.unsized)
	return fmt.Sprintf("The promise of %s %s for %s of %s, and is not known for %s: %s.", promised,
		plan.Verb(one.knownVerdict, 1), plan.Thousands(float64(known), 0), plan.Count(float64(t.count()), "VM"),
		plan.Thousands(float64(len(u.unsized)), 0), quantity.List(u.unsized, maxNamed))
}

func (ev *evaluation) summarize(name string, one Promise) string {
	t := ev.plan.Tiers[name]
	if t.count() == 0 {
		return "The tier has no VMs, so nothing is promised."
	}
	sentences := []string{ev.verdictSentence(name, one)}
	isSettingWrong := one.HoldsBy == nil && len(one.Remedies) == 0
	if one.SuggestedRPOMinutes != nil && (t.ConfiguredRPOMinutes == nil || isSettingWrong) {
		sentences = append(sentences, fmt.Sprintf("Configure %s.", formatMinutes(*one.SuggestedRPOMinutes)))
	}
	if one.OldestRecoveryPointMinutes != nil && one.judgedMinutes >= t.leastMinutes() {
		sentences = append(sentences, fmt.Sprintf(one.oldestFormat(), formatMinutes(*one.OldestRecoveryPointMinutes),
			t.nameText(one.WorstVirtualMachine)))
	}
	if oldest := one.OutageOldestRecoveryPointMinutes; oldest != nil {
		sentences = append(sentences, fmt.Sprintf("During the outage, it can get %s old.", formatMinutes(*oldest)))
	}
	for _, remedy := range one.Remedies {
		sentences = append(sentences, remedy.Sentence)
	}
	if one.Verdict != plan.Misses && one.MonthsUntilMiss != nil {
		sentences = append(sentences, one.outlook())
	}
	return strings.Join(sentences, " ")
}

func (one *Promise) oldestFormat() string {
	switch {
	case one.waitMinutes != nil || one.HoldsBy == nil && !one.isClosed:
		return "In the simulated days, the oldest recovery point gets %s old%s."
	case one.MovesVerdict != nil:
		return "Outside the migrations, the oldest recovery point can get %s old%s."
	}
	return "The oldest recovery point can get %s old%s."
}

// outlook states from which month on growth puts the promise at risk and breaks it.
func (one *Promise) outlook() string {
	atRisk := ""
	if first := one.MonthsUntilAtRisk; first != nil && 0 < *first && *first < *one.MonthsUntilMiss {
		atRisk = fmt.Sprintf("at risk from month %d and ", *first)
	}
	return fmt.Sprintf("With growth, the promise is %smissed from month %d on.", atRisk, *one.MonthsUntilMiss)
}
