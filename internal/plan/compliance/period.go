package compliance

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/history"
)

const (
	// PeriodKept means that every VM reached the promised compliance.
	PeriodKept = "kept"
	// PeriodBroken means that at least one VM is below the promised compliance.
	PeriodBroken = "broken"
	// PeriodUnknown means that too little of the period is known for at least one VM. The tier counts as not compliant.
	PeriodUnknown = "unknown"
	// PeriodNotPromised means that the tier makes no promise for a period.
	PeriodNotPromised = "not_promised"
	// PeriodEmpty means that the tier has no VMs.
	PeriodEmpty = "no_vms"
)

// Measured contains the measurements for a tier in a period.
type Measured struct {
	Minutes
	// Each contains the measurements of the individual VMs.
	Each       []Minutes
	Violations int64
	// Days contains the days of the period. Each day starts at midnight UTC.
	Days []history.Day
}

// Period contains the verdict on a tier for a period.
type Period struct {
	Measured
	// UnknownVMs is the number of VMs whose known time is too short to judge the promise. If the tier makes no promise,
	// it is the number of VMs without known time.
	UnknownVMs int64
	// PromisedPercent is nil if the tier makes no promise. CompliancePercent is the lowest compliance of any VM in its
	// known time, or nil if no time is known.
	PromisedPercent, CompliancePercent *float64
	Verdict                            string
}

func (p *Period) keeps() bool { return p.Verdict != PeriodBroken && p.Verdict != PeriodUnknown }

// JudgePeriods adds the verdict on each tier for the period. A tier is not compliant if it is below its promise or if
// its result is unknown. If a tier promises a compliance but has no entry in measured, its result is unknown.
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

func (r *Result) brokenPeriods() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		switch p := r.Periods[name]; p.Verdict {
		case PeriodBroken:
			parts = append(parts, fmt.Sprintf(
				"a VM of tier %s was within its RPO for %s%% of the known time, but the tier promises %s%%",
				name, plan.Number(math.Floor(*p.CompliancePercent*1000)/1000), plan.Number(*p.PromisedPercent)))
		case PeriodUnknown:
			parts = append(parts, fmt.Sprintf("the compliance of tier %s in the period is unknown for %s",
				name, vms(max(1, p.UnknownVMs))))
		}
	}
	return parts
}
