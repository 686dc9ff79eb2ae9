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
	// PeriodKept means that every VM reached the promised compliance.
	PeriodKept = "kept"
	// PeriodBroken means that a VM is below the promised compliance.
	PeriodBroken = "broken"
	// PeriodUnknown means that too little is known about at least one VM; it counts as not compliant.
	PeriodUnknown = "unknown"
	// PeriodNotPromised means that the tier has no promise for a period.
	PeriodNotPromised = "not_promised"
	// PeriodEmpty means that the tier has no VMs.
	PeriodEmpty = "no_vms"
)

// MaxUnknownPercent is the largest unknown share of a period for which the measured compliance decides. Events are
// late, and a period begins between two of them. An assumption of this project.
const MaxUnknownPercent = 5.0

// Minutes are the measurements of a VM's period, or their sums over the VMs of a tier.
type Minutes struct {
	// Violation is part of Known; Known and Unknown add up to the period.
	Violation, Known, Unknown float64
}

// compliancePercent returns the share of known time without violation; nil if nothing is known.
func (m Minutes) compliancePercent() *float64 {
	if m.Known <= 0 {
		return nil
	}
	return new(quantity.Percent * (1 - m.Violation/m.Known))
}

// keeps reports whether a VM certainly meets a promise: the known time suffices on its own, or the unknown time is
// within MaxUnknownPercent.
func (m Minutes) keeps(promised float64) bool {
	percent, all := m.compliancePercent(), m.Known+m.Unknown
	return percent != nil && *percent >= promised &&
		(m.Known-m.Violation >= all*promised/quantity.Percent || m.Unknown <= all*MaxUnknownPercent/quantity.Percent)
}

// Measured holds the measurements of a tier's period.
type Measured struct {
	Minutes
	// Each lists the measurements of the VMs.
	Each []Minutes
	// Violations is the number of RPO violations.
	Violations int64
	// Days lists the days of the period, from midnight UTC.
	Days []history.Day
}

// Period is the verdict on a tier's period.
type Period struct {
	Measured
	// UnknownVMs is the number of VMs with too little known time to judge the promise; without a promise, with none
	// at all.
	UnknownVMs int64
	// PromisedPercent is nil without a promise. CompliancePercent is the lowest compliance of a VM in its known time;
	// nil if nothing is known.
	PromisedPercent, CompliancePercent *float64
	Verdict                            string
}

func (p *Period) keeps() bool { return p.Verdict != PeriodBroken && p.Verdict != PeriodUnknown }

// JudgePeriods adds the verdicts on the periods. A tier below its promise, or with an unknown result, is not
// compliant. Tiers missing in measured count as not measured.
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

// count adds a VM; the worst VM determines the compliance of the tier.
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

func (r *Result) brokenPeriods() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		switch p := r.Periods[name]; p.Verdict {
		case PeriodBroken:
			parts = append(parts, fmt.Sprintf(
				"a VM of tier %s was within its RPO for %s %% of the known time, but the tier promises %s %%",
				name, plan.Number(math.Floor(*p.CompliancePercent*1000)/1000), plan.Number(*p.PromisedPercent)))
		case PeriodUnknown:
			parts = append(parts, fmt.Sprintf("the compliance of tier %s in the period is unknown for %s",
				name, vms(max(1, p.UnknownVMs))))
		}
	}
	return parts
}
