package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
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
	a.Answer = &Promise{Plan: p, Tier: tier, Promise: r}
	a.Level = r.Verdict
	a.Verdict = r.Verdict
	a.Summary = r.Summary
	if plan.Rank(r.Verdict) <= plan.Rank(plan.Empty) {
		a.Level = plan.Neutral
	}
	a.addReasons(r.Explanation)
	a.describe(p, tier, r)
	a.facts = promiseFacts(tier, r, inputs)
}

func promiseFacts(tier promise.Tier, r promise.Promise, inputs []Fact) []Fact {
	facts := partFacts(inputs)
	if tier.VMCount == nil {
		facts = slices.DeleteFunc(facts, func(f Fact) bool { return f.Name == "vm_count" })
		facts.addResult("vm_count", float64(r.VMCount))
	}
	facts.addResult("total_gib", optional(r.TotalGiB))
	facts.addResult("suggested_rpo_minutes", optional(r.SuggestedRPOMinutes))
	if r.HoldsBy != nil {
		facts.addText("holds_by", "Holds by", holdsBy[*r.HoldsBy])
	}
	if r.LateVMCount > 0 {
		facts.addText("late_vm_count", "Late VMs", fmt.Sprintf("%d of %d", r.LateVMCount, r.VMCount))
	}
	facts.addResult("within_rpo_percent", optional(r.WithinRPOPercent))
	if share := r.WorseEndWithinRPOPercent; share != nil {
		facts.addText("worse_end_within_rpo_percent", "At the worse end", wording.Value("within_rpo_percent", *share))
	}
	if share := r.MovesWithinRPOPercent; share != nil {
		facts.addText("moves_within_rpo_percent", "During the moves", wording.Value("within_rpo_percent", *share))
	}
	if r.OldestRecoveryPointMinutes != nil {
		facts.addText("oldest_recovery_point_minutes", "Oldest recovery point", AgeText(*r.OldestRecoveryPointMinutes))
	}
	facts.addResult("max_daily_change_percent", optional(r.MaxDailyChangePercent))
	facts.addResult("max_peak_factor", optional(r.MaxPeakFactor))
	if r.LongestSyncMinutes == nil {
		return facts
	}
	facts.addResult("change_mbps", optional(r.ChangeMbps))
	facts.addResult("busiest_change_mbps", optional(r.BusiestChangeMbps))
	if r.InitialSyncMinutes == nil {
		facts.addText("initial_sync_minutes", "All VMs protected", "not within the simulated time")
	} else {
		facts.addText("initial_sync_minutes", "All VMs protected", "after "+wording.About(*r.InitialSyncMinutes))
	}
	if r.DeadlineMet != nil {
		met := map[bool]string{true: "met", false: "missed"}[*r.DeadlineMet]
		facts.addText("deadline_met", "Initial sync deadline", met)
	}
	if r.TargetGiB != nil {
		facts.addText("target_gib", "Space on the target", wording.Value("target_gib", *r.TargetGiB))
	}
	return facts
}

// Within formats the share of time within the RPO, and to how many VMs it applies if the sizes of others are unknown.
func (p *Promise) Within() string {
	switch {
	case p.MovesVerdict != nil && *p.MovesVerdict != p.LikelyVerdict:
		return wording.Value("within_rpo_percent", *p.MovesWithinRPOPercent) + " during the moves"
	case p.WithinRPOPercent == nil:
		return ""
	}
	share := wording.Value("within_rpo_percent", *p.WithinRPOPercent)
	known := len(p.Tier.VirtualMachines)
	for _, vm := range p.Tier.VirtualMachines {
		if vm.SizeGiB == nil {
			known--
		}
	}
	if known == len(p.Tier.VirtualMachines) {
		return share
	}
	return fmt.Sprintf("%s for %s of %s", share, plan.Thousands(float64(known), 0), wording.Count(int(p.VMCount), "VM"))
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
	return p.WorstVirtualMachine + ", " + age
}

// Phrase returns the sentence of a remedy as a clause, for example "provide 2,600 Mbit/s on the link metro".
func Phrase(r promise.Remedy) string {
	s := strings.TrimSuffix(r.Sentence, ".")
	return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
}

const maxNamed = 3

func (a *Assessment) addReasons(e calculator.Explanation) {
	for _, f := range e.Findings {
		a.Reasons = append(a.Reasons, Reason{f.Code, f.Sentence})
	}
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

// Setting formats the RPO to configure, the given one, or else the suggested one, and states a rule on which it rests.
func (p *Promise) Setting() string {
	return settingText(p.Tier.ConfiguredRPOMinutes, p.SuggestedRPOMinutes, p.Verdict, p.HoldsBy)
}
