package promise

import (
	"context"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/setting"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	// DefaultTargetPercent is the promised share of time within the RPO, for each VM, of a tier with a given configured
	// RPO. It is this project's own assumption.
	DefaultTargetPercent = 99.9
	// AtRiskPercent is the share below which such a tier misses its promise. It is this project's own assumption.
	AtRiskPercent = 99
)

// Ways in which a promise holds.
const (
	// ByBound means that no recovery point can get older than the promised RPO.
	ByBound = "bound"
	// ByVendorRule means that no sync takes longer than half the configured RPO, with which the vendor promises that
	// there are no violations.
	ByVendorRule = "vendor_rule"
	// ByShare means that every VM is within its RPO for the promised share of time.
	ByShare = "share"
)

// Compute simulates every VM, both with likely inputs and at the worse end of uncertain inputs. It determines the
// verdict on each promise, the setting that keeps it, the throughput that each link needs, the largest change and peak,
// the effect of growth, and remedies. The error is a plan.InputErrors or ctx.Err().
func Compute(ctx context.Context, p Plan) (Result, error) {
	return p.compute(ctx, (*part).setNeeds, (*part).setMaxima, (*part).setMonths, (*part).setRemedies)
}

// Judge computes the verdicts and the settings. All results that require further simulations remain nil.
func Judge(ctx context.Context, p Plan) (Result, error) { return p.compute(ctx) }

// Needs computes the verdicts, the settings and the throughput that each link needs.
func Needs(ctx context.Context, p Plan) (Result, error) { return p.compute(ctx, (*part).setNeeds) }

func (p Plan) compute(ctx context.Context, steps ...func(*part, context.Context) error) (Result, error) {
	if err := p.Check(); err != nil {
		return Result{}, err
	}
	ev, err := p.withMeasured().evaluate(ctx, false, steps...)
	if err != nil {
		return Result{}, err
	}
	return ev.result(), nil
}

// evaluate performs the steps on each part of a valid plan. With onlyVerdicts, all figures are omitted that decide no
// verdict.
func (p Plan) evaluate(
	ctx context.Context, onlyVerdicts bool, steps ...func(*part, context.Context) error,
) (*evaluation, error) {
	ev := &evaluation{
		plan:         p,
		full:         p.complete(),
		unknown:      p.unknownReasons(),
		onlyVerdicts: onlyVerdicts,
		isTrial:      onlyVerdicts && len(steps) == 0,
	}
	if p.callbacks.Runs != nil {
		ctx = simulation.WithProgress(ctx, p.callbacks.Runs)
	}
	for _, one := range p.parts() {
		ev.parts = append(ev.parts, &part{
			evaluation: ev,
			plan:       one,
			full:       one.complete(),
			tiers:      names(one.Tiers),
			results:    make(map[variant]*variantResult),
			promises:   make(map[string]Promise),
			links:      make(map[string]LinkResult),
			tried:      make(map[trial]*evaluation),
		})
	}
	judge := []func(*part, context.Context) error{(*part).judge}
	for i, steps := range [][]func(*part, context.Context) error{judge, steps} {
		if err := ev.each(func(pt *part) error {
			for _, step := range steps {
				if err := step(pt, ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		if i == 0 && p.callbacks.Partial != nil && len(steps) > 0 {
			p.callbacks.Partial(ev.result())
		}
	}
	return ev, nil
}

// evaluation is the evaluation of a plan, whose parts are computed apart.
type evaluation struct {
	// plan is the plan as given, and full has a range for each omitted input.
	plan, full Plan
	parts      []*part
	unknown    map[string]unknownReasons
	// onlyVerdicts omits all figures that decide no verdict, and isTrial omits suggestions, too.
	onlyVerdicts, isTrial bool
}

func (ev *evaluation) each(do func(*part) error) error {
	return concurrently(len(ev.parts), func(i int) error { return do(ev.parts[i]) })
}

// concurrently calls a function for the indexes up to n - 1 at the same time, and returns the first error.
func concurrently(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return firstOf(errs)
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (pt *part) judge(ctx context.Context) error {
	var err error
	if pt.choice, err = pt.full.choose(ctx, Tier.asConfigured); err != nil {
		return err
	}
	if err := pt.setSuggestions(ctx); err != nil {
		return err
	}
	if err := pt.simulateAll(ctx); err != nil {
		return err
	}
	for i, name := range pt.tiers {
		pt.promises[name] = pt.evaluatePromise(i, name)
	}
	if err := pt.setDoubts(ctx); err != nil {
		return err
	}
	pt.setLinks()
	return nil
}

func (pt *part) setSuggestions(ctx context.Context) error {
	pt.suggestions = make(map[string]setting.Choice)
	isGiven := func(name string) bool { return !pt.isTrial && pt.plan.Tiers[name].ConfiguredRPOMinutes != nil }
	all := pt.choice
	if slices.ContainsFunc(pt.tiers, isGiven) {
		var err error
		if all, err = pt.full.choose(ctx, Tier.upToPromise); err != nil {
			return err
		}
	}
	for _, name := range pt.tiers {
		pt.suggestions[name] = all
		if all.HoldsLikely || !isGiven(name) {
			continue
		}
		t := pt.full.Tiers[name]
		t.ConfiguredRPOMinutes = nil
		alone, err := pt.full.withTier(name, t).choose(ctx, Tier.asConfigured)
		if err != nil {
			return err
		}
		pt.suggestions[name] = alone
	}
	return nil
}
