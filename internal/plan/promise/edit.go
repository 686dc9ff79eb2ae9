// What a page needs to edit a plan and to follow its computation.

package promise

import (
	"context"
	"maps"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
)

// LinkInputs returns the rows of a link.
func LinkInputs() calculator.Inputs[Link] { return linkInputs }

// TargetInputs returns the rows of a target.
func TargetInputs() calculator.Inputs[Target] { return targetInputs }

// TierInputs returns the rows of a tier.
func TierInputs() calculator.Inputs[Tier] { return tierInputs() }

// Watch follows a computation.
type Watch struct {
	// Runs is called after each run of the simulation with the number of runs that have ended and of all; nil for none.
	Runs func(done, all int)
	// Partial is called by Compute with the verdicts, before needs, growth and remedies, and again with the needs; nil for
	// none.
	Partial func(Result)
}

// Watched returns the plan with a watch on its computation.
func (p Plan) Watched(w Watch) Plan {
	p.watch = w
	return p
}

func (a *answer) told() {
	if a.plan.watch.Partial == nil {
		return
	}
	early := *a
	early.result.Promises = maps.Clone(a.result.Promises)
	early.explain()
	a.plan.watch.Partial(early.result)
}

// Needs is Verdicts with the needs of the links.
func Needs(ctx context.Context, p Plan) (Result, error) {
	a, err := p.answer(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := a.needs(ctx); err != nil {
		return Result{}, err
	}
	a.explain()
	return a.result, nil
}

// MeanMbps returns the mean throughput of a link in Mbit/s; 0 for a link that Check refuses.
func (l Link) MeanMbps() float64 {
	if l.check(nil).Err() != nil {
		return 0
	}
	return l.capacity().mean()
}

// Moves is a migration beside a plan of promises.
type Moves struct {
	Input migration.PlanInput
	// Link is the link whose usable throughput the moves take; empty if Input has its own.
	Link string
	// SharePercent is the part of the throughput that they take.
	SharePercent float64
}

// On returns the migration on the links of a checked plan.
func (m Moves) On(p Plan) migration.PlanInput {
	in, share := m.Input, m.SharePercent/quantity.Percent
	hours := in.HourlyThroughputMbps
	switch {
	case m.Link != "":
		l := p.Links[m.Link]
		hours = make([]float64, hoursPerDay)
		for h, bits := range p.simulatedLink(Link{
			ThroughputMbps: l.ThroughputMbps, HourlyThroughputMbps: l.HourlyThroughputMbps, Network: l.Network,
			EfficiencyPercent: l.EfficiencyPercent,
		}, asGiven).Hourly {
			hours[h] = bits / quantity.BitsPerMbit * share
		}
		if l.HourlyThroughputMbps != nil {
			in.HourlyThroughputMbps = hours
		} else {
			in.ThroughputMbps = &hours[0]
		}
	case hours != nil:
		in.HourlyThroughputMbps = make([]float64, len(hours))
		for h, mbps := range hours {
			in.HourlyThroughputMbps[h] = mbps * share
		}
	case in.ThroughputMbps != nil:
		in.ThroughputMbps = new(*in.ThroughputMbps * share)
	}
	return in
}
