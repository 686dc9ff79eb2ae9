// Package judge judges what a plan states: its results against the settings, and whether every VM that gets the tag of
// a tier is counted in it.
package judge

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Assessment is what a plan says about a promise or another result.
type Assessment struct {
	// Subject is the tier, or the address of another result.
	Subject string     `json:"subject"`
	Address string     `json:"address"`
	Level   plan.Level `json:"level"`
	// Code is the finding that the level causes; empty if the promise holds.
	Code    finding.Code `json:"code,omitempty"`
	Message string       `json:"message,omitempty"`
	// Promise is false for a result that is no promise of a tier.
	Promise    bool     `json:"promise"`
	RPOMinutes float64  `json:"rpo_minutes,omitempty"`
	VMs        int      `json:"vm_count,omitempty"`
	Configured float64  `json:"configured_rpo_minutes,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	HoldsBy    string   `json:"holds_by,omitempty"`
}

// Judgement is what was found in a plan.
type Judgement struct {
	Assessments []Assessment
	Findings    []finding.Finding
	// Notes are lines of the comment that deny nothing.
	Notes []finding.Finding
}

type judge struct {
	plan     *tfplan.Plan
	settings *settings.Settings
	Judgement

	tiers     []tier
	users     map[string]map[string][]*tfplan.Resource // of links and targets
	inventory inventory
	table     *protection.Table
}

func newJudge(p *tfplan.Plan, s *settings.Settings) *judge {
	return &judge{plan: p, settings: s, users: map[string]map[string][]*tfplan.Resource{}}
}

// Judge judges a plan by the settings.
func Judge(p *tfplan.Plan, s *settings.Settings) Judgement {
	j := newJudge(p, s)
	if !j.checkWhole() {
		return j.Judgement
	}
	j.checkProviders()
	j.readInventory()
	j.readTiers()
	j.checkPending()
	j.judgeResults()
	j.judgeTiers()
	j.table = protection.Compare(p, j.promiseOf)
	j.Findings = append(j.Findings, j.table.Findings()...)
	j.Notes = append(j.Notes, j.table.Notes()...)
	j.limitRemovals(j.table.Lost())
	j.checkMembers()
	j.checkReplications()
	j.checkNames()
	return j.Judgement
}

func (j *judge) add(code finding.Code, subject, address, format string, values ...any) {
	message := format
	if len(values) > 0 {
		message = fmt.Sprintf(format, values...)
	}
	j.Findings = append(j.Findings, finding.Of(code, subject, address, message))
}

func (j *judge) note(code finding.Code, subject, format string, values ...any) {
	j.Notes = append(j.Notes, finding.Of(code, subject, "", fmt.Sprintf(format, values...)))
}

// promiseOf returns the RPO that a tag stands for.
func (j *judge) promiseOf(tag string) (float64, bool) {
	category, name := cut(tag)
	of, isPromise := j.settings.TierOf(category, name)
	if !isPromise {
		return 0, false
	}
	return j.rpoOf(of)
}

// rpoOf returns the promised RPO of a tier: what the plan states, which the settings bound, else what the settings
// state.
func (j *judge) rpoOf(name string) (float64, bool) {
	for _, t := range j.tiers {
		if t.name == name && t.is.RPO.Set {
			return t.is.RPO.V, true
		}
	}
	if p, named := j.settings.Promises[name]; named && p.RPO > 0 {
		return p.RPO, true
	}
	return 0, false
}

// limitRemovals allows as many objects to lose tags as the settings state.
func (j *judge) limitRemovals(lost []finding.Finding) {
	limit := j.settings.Changes.MaxRemoves
	if len(lost) <= limit {
		j.Notes = append(j.Notes, lost...)
		return
	}
	j.note(finding.TagsRemoved, "plan", "has %s; the settings allow %d (%s)", wording.Count(len(lost), "removal"),
		limit, j.settings.Line("changes.max_removes"))
	j.Findings = append(j.Findings, lost...)
}

// checkWhole finds what makes the whole plan untrustworthy. It returns false if nothing else can be judged.
func (j *judge) checkWhole() bool {
	p := j.plan
	whole := func(code finding.Code, says string) { j.add(code, "plan", "", "%s", says) }
	if says := notPlan(p); says != "" {
		whole(finding.NotAPlan, says)
		return false
	}
	switch {
	case p.Errored == nil || *p.Errored:
		whole(finding.Errored, "failed, or does not state that it succeeded")
	case !j.isWhole():
		whole(finding.Partial, "is partial (-target, -exclude or deferred changes): other results date from the last "+
			"run")
	}
	if len(p.PlannedResources()) == 0 && slices.ContainsFunc(p.Changes, func(c *tfplan.Change) bool {
		return c.Has(tfplan.Delete)
	}) {
		whole(finding.Destroys, "destroys everything, including what was promised")
	}
	for _, c := range p.Checks {
		j.checkCheck(c)
	}
	switch {
	case p.File != nil:
		for _, program := range p.File.Programs {
			j.add(finding.RunsProgram, program, program, "runs a program when its object is destroyed (provisioner)")
		}
	case j.settings.RequirePlanFile:
		whole(finding.PlanFile, "was given without the plan file, which shows programs in removed blocks")
	default:
		j.note(finding.PlanFile, "plan", "was judged without --plan-file: programs in removed blocks, "+
			"local values, and what an expression adds to a variable cannot be seen")
		j.noteUnseen()
	}
	return true
}

// notPlan says why the JSON is not that of a plan in a format that is known; "" if it is.
func notPlan(p *tfplan.Plan) string {
	switch {
	case strings.HasPrefix(p.FormatVersion, "0."):
		return fmt.Sprintf("has format_version %s, which Terraform before 1.1 writes, and which lacks what is judged "+
			"here: plan with a later version", p.FormatVersion)
	case p.Configuration == nil || p.Configuration.Root == nil || p.Planned == nil || p.Planned.Root == nil,
		!strings.HasPrefix(p.FormatVersion, "1."):
		return "is not the JSON of a plan, as `terraform show -json PLANFILE` writes it"
	}
	return ""
}

// isWhole reports whether the plan covers everything. OpenTofu does not state it, but omits outputs from a partial
// plan.
func (j *judge) isWhole() bool {
	if j.plan.Complete != nil {
		return *j.plan.Complete
	}
	outputs := j.plan.Configuration.Root.Outputs
	for name := range outputs {
		if _, planned := j.plan.Outputs[name]; !planned {
			return false
		}
	}
	return len(outputs) > 0
}

func (j *judge) checkCheck(c tfplan.Check) {
	name := c.Address.Display
	switch {
	case name == "":
		j.add(finding.Unknown, "check", "", "has no address")
	case c.Status == "unknown":
		if c.Address.Kind != "resource" || containsVsla(name) {
			j.add(finding.Unknown, name, name,
				"is not checked during plan: a value is unknown, or the plan leaves it out")
		}
	case c.Status != "pass":
		j.add(finding.CheckFailed, name, name, "did not pass: its status is %q", c.Status)
	}
}
