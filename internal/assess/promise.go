package assess

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// Plan contains the input and result of vsla_sla_plan.
type Plan = calculator.Answer[promise.Plan, promise.Result]

// Promise is what a plan promises to a tier.
type Promise struct {
	Plan *Plan
	Tier promise.Tier
	promise.Promise
}

// Link is a link in a plan. LinkResult contains its utilization and the throughput that it needs.
type Link struct {
	Plan *Plan
	Link promise.Link
	promise.LinkResult
}

// Target is a target in a plan. TargetResult contains the space that its replicas need.
type Target struct {
	Plan   *Plan
	Target promise.Target
	promise.TargetResult
}

// Kinds of the parts of vsla_sla_plan.
var (
	KindPromise = &Kind{
		Type: "promise", Title: "Promise", ID: "promises", Section: "Promises", Rules: scheduleRules,
		Intro: "Each VM is simulated individually, together with all other VMs on its link and target.",
	}
	KindLink = &Kind{
		Type: "link", Title: "Link", ID: "links", Section: "Links",
		Intro: "Needed is the minimum throughput with which every promise on the link holds.",
	}
	KindTarget = &Kind{
		Type: "target", Title: "Target", ID: "targets", Section: "Targets",
		Intro: "Space and writes of all replicas together.",
	}
)

var levels = map[string]wording.Level{
	promise.VerdictMeets: wording.Holds, promise.VerdictAtRisk: wording.AtRisk, promise.VerdictUnknown: wording.Unknown,
	promise.VerdictMisses: wording.Misses,
}

// LevelOf returns the level for the verdict of a plan, or Neutral if the verdict is unknown.
func LevelOf(verdict string) wording.Level {
	if level, ok := levels[verdict]; ok {
		return level
	}
	return wording.Neutral
}

// OfPlan assesses a plan that was computed without Terraform.
func OfPlan(name string, p promise.Plan, r promise.Result) []*Assessment {
	kind := KindOf(promise.Definition.Calculator().DataSource())
	return withTitles(splitPlan(&Assessment{
		Raw: Raw{Type: kind.Type, Address: "data." + kind.Type + "." + name}, Kind: kind, Name: name,
		Answer: Plan{Input: p, Result: r},
	}))
}

func splitPlan(a *Assessment) []*Assessment {
	p, ok := a.Answer.(Plan)
	if !ok {
		return []*Assessment{a}
	}
	var all []*Assessment
	each := func(kind *Kind, names []string, fill func(part *Assessment, name string)) {
		slices.SortFunc(names, func(a, b string) int { return wording.Natural(wording.Clean(a), wording.Clean(b)) })
		for _, name := range names {
			part := &Assessment{
				Raw: a.Raw, Kind: kind, Key: name, Name: fmt.Sprintf("%s.%s[%q]", a.Name, kind.ID, name), Level: wording.Neutral,
				Reasons: []Reason{}, Notes: slices.Clone(a.Notes),
			}
			part.Type, part.Title = kind.Type, wording.Clean(name)
			part.Address = fmt.Sprintf("%s.%s[%q]", a.Address, kind.ID, name)
			fill(part, name)
			all = append(all, part)
		}
	}
	r := &p.Result
	each(KindPromise, slices.Collect(maps.Keys(r.Promises)), func(part *Assessment, name string) {
		part.setPromise(&p, name, append(a.inputsOf("tiers", name), a.jitterFacts()...))
	})
	each(KindLink, slices.Collect(maps.Keys(r.Links)), func(part *Assessment, name string) {
		part.setLink(&p, name, a.inputsOf("links", name))
	})
	each(KindTarget, slices.Collect(maps.Keys(r.Targets)), func(part *Assessment, name string) {
		part.setTarget(&p, name, a.inputsOf("targets", name))
	})
	return all
}

// inputsOf returns the inputs of a tier, a link or a target. VMs are omitted because there can be many of them.
func (a *Assessment) inputsOf(field, name string) []Fact {
	c := a.Kind.Calculator
	if c == nil || a.Function {
		return nil
	}
	f, _ := c.Field(field)
	elements, _ := a.Values[field].(map[string]any)
	values, _ := elements[name].(map[string]any)
	return factsOf(slices.DeleteFunc(slices.Clone(f.Fields), func(m calculator.Field) bool {
		return !m.Input || m.Name == "virtual_machines"
	}), values)
}

func (a *Assessment) jitterFacts() []Fact {
	c := a.Kind.Calculator
	if c == nil || a.Function {
		return nil
	}
	f, _ := c.Field("jitter_percent")
	fact := factOf(f, a.Values[f.Name])
	fact.Label = "Maximum start shift, share of RPO"
	return []Fact{fact}
}

func (a *Assessment) addResult(name string, v any) {
	if v != nil {
		a.facts = append(a.facts, factOf(calculator.Field{Name: name, Result: true}, v))
	}
}

func (a *Assessment) addText(name, label, words string) {
	a.facts = append(a.facts, Fact{
		Field: calculator.Field{Name: name, Result: true}, Label: label, Value: words, Override: words,
	})
}

func optional[T int64 | float64](v *T) any {
	if v == nil {
		return nil
	}
	return float64(*v)
}

func (a *Assessment) setPromise(p *Plan, name string, inputs []Fact) {
	r := p.Result.Promises[name]
	tier := p.Input.Tiers[name]
	answer := &Promise{Plan: p, Tier: tier, Promise: r}
	a.Answer, a.Level, a.Verdict, a.Summary = answer, LevelOf(r.Verdict), r.Verdict, r.Summary
	a.addReasons(r.Explanation)
	a.Texts.Promise = wording.Count(int(r.VMCount), "VM")
	if p.NoInput == nil {
		a.Texts.Promise = "RPO " + wording.RPO(tier.RPOMinutes) + ", " + a.Texts.Promise
		if share := tier.TargetCompliancePercent; share != nil {
			a.Texts.Promise += ", " + wording.Value("target_compliance_percent", *share) + " of the time"
		}
		a.Texts.Outlook = &Outlook{
			HasGrowth: p.Input.GrowthPercentPerYear != nil, HorizonMonths: p.Input.HorizonMonths,
			MonthsUntilAtRisk: months(r.MonthsUntilAtRisk), MonthsUntilMiss: months(r.MonthsUntilMiss),
		}
	}
	a.Texts.Certainty = "as given: " + LevelOf(r.LikelyVerdict).Word()
	if r.WorseEndVerdict != nil {
		a.Texts.Certainty += "; at the worse end of the ranges: " + LevelOf(*r.WorseEndVerdict).Word()
	}
	for _, remedy := range r.Remedies {
		a.Texts.Options = append(a.Texts.Options, answer.Phrase(remedy))
	}
	a.Texts.Brief = answer.brief()
	a.facts = inputs
	if tier.VMCount == nil {
		a.addResult("vm_count", float64(r.VMCount))
	}
	a.addResult("total_gib", r.TotalGiB)
	if r.LateVMCount > 0 {
		a.addText("late_vm_count", "Late VMs", fmt.Sprintf("%d of %d", r.LateVMCount, r.VMCount))
	}
	a.addResult("within_rpo_percent", optional(r.WithinRPOPercent))
	if share := r.WorseEndWithinRPOPercent; share != nil {
		a.addText("worse_end_within_rpo_percent", "At the worse end", wording.Value("within_rpo_percent", *share))
	}
	if share := r.MovesWithinRPOPercent; share != nil {
		a.addText("moves_within_rpo_percent", "During the moves", wording.Value("within_rpo_percent", *share))
	}
	if r.WorstRecoveryPointMinutes != nil {
		a.addText("worst_recovery_point_minutes", "Oldest recovery point", wording.About(*r.WorstRecoveryPointMinutes))
	}
	if r.DaysPerAlarm != nil {
		a.addText("days_per_alarm", "Alarms", "one in "+wording.About(*r.DaysPerAlarm*minutesPerDay)+" per VM")
	}
	a.addResult("p95_sync_seconds", optional(r.P95SyncSeconds))
	a.addResult("change_mbps", r.ChangeMbps)
	a.addResult("busiest_change_mbps", r.BusiestChangeMbps)
	if r.InitialSyncMinutes == nil {
		a.addText("initial_sync_minutes", "All VMs protected", "not within the simulated time")
	} else {
		a.addText("initial_sync_minutes", "All VMs protected", "after "+wording.About(*r.InitialSyncMinutes))
	}
	if r.DeadlineMet != nil {
		met := map[bool]string{true: "met", false: "missed"}[*r.DeadlineMet]
		a.addText("deadline_met", "Initial sync deadline", met)
	}
	if r.TargetGiB != nil {
		a.addText("target_gib", "Space on the target", wording.Value("target_gib", *r.TargetGiB))
	}
}

const minutesPerDay = 1440

func (p *Promise) brief() string {
	if level := LevelOf(p.Verdict); level != wording.Misses && level != wording.AtRisk {
		return ""
	}
	var texts []string
	switch {
	case p.LateVMCount > 0:
		late := "are late"
		if p.LateVMCount == 1 {
			late = "is late"
		}
		texts = append(texts, fmt.Sprintf("%d of %s %s", p.LateVMCount, wording.Count(int(p.VMCount), "VM"), late))
	case p.DeadlineMet != nil && !*p.DeadlineMet:
		texts = append(texts, "the initial sync misses its deadline")
	}
	if len(p.Remedies) > 0 {
		texts = append(texts, "to fix this, "+p.Phrase(p.Remedies[0]))
	}
	return strings.Join(texts, "; ")
}

// Phrase formats a remedy as a verb phrase: "provide 2,600 Mbit/s on metro (now 1,000 Mbit/s)".
func (p *Promise) Phrase(r promise.Remedy) string {
	v := 0.0
	if r.Value != nil {
		v = *r.Value
	}
	switch r.Kind {
	case promise.RemedyThroughput:
		text := "provide " + quantity.CeilMbps(v) + " on " + r.At
		if link, ok := p.Plan.Result.Links[r.At]; ok {
			text += currentRate(link.ThroughputMbps)
		}
		return text
	case promise.RemedyMoves:
		if v == 0 {
			return "move over a link other than " + r.At
		}
		return "limit the moves to " + wording.Value("_percent", v) + " of " + r.At
	case promise.RemedyRPO:
		return "promise an RPO of " + wording.RPO(v)
	case promise.RemedyWithout:
		return "exclude " + quantity.List(r.VirtualMachines, maxNamed)
	case promise.RemedyDeadline:
		return "allow a deadline of " + wording.Duration(v*minutesPerHour*secondsPerMinute)
	case promise.RemedyFree:
		return "provide " + wording.Value("target_gib", v) + " at " + r.At
	case promise.RemedyMeasure:
		return "measure a transfer on " + r.At
	}
	return strings.TrimSuffix(r.Sentence, ".")
}

const (
	minutesPerHour, secondsPerMinute = 60, 60
	maxNamed                         = 3
)

func (a *Assessment) addReasons(e calculator.Explanation) {
	for _, f := range e.Findings {
		a.Reasons = append(a.Reasons, Reason{f.Code, f.Sentence})
	}
}

func (a *Assessment) setLink(p *Plan, name string, inputs []Fact) {
	r := p.Result.Links[name]
	a.Answer = &Link{Plan: p, Link: p.Input.Links[name], LinkResult: r}
	a.Texts.Promise = "promises: " + quantity.List(r.Promises, maxNamed)
	a.facts = slices.DeleteFunc(inputs, func(f Fact) bool { return f.Name == "throughput_mbps" && !f.HasValue() })
	if !slices.ContainsFunc(a.facts, func(f Fact) bool { return f.Name == "throughput_mbps" }) {
		a.addResult("throughput_mbps", r.ThroughputMbps)
	}
	a.addResult("use_percent", r.UsePercent)
	a.addResult("busiest_hour_percent", r.BusiestHourPercent)
	a.addText("throughput_needed_mbps", "Throughput needed", NeedText(r))
	a.addText("headroom_percent", "Reserve", FormatHeadroom(r.HeadroomPercent))
}

// NeedText formats the throughput that a link needs, or explains why no throughput would be sufficient.
func NeedText(r promise.LinkResult) string {
	if r.ThroughputNeededMbps != nil {
		return quantity.CeilMbps(*r.ThroughputNeededMbps)
	}
	if r.NeededLimitedBy == nil {
		return wording.None
	}
	return strings.TrimSuffix("no throughput is sufficient: "+promise.Obstacle(*r.NeededLimitedBy), ": ")
}

// Headroom formats the headroom of the link that the tier uses.
func (p *Promise) Headroom(tier string) string {
	for _, l := range p.Plan.Result.Links {
		if slices.Contains(l.Promises, tier) {
			return FormatHeadroom(l.HeadroomPercent)
		}
	}
	return wording.None
}

// FormatHeadroom formats a link's headroom, which is a percentage of its throughput.
func FormatHeadroom(percent *float64) string {
	switch {
	case percent == nil:
		return wording.None
	case *percent < 0:
		return wording.Value("_percent", math.Abs(*percent)) + " short"
	}
	return wording.Value("_percent", *percent)
}

func (a *Assessment) setTarget(p *Plan, name string, inputs []Fact) {
	r := p.Result.Targets[name]
	a.Answer = &Target{Plan: p, Target: p.Input.Targets[name], TargetResult: r}
	a.Texts.Promise = "promises: " + quantity.List(r.Promises, maxNamed)
	a.facts = inputs
	a.addResult("target_gib", r.NeededGiB)
	a.addResult("free_after_gib", optional(r.FreeAfterGiB))
	a.addResult("months_until_full", optional(r.MonthsUntilFull))
	a.addResult("busiest_write_percent", optional(r.BusiestWritePercent))
}
