package promise

import (
	"context"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/simulation"
)

// variantResult contains the results of a variant. initial contains the minutes that each tier's initial sync takes
// after a common cold start; an element is nil if it would exceed 31 days.
type variantResult struct {
	simulation.Result

	initial []*float64
	// waitMinutes is that of the only tier's promise. isClosed reports whether the closed form applies.
	waitMinutes *float64
	isClosed    bool
}
type recoveries struct{ together, outage simulation.Recovery }

// simulateAll simulates the variants and the recoveries at the same time.
func (pt *part) simulateAll(ctx context.Context) error {
	variants := pt.full.variants()
	results := make([]*variantResult, len(variants))
	err := concurrently(len(variants)+1, func(i int) (err error) {
		if i == len(variants) {
			return pt.setRecoveries(ctx)
		}
		results[i], err = pt.simulate(ctx, variants[i])
		return err
	})
	for i, v := range variants {
		pt.results[v] = results[i]
	}
	return err
}

func (pt *part) setRecoveries(ctx context.Context) error {
	e := pt.full.estate(asGiven).WithSettings(pt.choice.Minutes)
	together := make([]simulation.Recovery, len(pt.tiers))
	var err error
	if !pt.onlyVerdicts {
		if together, err = simulation.Together(ctx, e); err != nil {
			return err
		}
	}
	outage := make([]simulation.Recovery, len(pt.tiers))
	if pt.full.hasOutage() {
		if outage, err = simulation.Outage(ctx, e); err != nil {
			return err
		}
	}
	pt.recoveries = make(map[string]recoveries)
	for i, name := range pt.tiers {
		pt.recoveries[name] = recoveries{together: together[i], outage: outage[i]}
	}
	return nil
}

func (p Plan) hasOutage() bool {
	return slices.ContainsFunc(names(p.Links), func(name string) bool { return p.Links[name].OutageMinutes != nil })
}

func (pt *part) simulate(ctx context.Context, v variant) (*variantResult, error) {
	e := pt.full.estate(v).WithSettings(pt.choice.Minutes)
	var r variantResult
	var err error
	closed, holds := simulation.Closed(e)
	r.isClosed = e.IsClosed()
	if len(closed.Tiers) > 0 && math.IsInf(closed.Tiers[0].OldestMinutes, 1) {
		r.waitMinutes = &closed.Tiers[0].LongestSyncMinutes
	}
	isBounded := holds && !closed.Tiers[0].Late
	if r.Result, err = pt.full.run(ctx, e, pt.onlyVerdicts || isBounded && v != asGiven); err != nil {
		return nil, err
	}
	r.initial = make([]*float64, len(pt.tiers))
	if v == asGiven && !pt.onlyVerdicts || pt.full.hasDeadline() {
		r.initial, err = simulation.InitialSync(ctx, pt.full.merged(e))
	}
	return &r, err
}

func (p Plan) hasDeadline() bool {
	return slices.ContainsFunc(names(p.Tiers), func(name string) bool { return p.Tiers[name].DeadlineHours != nil })
}

// run simulates an estate of a completed part. With onlyVerdicts, it returns the results of the closed form if the
// promise holds by them or no simulation could change the verdict: only the share of time with a given setting requires
// one. WithinPercent is then NaN if the promise does not hold.
func (p Plan) run(ctx context.Context, e simulation.Estate, onlyVerdicts bool) (simulation.Result, error) {
	e = p.merged(e)
	if !onlyVerdicts || !e.IsClosed() {
		return simulation.Run(ctx, e)
	}
	r, holds := simulation.Closed(e)
	t := p.Tiers[p.simulated()[0]]
	if !holds && t.ConfiguredRPOMinutes != nil && t.canConfigure(*t.ConfiguredRPOMinutes) {
		return simulation.Run(ctx, e)
	}
	if !holds {
		r.Tiers[0].WithinPercent = math.NaN()
	}
	return r, nil
}
