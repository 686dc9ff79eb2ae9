package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

type (
	figure = tfplan.Value[float64]
	text   = tfplan.Value[string]
)

// slaPlan is a result of vsla_sla_plan, as far as the gate reads it.
type slaPlan struct {
	Verdict  text                      `json:"verdict"`
	Growth   figure                    `json:"growth_percent_per_year"`
	Horizon  figure                    `json:"horizon_months"`
	Tiers    map[string]tierInput      `json:"tiers"`
	Promises map[string]*promiseResult `json:"promises"`
	Links    map[string]linkResult     `json:"links"`
	Targets  map[string]targetResult   `json:"targets"`
}

type tierInput struct {
	RPO        figure                      `json:"rpo_minutes"`
	Configured figure                      `json:"configured_rpo_minutes"`
	VMCount    figure                      `json:"vm_count"`
	VMs        tfplan.Value[map[string]vm] `json:"virtual_machines"`
	Link       text                        `json:"link"`
	Target     text                        `json:"target"`
}

type vm struct {
	ID   text   `json:"id"`
	Size figure `json:"size_gib"`
}

type promiseResult struct {
	Verdict     text                   `json:"verdict"`
	Reasons     tfplan.Value[[]string] `json:"reasons"`
	Summary     text                   `json:"summary"`
	Explains    tfplan.Value[[]string] `json:"explanations"`
	HoldsBy     text                   `json:"holds_by"`
	VMCount     figure                 `json:"vm_count"`
	Late        figure                 `json:"late_vm_count"`
	Suggested   figure                 `json:"suggested_rpo_minutes"`
	UntilAtRisk figure                 `json:"months_until_at_risk"`
	UntilMiss   figure                 `json:"months_until_miss"`
}

type linkResult struct {
	Needed   figure `json:"throughput_needed_mbps"`
	Headroom figure `json:"headroom_percent"`
}

type targetResult struct {
	Free      figure `json:"free_gib"`
	FreeAfter figure `json:"free_after_gib"`
	UntilFull figure `json:"months_until_full"`
}

// tier is a tier of a plan with its result.
type tier struct {
	name, address string
	is            tierInput
	result        promiseResult
	values, plan  map[string]any
	members       []member
}

func (t tier) isEmpty() bool {
	return t.result.Verdict.V == "empty" || len(t.members) == 0 && t.count() == 0
}

// count returns the number of VMs that a tier counts.
func (t tier) count() int {
	switch {
	case t.is.VMs.Set:
		return len(t.is.VMs.V)
	case t.is.VMCount.Set:
		return int(t.is.VMCount.V)
	}
	return 0
}

const unreliable = "has no reliable verdict: a value is missing, or values contradict each other"

// readTiers reads the tiers of all plans.
func (j *judge) readTiers() {
	for _, r := range j.plan.Results(schema.Plan) {
		is, err := tfplan.Decode[slaPlan](r.Values)
		if err != nil || !is.isSound() {
			j.add(finding.Unknown, r.Address, r.Address, unreliable)
			if err != nil {
				continue
			}
		}
		inputs, _ := r.Values["tiers"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(is.Tiers)) {
			result := is.Promises[name]
			if result == nil {
				continue // not sound
			}
			t := tier{name: name, address: r.Address, is: is.Tiers[name], result: *result, plan: r.Values}
			t.values, _ = inputs[name].(map[string]any)
			t.members = j.membersOf(&t)
			j.tiers = append(j.tiers, t)
		}
		j.judgePlan(r, is)
	}
	j.checkPlans("links", j.settings.Links)
	j.checkPlans("targets", j.settings.Targets)
}

// usersOf returns the plans that contain each link or each target, by its name.
func (j *judge) usersOf(section string) map[string][]*tfplan.Resource {
	if known, ok := j.users[section]; ok {
		return known
	}
	users := make(map[string][]*tfplan.Resource)
	for _, r := range j.plan.Results(schema.Plan) {
		elements, _ := r.Values[section].(map[string]any)
		for name := range elements {
			users[name] = append(users[name], r)
		}
	}
	j.users[section] = users
	return users
}

// checkPlans finds links and targets that no plan uses, or more plans than the settings allow: each plan counts all of
// a link, so the tiers of one plan could be divided among several.
func (j *judge) checkPlans(section string, all map[string]settings.Bounds) {
	users := j.usersOf(section)
	plans := j.plan.Results(schema.Plan)
	for name, b := range all {
		if len(plans) > 0 && len(users[name]) == 0 && name != settings.AllOthers {
			j.add(
				finding.OutOfBounds,
				partName(section, name),
				plans[0].Address,
				"is in the settings (%s), but not in the plan",
				b.Where,
			)
		}
	}
	for name, by := range users {
		bounds, bounded := settings.Of(all, name)
		if !bounded {
			continue // has its own finding
		}
		most, where := 1.0, bounds.Where
		for _, limit := range bounds.Limits {
			if value, ok := limit.Value.(float64); ok && limit.Name == settings.Plans {
				most, where = value, limit.Where
			}
		}
		if float64(len(by)) > most {
			j.add(finding.OutOfBounds, partName(section, name), "", "is used by %d plans (%s), and each counts all "+
				"of it; the settings allow %v (%s)", len(by), quantity.ListOf(by, namesListed, addressOf), most, where)
		}
	}
}

func addressOf(r *tfplan.Resource) string { return r.Address }

// partName returns "link metro" for the name of a link.
func partName(section, name string) string { return strings.TrimSuffix(section, "s") + " " + name }

// isSound reports whether each tier has a promise, and no verdict contradicts another value.
func (p slaPlan) isSound() bool {
	if len(p.Promises) == 0 || len(p.Tiers) != len(p.Promises) || !slices.Contains(plan.Levels, p.Verdict.V) {
		return false
	}
	worst := "meets"
	for name, promise := range p.Promises {
		if _, ok := p.Tiers[name]; !ok || promise == nil || !slices.Contains(plan.Levels, promise.Verdict.V) {
			return false
		}
		isLate := promise.Late.Set && promise.Late.V > 0
		if promise.Verdict.V == "meets" && isLate && promise.HoldsBy.V != "share" {
			return false
		}
		worst = plan.Worse(worst, promise.Verdict.V)
	}
	return p.Verdict.V == worst || p.Verdict.V == "empty" && worst == "meets"
}

// judgePlan checks the links, the targets and the inputs of a whole plan.
func (j *judge) judgePlan(r *tfplan.Resource, is slaPlan) {
	bounds, _ := j.settings.Results[schema.Plan]
	j.checkBounds(part{r.Address, r.Address, schema.Plan, "", r.Values, r.Values, bounds})
	j.checkGrowth(r, is)
	parts := func(section string, all map[string]settings.Bounds) {
		elements, _ := r.Values[section].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(elements)) {
			values, _ := elements[name].(map[string]any)
			bounds, bounded := settings.Of(all, name)
			subject := partName(section, name)
			if !bounded {
				j.add(finding.Unbounded, subject, r.Address, "is not in %s of the settings", section)
				continue
			}
			j.checkBounds(part{subject, r.Address, schema.Plan, section, values, r.Values, bounds})
		}
	}
	parts("links", j.settings.Links)
	parts("targets", j.settings.Targets)
	for _, name := range slices.Sorted(maps.Keys(is.Targets)) {
		j.checkTarget(name, r.Address, is.Targets[name])
	}
}

const defaultHeadroom = 15

// checkTarget checks the space that replicas leave. A target whose free space is not given is not judged, and one that
// is too small misses its promises.
func (j *judge) checkTarget(name, address string, is targetResult) {
	least := float64(defaultHeadroom)
	bounds, _ := settings.Of(j.settings.Targets, name)
	for _, limit := range bounds.Limits {
		if value, ok := limit.Value.(float64); ok && limit.Name == "headroom_percent" {
			least = value
		}
	}
	if !is.Free.Set || is.FreeAfter.Set && is.FreeAfter.V < 0 {
		return
	}
	if left := 100 * is.FreeAfter.V / is.Free.V; !is.FreeAfter.Set || is.Free.V <= 0 || left < least {
		j.add(finding.LowHeadroom, "target "+name, address, "keeps %.0f%% of its free space; the settings require %v%%",
			math.Floor(max(0, left)), least)
	}
}

// checkGrowth checks how long promises and targets last.
func (j *judge) checkGrowth(r *tfplan.Resource, is slaPlan) {
	months := j.settings.HoldsMonths
	if months == 0 {
		return
	}
	horizon := 36.0
	if is.Horizon.Set {
		horizon = is.Horizon.V
	}
	switch {
	case !is.Growth.Set:
		j.add(finding.Unknown, r.Address, r.Address, "does not state growth_percent_per_year, so it cannot be told "+
			"whether promises last for %s", inMonths(months))
		return
	case is.Growth.V < j.settings.MinGrowth:
		j.add(finding.OutOfBounds, r.Address, r.Address, "has growth_percent_per_year = %v; the settings require at "+
			"least %v (%s)", is.Growth.V, j.settings.MinGrowth, j.settings.Line("min_growth_percent_per_year"))
	case horizon < months:
		j.add(finding.Unknown, r.Address, r.Address, "looks %s ahead (horizon_months); the settings require %v (%s)",
			inMonths(horizon), months, j.settings.Line("holds_months"))
	}
	ends := func(subject string, until figure) {
		if until.Set && until.V < months {
			j.add(finding.Exhausts, subject, r.Address, "lasts for %s; the settings require %v (%s)",
				inMonths(math.Floor(until.V)), months, j.settings.Line("holds_months"))
		}
	}
	for name, p := range is.Promises {
		if p == nil {
			continue
		}
		switch p.Verdict.V {
		case "meets":
			ends(name, p.UntilAtRisk)
		case "at_risk":
			ends(name, p.UntilMiss)
		}
	}
	for name, target := range is.Targets {
		ends("target "+name, target.UntilFull)
	}
}

func inMonths(n float64) string {
	if n == 1 {
		return "1 month"
	}
	return fmt.Sprintf("%v months", n)
}

// judgeTiers assesses the promise of each tier, and checks its inputs.
func (j *judge) judgeTiers() {
	found := make(map[string]bool)
	missed := make(map[string][]string)
	for name := range j.settings.Promises {
		missed[name] = j.inaccessible(name)
	}
	for _, t := range j.tiers {
		found[t.name] = true
		j.Assessments = append(j.Assessments, j.assess(t, missed[t.name]))
		promise, bounded := j.settings.For(t.name)
		switch {
		case t.isEmpty():
			j.note(finding.Missing, t.name, "has no VMs, so it promises nothing")
			continue
		case !bounded:
			j.add(finding.Unbounded, t.name, t.address, "is not in promises of the settings")
			continue
		}
		j.checkRPO(t, promise)
		j.checkBounds(t.part(promise.Bounds))
		j.checkPlacement(t, promise)
	}
	for name, p := range j.settings.Promises {
		if name != settings.AllOthers && !found[name] {
			j.add(finding.Missing, name, "", "is promised (%s), but no plan contains the tier", p.Where)
		}
	}
}

// part returns the inputs of a tier with the bounds of its promise.
func (t tier) part(bounds settings.Bounds) part {
	return part{t.name, t.address, schema.Plan, "tiers", t.values, t.plan, bounds}
}

func (j *judge) checkRPO(t tier, p settings.Promise) {
	switch {
	case p.RPO == 0:
		j.add(
			finding.Unbounded,
			t.name,
			t.address,
			"has rpo_minutes without a bound: write max_rpo_minutes (%s)",
			p.Where,
		)
	case !t.is.RPO.Set || t.is.RPO.V > p.RPO:
		j.add(finding.Weaker, t.name, t.address, "promises an RPO of %v minutes; the settings promise %v (%s)",
			t.is.RPO.V, p.RPO, p.Line("rpo_minutes"))
	}
	if p.HoldsBy == "bound" && t.result.Verdict.V == "meets" && t.result.HoldsBy.V != "bound" {
		j.add(
			finding.HoldsBy,
			t.name,
			t.address,
			"holds only by %s; the settings require the bound: configure %v minutes",
			strings.ReplaceAll(t.result.HoldsBy.V, "_", " "),
			t.result.Suggested.V,
		)
	}
}

// checkPlacement finds a tier whose replicas would be counted at no target.
func (j *judge) checkPlacement(t tier, p settings.Promise) {
	if len(j.settings.Targets) > 0 && !t.is.Target.Set && !p.Fixes("target") {
		j.add(finding.OutOfBounds, t.name, t.address, "has no target, so its space is not counted")
	}
}

func (j *judge) assess(t tier, missed []string) Assessment {
	a := Assessment{
		Subject:    wording.Clean(t.name),
		Address:    wording.Clean(t.address),
		Promise:    true,
		RPOMinutes: t.is.RPO.V,
		VMs:        t.count(),
		Reasons:    t.result.Reasons.V,
		HoldsBy:    t.result.HoldsBy.V,
		Configured: t.result.Suggested.V,
	}
	if t.is.Configured.Set {
		a.Configured = t.is.Configured.V
	}
	summary := wording.Clean(strings.Join(append([]string{t.result.Summary.V}, t.result.Explains.V...), " "))
	switch t.result.Verdict.V {
	case "meets":
		a.Level = plan.Meets
	case "empty":
		a.Level = plan.Neutral
	case "at_risk":
		a.Level, a.Code = plan.AtRisk, finding.AtRisk
	case "misses":
		a.Level, a.Code = plan.Misses, finding.RPOMissed
	default:
		a.Level, a.Code = plan.Unknown, finding.PromiseUnknown
	}
	switch {
	case len(missed) > 0 && (a.Level == plan.Meets || t.isEmpty()):
		a.Level, a.Code = plan.Unknown, finding.PromiseUnknown
		summary = fmt.Sprintf("Not known for %s that could not be accessed: %s%s. %s", wording.Count(len(missed), "VM"),
			quantity.List(missed, namesListed), j.lineOf(t.name), summary)
	case t.isEmpty():
		a.Level, a.Code = plan.Neutral, ""
	}
	a.Message = strings.TrimSuffix(strings.TrimSpace(summary), ".")
	return a
}
