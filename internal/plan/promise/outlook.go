package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// grow sets the first months in which growth worsens the verdict of a promise.
func (a *answer) grow(ctx context.Context) error {
	if a.plan.GrowthPercentPerYear == nil || a.likely == nil {
		return nil
	}
	last, _ := a.last()
	atRisk := &outlook{ctx: ctx, answer: a, end: last &^ moving, verdict: VerdictMeets}
	miss := &outlook{ctx: ctx, answer: a, end: asGiven, verdict: VerdictAtRisk}
	for i, name := range a.tiers {
		one := a.result.Promises[name]
		if _, ok := a.unknown[name]; ok {
			continue
		}
		horizon := int64(a.plan.HorizonMonths)
		one.MonthsUntilAtRisk = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict != VerdictMeets || month > 0 && atRisk.fails(month, i)
		})
		one.MonthsUntilMiss = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict == VerdictMisses || month > 0 && miss.fails(month, i)
		})
		a.result.Promises[name] = one
	}
	if atRisk.err != nil {
		return atRisk.err
	}
	return miss.err
}

// outlook evaluates the verdicts of later months at one end.
type outlook struct {
	ctx     context.Context //nolint:containedctx // of one call
	answer  *answer
	end     end
	verdict string
	months  map[int64][]string
	err     error
}

// fails reports whether the verdict of a tier is worse in a month. The deadlines of today are ignored.
func (o *outlook) fails(month int64, tier int) bool {
	p := o.answer.plan
	percent := *p.GrowthPercentPerYear
	if o.months == nil {
		o.months = make(map[int64][]string)
	}
	if _, known := o.months[month]; !known && o.err == nil {
		o.months[month], o.err = simulation.Judge(o.ctx, p.estate(o.end).Grown(percent, month), p.options())
	}
	if o.err != nil {
		return true
	}
	t := p.Tiers[o.answer.tiers[tier]]
	part := 1.0
	if o.verdict == VerdictMeets {
		part = nearlyFullPart
	}
	factor := plan.Pow(1+percent/quantity.Percent, float64(month)/quantity.MonthsPerYear)
	return worse(o.months[month][tier], o.verdict) != o.verdict || p.above(t.Target, part/factor, o.end)
}
