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
	// PeriodKept: the measured compliance is at least the promised one.
	PeriodKept = "kept"
	// PeriodBroken: it is less.
	PeriodBroken = "broken"
	// PeriodUnknown: nothing is known of the period, of a VM of the tier at least. That keeps no promise.
	PeriodUnknown = "unknown"
	// PeriodNotPromised: the tier promises nothing for a period.
	PeriodNotPromised = "not_promised"
	// PeriodEmpty: the tier has no VM.
	PeriodEmpty = "no_vms"
)

// Measured holds the measurements of a tier's period. Minutes are sums over its VMs.
type Measured struct {
	// VMs is how many the tier has, UnknownVMs of how many of them nothing is known.
	VMs, UnknownVMs int64
	// Violations counts the times that a VM fell out of its RPO.
	Violations                                     int64
	ViolationMinutes, KnownMinutes, UnknownMinutes float64
	// Days are the days of the period, from midnight UTC.
	Days []history.Day
}

// Period is the judgement of a tier's period.
type Period struct {
	Measured
	// PromisedPercent is nil without a promise, CompliancePercent without known time.
	PromisedPercent, CompliancePercent *float64
	Verdict                            string
}

// keeps reports whether the verdict breaks nothing.
func (p Period) keeps() bool { return p.Verdict != PeriodBroken && p.Verdict != PeriodUnknown }

// JudgePeriods adds the tiers' periods to a judgement. A tier that is below its promise, or of which it is not known,
// is not compliant. A tier that is missing from measured was not measured.
func (r *Result) JudgePeriods(tiers map[string]Tier, measured map[string]Measured) {
	r.Periods = make(map[string]Period, len(tiers))
	for name, tier := range tiers {
		m, looked := measured[name]
		p := Period{Measured: m, PromisedPercent: tier.CompliancePercent}
		if m.KnownMinutes > 0 {
			p.CompliancePercent = new(quantity.Percent * (1 - m.ViolationMinutes/m.KnownMinutes))
		}
		switch {
		case looked && m.VMs == 0:
			p.Verdict = PeriodEmpty
		case p.PromisedPercent == nil:
			p.Verdict = PeriodNotPromised
		case p.CompliancePercent != nil && *p.CompliancePercent < *p.PromisedPercent:
			p.Verdict = PeriodBroken
		case p.CompliancePercent == nil || m.UnknownVMs > 0:
			p.Verdict = PeriodUnknown
		default:
			p.Verdict = PeriodKept
		}
		r.Periods[name] = p
		r.Compliant = r.Compliant && p.keeps()
	}
	r.Summary = r.summary()
}

// brokenPeriods names the tiers that do not keep their promise for the period.
func (r *Result) brokenPeriods() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		switch p := r.Periods[name]; p.Verdict {
		case PeriodBroken:
			parts = append(parts, fmt.Sprintf("tier %s was within its RPO for %s %% of the period, and promises %s %%",
				name, plan.Number(math.Floor(*p.CompliancePercent*1000)/1000), plan.Number(*p.PromisedPercent)))
		case PeriodUnknown:
			parts = append(parts, fmt.Sprintf("the period of tier %s is not known for %s",
				name, vms(max(1, p.UnknownVMs))))
		}
	}
	return parts
}
