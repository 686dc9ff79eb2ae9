package assess

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
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

// Changes returns the sums of the change rates of the promises on the link in Mbit/s: the mean and the busiest ones.
func (l *Link) Changes() (mean, busiest float64) {
	for _, name := range l.Promises {
		one := l.Plan.Result.Promises[name]
		if one.ChangeMbps != nil && one.BusiestChangeMbps != nil {
			mean += *one.ChangeMbps
			busiest += *one.BusiestChangeMbps
		}
	}
	return mean, busiest
}

// Load states what the link carries, what its VMs change, and what it needs.
func (l *Link) Load(name string) string {
	mean, busiest := l.Changes()
	text := "The link"
	if name != promise.DefaultLinkName {
		text += " " + name
	}
	given := wording.Value("_mbps", l.ThroughputMbps)
	if l.Plan.NoInput == nil {
		usable, worse := l.Link.UsableMbps()
		text += " carries " + wording.Value("_mbps", usable)
		if usable < l.ThroughputMbps {
			text += " of its " + given
		}
		if l.Link.HourlyThroughputMbps != nil {
			text += " on average over the day"
		}
		if worse < usable {
			text += ", or " + wording.Value("_mbps", worse) + " at the worse end"
		}
	} else {
		text += " provides " + given
	}
	when := "in their busiest time"
	if len(l.Promises) > 1 {
		when = "if the busiest times of all tiers coincide"
	}
	text += fmt.Sprintf(". Its VMs change %s on average and %s %s.", wording.Value("_mbps", mean),
		wording.Value("_mbps", busiest), when)
	switch {
	case l.ThroughputNeededMbps != nil:
		text += " It needs " + NeedText(l.LinkResult) + l.Plan.Result.NeedPurpose(name) + "."
	case l.NeededLimitedBy != nil:
		text += " A higher throughput does not help, because " + promise.Obstacle(*l.NeededLimitedBy) + "."
	}
	return text
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
		Type:    "promise",
		Title:   "Promise",
		ID:      "promises",
		Section: "Promises",
		Rules:   scheduleRules,
		Intro:   "Each VM is simulated individually, together with all other VMs on its link and target.",
	}
	KindLink = &Kind{
		Type:    "link",
		Title:   "Link",
		ID:      "links",
		Section: "Links",
		Intro: "Needed is the least throughput with which every promise on the link holds and a tenth is left at its " +
			"busiest time.",
	}
	KindTarget = &Kind{
		Type:    "target",
		Title:   "Target",
		ID:      "targets",
		Section: "Targets",
		Intro:   "Space and writes of all replicas together.",
	}
)

// OfPlan assesses a plan that was computed without Terraform.
func OfPlan(name string, p promise.Plan, r promise.Result) []*Assessment {
	kind := KindOf(promise.Definition.Calculator().DataSource())
	return withTitles(splitPlan(&Assessment{
		Raw:    Raw{Type: kind.Type, Address: "data." + kind.Type + "." + name},
		Kind:   kind,
		Name:   name,
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
				Raw:     a.Raw,
				Kind:    kind,
				Key:     name,
				Name:    fmt.Sprintf("%s.%s[%q]", a.Name, kind.ID, name),
				Level:   plan.Neutral,
				Reasons: []Reason{},
				Notes:   slices.Clone(a.Notes),
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
	if c == nil {
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
	if c == nil {
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
		Field:    calculator.Field{Name: name, Result: true},
		Label:    label,
		Value:    words,
		Override: words,
	})
}

func optional[T int64 | float64](v *T) any {
	if v == nil {
		return nil
	}
	return float64(*v)
}

func (a *Assessment) describe(p *Plan, tier promise.Tier, r promise.Promise) {
	a.Texts.Promise = wording.Count(int(r.VMCount), "VM")
	if p.NoInput == nil {
		a.Texts.Promise = "RPO " + wording.RPO(tier.RPOMinutes) + ", " + a.Texts.Promise
		if share := tier.TargetCompliancePercent; share != nil {
			a.Texts.Promise += ", " + wording.Value("target_compliance_percent", *share) + " of the time"
		}
	}
	if p.NoInput == nil && r.LongestSyncMinutes != nil {
		a.Texts.Outlook = &Outlook{
			HasGrowth:         p.Input.GrowthPercentPerYear != nil,
			HorizonMonths:     p.Input.HorizonMonths,
			MonthsUntilAtRisk: months(r.MonthsUntilAtRisk),
			MonthsUntilMiss:   months(r.MonthsUntilMiss),
		}
	}
	a.Texts.Certainty = "with likely inputs: " + wording.LevelWord(r.LikelyVerdict)
	if r.WorseEndVerdict != nil {
		a.Texts.Certainty += "; at the worse end of uncertain inputs: " + wording.LevelWord(*r.WorseEndVerdict)
	}
	for _, remedy := range r.Remedies {
		a.Texts.Options = append(a.Texts.Options, Phrase(remedy))
	}
}

func months(n *int64) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func (a *Assessment) setPromise(p *Plan, name string, inputs []Fact) {
	r := p.Result.Promises[name]
	tier := p.Input.Tiers[name]
	answer := &Promise{Plan: p, Tier: tier, Promise: r}
	a.Answer = answer
	a.Level = r.Verdict
	a.Verdict = r.Verdict
	a.Summary = r.Summary
	if plan.Rank(r.Verdict) <= plan.Rank(plan.Empty) {
		a.Level = plan.Neutral
	}
	a.addReasons(r.Explanation)
	a.describe(p, tier, r)
	a.facts = inputs
	if tier.VMCount == nil {
		a.addResult("vm_count", float64(r.VMCount))
	}
	a.addResult("total_gib", optional(r.TotalGiB))
	a.addResult("suggested_rpo_minutes", optional(r.SuggestedRPOMinutes))
	if r.HoldsBy != nil {
		a.addText("holds_by", "Holds by", holdsBy[*r.HoldsBy])
	}
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
	if r.OldestRecoveryPointMinutes != nil {
		a.addText("oldest_recovery_point_minutes", "Oldest recovery point", AgeText(*r.OldestRecoveryPointMinutes))
	}
	a.addResult("max_daily_change_percent", optional(r.MaxDailyChangePercent))
	a.addResult("max_peak_factor", optional(r.MaxPeakFactor))
	if r.LongestSyncMinutes == nil {
		return
	}
	a.addResult("change_mbps", optional(r.ChangeMbps))
	a.addResult("busiest_change_mbps", optional(r.BusiestChangeMbps))
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

// AgeText formats the age of a recovery point in minutes, rounded up to whole minutes.
func AgeText(minutes float64) string {
	return wording.Duration(math.Ceil(minutes) * quantity.SecondsPerMinute)
}

// Setting formats the RPO to configure, the given one, or else the suggested one, and states a rule on which it rests.
func (p *Promise) Setting() string {
	return settingText(p.Tier.ConfiguredRPOMinutes, p.SuggestedRPOMinutes, p.Verdict, p.HoldsBy)
}

// EstimateSetting formats the RPO to configure for an estimate, as Setting does for a promise.
func EstimateSetting(e *Estimate) string {
	return settingText(e.Input.ConfiguredRPOMinutes, e.Result.SuggestedRPOMinutes, e.Result.Verdict, e.Result.HoldsBy)
}

func settingText(given, suggested *float64, verdict string, holdsBy *string) string {
	rule := ""
	if holdsBy != nil && *holdsBy == promise.ByVendorRule {
		rule = ", by the vendor's rule"
	}
	switch {
	case given == nil && suggested == nil:
		return ""
	case given == nil:
		return wording.RPO(*suggested) + rule
	case verdict == plan.Meets || suggested == nil || *suggested >= *given:
		return wording.RPO(*given) + " (as set)" + rule
	}
	return wording.RPO(*suggested) + " (now " + wording.RPO(*given) + ")"
}

var holdsBy = map[string]string{
	promise.ByBound:      "no recovery point can get older",
	promise.ByVendorRule: "the vendor's rule of half the RPO",
	promise.ByShare:      "its share of time",
}

// Within formats the share of time within the RPO, or, if the sizes of some VMs are unknown, how many others hold.
func (p *Promise) Within() string {
	unknown := 0
	for _, vm := range p.Tier.VirtualMachines {
		if vm.SizeGiB == nil {
			unknown++
		}
	}
	switch {
	case p.MovesVerdict != nil && *p.MovesVerdict != p.LikelyVerdict:
		return wording.Value("within_rpo_percent", *p.MovesWithinRPOPercent) + " during the moves"
	case unknown > 0 && p.holdsOtherwise():
		return fmt.Sprintf("%s of %s hold", plan.Thousands(float64(p.VMCount)-float64(unknown), 0),
			wording.Count(int(p.VMCount), "VM"))
	case p.WithinRPOPercent == nil:
		return ""
	}
	return wording.Value("within_rpo_percent", *p.WithinRPOPercent)
}

// holdsOtherwise reports whether the promise to the VMs of known size holds, also at the worse end.
func (p *Promise) holdsOtherwise() bool {
	return p.LikelyVerdict == plan.Meets && (p.WorseEndVerdict == nil || *p.WorseEndVerdict == plan.Meets)
}

// Worst formats the name of the VM with the oldest recovery point, and its age.
func (p *Promise) Worst() string {
	if p.OldestRecoveryPointMinutes == nil {
		return ""
	}
	age := AgeText(*p.OldestRecoveryPointMinutes)
	if p.Tier.VMCount != nil {
		return age
	}
	return wording.Clean(p.WorstVirtualMachine) + ", " + age
}

// Phrase returns the sentence of a remedy as a clause, for example "provide 2,600 Mbit/s on the link metro".
func Phrase(r promise.Remedy) string {
	s := wording.Clean(strings.TrimSuffix(r.Sentence, "."))
	return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
}

const maxNamed = 3

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
	switch need := r.ThroughputNeededMbps; {
	case need != nil && *need <= promise.RangeThroughputMbps.Min:
		return "nothing"
	case need != nil:
		return quantity.CeilMbps(*need)
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

// InSync states when the initial syncs of all promises are complete, or returns an empty string if it is not known.
func InSync(promises []*Assessment) string {
	longest := 0.0
	for _, a := range promises {
		p, ok := As[*Promise](a)
		switch {
		case !ok || p.LongestSyncMinutes == nil:
		case p.InitialSyncMinutes == nil:
			return "The initial syncs take more than 31 days if all start together."
		default:
			longest = max(longest, *p.InitialSyncMinutes)
		}
	}
	if longest == 0 {
		return ""
	}
	return "All VMs are in sync after " + wording.About(longest) + " if all initial syncs start together."
}

// Assumed lists the inputs of promises and migrations that are not known, with the values that are assumed instead. It
// returns an empty string if there are none.
func Assumed(all []*Assessment) string {
	var values []string
	places := make(map[string][]string)
	for _, a := range all {
		var of []plan.Assumption
		if p, ok := As[*Promise](a); ok && !a.Hidden() {
			of = p.Plan.Result.Assumed
		}
		if m, ok := As[Migration](a); ok && !a.Hidden() {
			of = m.Result.Assumed
		}
		for _, one := range of {
			value := assumedValue(one)
			if _, known := places[value]; !known {
				values = append(values, value)
				places[value] = nil
			}
			if one.At != "" && one.At != promise.DefaultLinkName && !slices.Contains(places[value], one.At) {
				places[value] = append(places[value], one.At)
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return wording.Clean("Not known, but assumed: " + quantity.ListOf(values, maxAssumed, func(value string) string {
		if len(places[value]) == 0 {
			return value
		}
		return value + " of " + quantity.List(places[value], maxNamed)
	}) + ".")
}

// AssumedValue returns the value that a migration assumes for an input, or nil if there is none.
func (a *Assessment) AssumedValue(name string) any {
	m, _ := As[Migration](a)
	for _, one := range m.Result.Assumed {
		if one.Input == name && one.At == "" {
			return one.Value
		}
	}
	return nil
}

const maxAssumed = 6

func assumedValue(a plan.Assumption) string {
	label, unit := strings.ToLower(wording.Label(a.Input)), a.Input
	if a.Input == "throughput_basis" {
		label, unit = "throughput", "_mbps"
	}
	text := label + " " + wording.Value(unit, a.Value)
	if a.WorseValue != nil {
		text += " (worse end " + wording.Value(unit, *a.WorseValue) + ")"
	}
	return text
}

// Windows states which part of the windows of a migration is kept free. It returns an empty string if there is none.
func Windows(all []*Assessment) string {
	for _, a := range all {
		m, ok := As[Migration](a)
		if ok && !a.Hidden() && m.NoInput == nil && m.Input.WindowHours != nil && m.Input.WindowReservePercent > 0 {
			return fmt.Sprintf("The last %s of each migration window is kept free.",
				wording.Value("_percent", m.Input.WindowReservePercent))
		}
	}
	return ""
}
