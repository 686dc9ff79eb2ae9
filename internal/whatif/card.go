package whatif

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// Card describes a promise, a link, a target or the migration.
type Card struct {
	Title   string     `json:"title"`
	Scope   string     `json:"scope"`
	Level   plan.Level `json:"level"`
	Verdict string     `json:"word,omitempty"`
	// Promise states the promise, and Reason states why it does not hold. Details contains the rest of the explanation.
	Promise string   `json:"told"`
	Reason  string   `json:"reason,omitempty"`
	Details []string `json:"how"`
	Facts   []Pair   `json:"facts"`
	Buttons []Button `json:"buttons"`
	// Within, Late and Until are cells in the table of tiers.
	Within string `json:"within,omitempty"`
	Late   string `json:"late,omitempty"`
	Until  string `json:"until,omitempty"`

	tier string
}

// Pair is a label and its value. Exact is shown on hover.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Exact string `json:"exact,omitempty"`
}

// Button sets cells to the values in Changes.
type Button struct {
	Text    string  `json:"text"`
	Changes Changes `json:"changes"`
}

func (p *Page) card(a *assess.Assessment, changes Changes) Card {
	c := Card{
		Title:   a.Title,
		Level:   a.Level,
		Promise: a.Texts.Statement(),
		Details: []string{},
		Facts:   []Pair{},
		Buttons: []Button{},
	}
	if a.HasVerdict() {
		c.Verdict = wording.LevelWord(a.Level)
	}
	if a.Summary != "" {
		c.Details = append(c.Details, wording.Plain(a.Summary))
	}
	first := max(0, slices.IndexFunc(a.Reasons, func(r assess.Reason) bool {
		return (r.Code == "size_unknown") == (a.Level == plan.Unknown)
	}))
	for i, reason := range a.Reasons {
		if text := wording.Plain(reason.Text()); i == first && a.Level != plan.Meets {
			c.Reason = text
		} else {
			c.Details = append(c.Details, text)
		}
	}
	c.Facts = append(c.Facts, resultsOf(a)...)
	switch of := a.Answer.(type) {
	case *assess.Promise:
		c.Scope, c.tier = "tier/"+a.Key, a.Key
		c.Within = cmp.Or(of.Within(), wording.None)
		c.Late = lateText(of)
		c.Until = untilText(a.Texts.Outlook)
		for _, remedy := range of.Remedies {
			phrase := wording.Capital(assess.Phrase(remedy))
			if sets := remedyChanges(a.Key, of.Tier, remedy, changes); sets != nil {
				c.Buttons = append(c.Buttons, Button{phrase, sets})
			} else {
				c.Details = append(c.Details, phrase+".")
			}
		}
	case *assess.Link:
		c.Scope = "link/" + a.Key
		if need := of.ThroughputNeededMbps; need != nil && *need > promise.RangeThroughputMbps.Min {
			sets := settingChanges(of.NeededConfiguredRPOMinutes)
			sets[c.Scope+"/throughput_mbps"] = *need
			c.Buttons = append(c.Buttons, Button{
				"Set to the throughput needed" + of.Plan.Result.NeedPurpose(a.Key) + ": " +
					assess.NeedText(of.LinkResult), sets,
			})
		}
	case *assess.Target:
		c.Scope = "target/" + a.Key
	case calculator.Answer[migration.PlanInput, migration.PlanResult]:
		c.Facts = moveFacts(&of.Result)
	}
	return c
}

func lateText(p *assess.Promise) string {
	if p.WithinRPOPercent == nil {
		return wording.None
	}
	return plan.Thousands(float64(p.LateVMCount), 0)
}

func untilText(e *assess.Outlook) string {
	switch {
	case e == nil || !e.HasGrowth:
		return wording.None
	case e.First() == nil:
		return "more than " + wording.Months(e.HorizonMonths)
	}
	var parts []string
	for _, end := range []struct {
		at   *float64
		word string
	}{{e.MonthsUntilAtRisk, "at risk"}, {e.MonthsUntilMiss, "misses the RPO"}} {
		if end.at == nil || end.word == "at risk" && e.MonthsUntilMiss != nil && *e.MonthsUntilMiss <= *end.at {
			continue
		}
		when := " in " + wording.Months(*end.at)
		if *end.at == 0 {
			when = " today"
		}
		parts = append(parts, end.word+when)
	}
	return strings.Join(parts, ", ")
}

func resultsOf(a *assess.Assessment) []Pair {
	var pairs []Pair
	facts := a.Facts()
	of, _ := assess.As[*assess.Promise](a)
	if of != nil && of.Setting() != "" {
		pairs = append(pairs, Pair{Key: "Configure", Value: of.Setting()})
	}
	for i := range facts {
		f := &facts[i]
		if f.Result && f.HasValue() && f.Members == nil && (of == nil || f.Name != "suggested_rpo_minutes") {
			pairs = append(pairs, Pair{Key: f.Label, Value: f.Text()})
		}
	}
	return pairs
}

// settingChanges returns the changes that configure RPOs, by tier.
func settingChanges(settings map[string]float64) Changes {
	sets := Changes{}
	for tier, minutes := range settings {
		sets["tier/"+tier+"/"+promise.RemedySetting] = minutes
	}
	return sets
}

// remedyChanges returns the changes that apply a remedy, or nil if the page has no cells for it.
func remedyChanges(name string, tier promise.Tier, r promise.Remedy, changes Changes) Changes {
	sets := settingChanges(r.ConfiguredRPOMinutes)
	switch r.Kind {
	case promise.RemedySetting: // already set
	case promise.RemedyThroughput:
		sets["link/"+r.At+"/throughput_mbps"] = *r.Value
	case promise.RemedyRPO, promise.RemedyDeadline, promise.RemedyPeak:
		sets["tier/"+name+"/"+r.Kind] = *r.Value
	case promise.RemedyPerSync:
		if _, hasRange := tier.Ranges[r.Kind]; hasRange {
			return nil
		}
		sets["tier/"+name+"/"+r.Kind] = *r.Value
	case promise.RemedyFree, promise.RemedyWrite:
		sets["target/"+r.At+"/"+r.Kind] = *r.Value
	case promise.RemedySource:
		sets["plan/"+r.Kind] = *r.Value
	case promise.RemedyMeasure:
		sets["link/"+r.At+"/throughput_basis"] = plan.BasisTransfer
		sets["link/"+r.At+"/network.throughput_basis"] = plan.BasisTransfer
	case promise.RemedyWithout:
		names := []any{}
		for _, vm := range append(excludedVMs(changes), r.VirtualMachines...) {
			names = append(names, vm)
		}
		sets[keyExcluded] = names
	default:
		return nil
	}
	return sets
}

func moveFacts(r *migration.PlanResult) []Pair {
	facts := []Pair{
		{Key: "VMs", Value: wording.Decimal(float64(len(r.Moves) - len(r.Unplanned)))},
		{Key: "Duration", Value: wording.About(r.DurationSeconds / 60), Exact: wording.Duration(r.DurationSeconds)},
	}
	if r.WindowsNeeded != nil {
		facts = append(facts, Pair{Key: "Windows", Value: wording.Decimal(float64(*r.WindowsNeeded))})
	}
	if len(r.Unplanned) > 0 {
		facts = append(facts, Pair{Key: "Not planned", Value: strings.Join(r.Unplanned, ", ")})
	}
	if r.WorstDowntimeSeconds != nil {
		atLeast := ""
		if slices.Contains(plan.Codes(r.Findings), "dirty_rate_unknown") {
			atLeast = "at least "
		}
		facts = append(facts, Pair{
			Key:   "Longest downtime",
			Value: atLeast + wording.About(*r.WorstDowntimeSeconds/60),
			Exact: wording.Duration(*r.WorstDowntimeSeconds) + ", " + r.WorstDowntimeVM,
		})
	}
	return facts
}
