package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan/setting"
)

// choose returns the settings of all tiers of a completed plan with which the promises hold during migrations, or
// otherwise outside them.
func (p Plan) choose(ctx context.Context, limits func(Tier) setting.Tier) (setting.Choice, error) {
	q := p.question(limits)
	if p.hasMoves() {
		if found, err := q.Choose(ctx); err != nil || found.HoldsLikely {
			return found, err
		}
		q.Likely, q.Worse, q.Outside = p.estate(asGiven), p.estate(worseEnd), nil
	}
	return q.Choose(ctx)
}

// question asks for the settings of all tiers of a completed plan with which the promises hold during migrations.
// limits returns the possible settings of a tier.
func (p Plan) question(limits func(Tier) setting.Tier) setting.Question {
	q := setting.Question{Likely: p.estate(whileMoving), Worse: p.estate(worseEnd | whileMoving)}
	// The closed form can exclude what the simulation of a slower link allows.
	if outside := p.estate(worseEnd); outside.IsClosed() && !q.Worse.IsClosed() {
		q.Outside = &outside
	}
	for _, name := range p.simulated() {
		q.Tiers = append(q.Tiers, limits(p.Tiers[name]))
	}
	return q
}

// leastMinutes returns the shortest RPO that can be configured.
func (t Tier) leastMinutes() float64 {
	if t.QuiesceSeconds > 0 && t.isVSphereReplication() {
		return max(t.MinConfiguredRPOMinutes, quiescedMinutes)
	}
	return t.MinConfiguredRPOMinutes
}

// canConfigure reports whether a given configured RPO is neither too short nor longer than the promised one.
func (t Tier) canConfigure(minutes float64) bool {
	return t.leastMinutes() <= minutes && minutes <= t.RPOMinutes
}

// upToPromise allows all settings up to the promised RPO.
func (t Tier) upToPromise() setting.Tier {
	return setting.Tier{LeastMinutes: setting.Up(t.leastMinutes()), MostMinutes: t.RPOMinutes}
}

// asConfigured allows only the configured RPO, if there is one.
func (t Tier) asConfigured() setting.Tier {
	of := t.upToPromise()
	of.GivenMinutes = t.ConfiguredRPOMinutes
	return of
}

// upToConfigured allows all settings up to the configured RPO, if there is one that can be configured.
func (t Tier) upToConfigured() setting.Tier {
	of := t.upToPromise()
	if t.ConfiguredRPOMinutes != nil && *t.ConfiguredRPOMinutes >= of.LeastMinutes {
		of.MostMinutes = min(of.MostMinutes, *t.ConfiguredRPOMinutes)
	}
	return of
}
