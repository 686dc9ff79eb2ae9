// The promise for a period, compared with its measurements.

package compliance

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
)

// The verdicts on a period.
const (
	// PeriodKept: the compliance of each VM is at least the promised one.
	PeriodKept = "kept"
	// PeriodBroken: that of a VM is less.
	PeriodBroken = "broken"
	// PeriodUnknown: too little is known of a VM of the tier at least. That keeps no promise.
	PeriodUnknown = "unknown"
	// PeriodNotPromised: the tier promises nothing for a period.
	PeriodNotPromised = "not_promised"
	// PeriodEmpty: the tier has no VM.
	PeriodEmpty = "no_vms"
)

// MaxUnknownPercent is the share of a VM's period that may be unknown where its measured compliance decides. Events are
// written late and a period begins between two of them. An assumption of this project.
const MaxUnknownPercent = 5.0

// Minutes are the measurements of a VM's period, or of a tier's: sums over its VMs.
type Minutes struct {
	// Violation is part of Known; Known and Unknown are all time.
	Violation, Known, Unknown float64
}

// compliancePercent is the share of the known time without violation; nil without known time.
func (m Minutes) compliancePercent() *float64 {
	if m.Known <= 0 {
		return nil
	}
	return new(quantity.Percent * (1 - m.Violation/m.Known))
}

// keeps reports whether enough is known to say that a VM keeps a promise: it is kept even if no RPO was kept in the
// unknown time, or that is short.
func (m Minutes) keeps(promised float64) bool {
	percent, all := m.compliancePercent(), m.Known+m.Unknown
	return percent != nil && *percent >= promised &&
		(m.Known-m.Violation >= all*promised/quantity.Percent || m.Unknown <= all*MaxUnknownPercent/quantity.Percent)
}

// Measured holds the measurements of a tier's period.
type Measured struct {
	Minutes
	// Each are those of its VMs.
	Each []Minutes
	// Violations counts the times that a VM fell out of its RPO.
	Violations int64
	// Days are the days of the period, from midnight UTC.
	Days []history.Day
}

// Period is the judgement of a tier's period.
type Period struct {
	Measured
	// UnknownVMs is of how many VMs too little is known to judge the promise; without a promise, of how many nothing is.
	UnknownVMs int64
	// PromisedPercent is nil without a promise. CompliancePercent is the lowest of a VM, by its known time; nil without.
	PromisedPercent, CompliancePercent *float64
	Verdict                            string
}

// keeps reports whether the verdict breaks nothing.
func (p *Period) keeps() bool { return p.Verdict != PeriodBroken && p.Verdict != PeriodUnknown }

// JudgePeriods adds the tiers' periods to a judgement. A tier that is below its promise, or of which it is not known,
// is not compliant. A tier that is missing from measured was not measured.
func (r *Result) JudgePeriods(tiers map[string]Tier, measured map[string]Measured) {
	r.Periods = make(map[string]Period, len(tiers))
	for name, tier := range tiers {
		m, looked := measured[name]
		p := Period{Measured: m, PromisedPercent: tier.CompliancePercent}
		for _, vm := range m.Each {
			p.count(vm)
		}
		p.judge(looked)
		r.Periods[name] = p
		r.Compliant = r.Compliant && p.keeps()
	}
	r.Summary = r.summary()
}

// count adds a VM: the worst one is that of the tier.
func (p *Period) count(vm Minutes) {
	percent := vm.compliancePercent()
	if percent != nil && (p.CompliancePercent == nil || *percent < *p.CompliancePercent) {
		p.CompliancePercent = percent
	}
	broken := percent != nil && p.PromisedPercent != nil && *percent < *p.PromisedPercent
	if percent == nil || (p.PromisedPercent != nil && !broken && !vm.keeps(*p.PromisedPercent)) {
		p.UnknownVMs++
	}
}

// judge sets the verdict when all VMs are counted.
func (p *Period) judge(looked bool) {
	switch {
	case looked && len(p.Each) == 0:
		p.Verdict = PeriodEmpty
	case p.PromisedPercent == nil:
		p.Verdict = PeriodNotPromised
	case p.CompliancePercent != nil && *p.CompliancePercent < *p.PromisedPercent:
		p.Verdict = PeriodBroken
	case p.CompliancePercent == nil || p.UnknownVMs > 0:
		p.Verdict = PeriodUnknown
	default:
		p.Verdict = PeriodKept
	}
}

// brokenPeriods names the tiers that do not keep their promise for the period.
func (r *Result) brokenPeriods() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		switch p := r.Periods[name]; p.Verdict {
		case PeriodBroken:
			parts = append(parts, fmt.Sprintf(
				"a VM of tier %s was within its RPO for %s %% of the known time, and the tier promises %s %%",
				name, plan.Number(math.Floor(*p.CompliancePercent*1000)/1000), plan.Number(*p.PromisedPercent)))
		case PeriodUnknown:
			parts = append(parts, fmt.Sprintf("the period of tier %s is not known for %s",
				name, vms(max(1, p.UnknownVMs))))
		}
	}
	return parts
}
