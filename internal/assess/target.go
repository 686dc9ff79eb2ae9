package assess

import (
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Target is a target in a plan. TargetResult contains the space that its replicas need.
type Target struct {
	Plan   *Plan
	Target promise.Target
	promise.TargetResult
}

func (a *Assessment) setTarget(p *Plan, name string, inputs []Fact) {
	r := p.Result.Targets[name]
	a.Answer = &Target{Plan: p, Target: p.Input.Targets[name], TargetResult: r}
	a.Texts.Promise = "promises: " + quantity.List(r.Promises, maxNamed)
	facts := partFacts(inputs)
	facts.addResult("target_gib", r.NeededGiB)
	facts.addResult("free_after_gib", optional(r.FreeAfterGiB))
	facts.addResult("months_until_full", optional(r.MonthsUntilFull))
	facts.addResult("busiest_write_percent", optional(r.BusiestWritePercent))
	a.facts = facts
}
