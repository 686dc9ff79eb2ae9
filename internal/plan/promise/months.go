package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan/setting"
	"terraform-provider-vsla/internal/plan/simulation"
)

// setMonths sets the first months in which growth breaks each promise outside migrations, with the configured RPOs that
// are given or would be chosen then. It ignores deadlines.
func (pt *part) setMonths(ctx context.Context) error {
	if pt.plan.GrowthPercentPerYear == nil {
		return nil
	}
	type outcome struct{ worse, likely []bool }
	known := make(map[int64]outcome)
	var failed error
	at := func(month int64) outcome {
		of, ok := known[month]
		if !ok && failed == nil {
			of.worse, of.likely, failed = pt.holdAfter(ctx, simulation.Growth(*pt.plan.GrowthPercentPerYear, month))
			known[month] = of
		}
		return of
	}
	horizon := int64(pt.plan.HorizonMonths)
	for i, name := range pt.tiers {
		one := pt.promises[name]
		one.MonthsUntilAtRisk, one.MonthsUntilMiss = new(int64), new(int64)
		first := func(share float64, holds func(outcome) []bool) *int64 {
			return pt.earlier(name, simulation.FirstMonth(horizon, func(month int64) bool {
				if month == 0 {
					return false
				}
				of := at(month)
				return failed == nil && !holds(of)[i]
			}), share)
		}
		if one.holdsLikely() && !one.isDoubtful() {
			one.MonthsUntilAtRisk = first(nearlyFullShare, func(of outcome) []bool { return of.worse })
		}
		if one.holdsLikely() {
			one.MonthsUntilMiss = first(1, func(of outcome) []bool { return of.likely })
		}
		pt.promises[name] = one
	}
	return failed
}

// holdAfter reports, for each tier, whether its promise holds at the worse end and with likely inputs if data and
// change are multiplied by a factor.
func (pt *part) holdAfter(ctx context.Context, factor float64) (worse, likely []bool, err error) {
	full := pt.full.withoutMoves()
	q := full.question(Tier.asConfigured)
	q.Likely, q.Worse = q.Likely.Scaled(factor), q.Worse.Scaled(factor)
	choice, err := q.Choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	isChosen := !slices.ContainsFunc(q.Tiers, func(t setting.Tier) bool { return t.GivenMinutes != nil })
	likely = slices.Repeat([]bool{true}, len(pt.tiers))
	at := func(e simulation.Estate) ([]bool, error) {
		r, err := full.run(ctx, e.WithSettings(choice.Minutes), true)
		holds := slices.Clone(likely)
		for i, of := range r.Tiers {
			holds[i] = holds[i] && full.Tiers[pt.tiers[i]].holdsBy(choice.Minutes[i], of) != ""
		}
		return holds, err
	}
	if !isChosen || !choice.HoldsLikely {
		if likely, err = at(q.Likely); err != nil {
			return nil, nil, err
		}
	}
	if isChosen && choice.HoldsWorse || !slices.Contains(likely, true) {
		return likely, likely, nil
	}
	worse, err = at(q.Worse)
	return worse, likely, err
}

// earlier returns the month in which a tier's target has too little space, if that is before the given month.
func (pt *part) earlier(name string, month *int64, share float64) *int64 {
	target, ok := pt.evaluation.full.Targets[pt.full.Tiers[name].Target]
	if !ok || target.FreeGiB == nil {
		return month
	}
	needed := pt.evaluation.full.neededGiB(pt.full.Tiers[name].Target, asGiven)
	full := simulation.FirstMonth(int64(pt.plan.HorizonMonths), func(m int64) bool {
		return needed*simulation.Growth(*pt.plan.GrowthPercentPerYear, m) > share**target.FreeGiB
	})
	if month == nil || full != nil && *full < *month {
		return full
	}
	return month
}
