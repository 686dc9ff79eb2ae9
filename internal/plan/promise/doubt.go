package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

const inputBasis = "throughput_basis"

// setDoubts determines which unknown inputs decide the verdicts that do not hold at the worse end.
func (pt *part) setDoubts(ctx context.Context) error {
	isDoubtful := func(name string) bool {
		one := pt.promises[name]
		return one.isDoubtful()
	}
	if !slices.ContainsFunc(pt.tiers, isDoubtful) {
		return nil
	}
	for _, inputs := range [][]string{
		{inputPeak},
		{inputPeakStart},
		{inputBasis},
		{inputPeak, inputPeakStart},
		{inputPeak, inputBasis},
		{inputPeakStart, inputBasis},
		{inputPeak, inputPeakStart, inputBasis},
	} {
		known, ok := pt.plan.withKnown(inputs)
		if !ok {
			continue
		}
		holds, err := known.complete().holdAtWorseEnd(ctx, pt.onlyVerdicts)
		if err != nil {
			return err
		}
		for i, name := range pt.tiers {
			if one := pt.promises[name]; holds[i] && isDoubtful(name) && len(one.decidedBy) == 0 {
				one.decidedBy = inputs
				pt.promises[name] = one
			}
		}
	}
	return nil
}

// holdAtWorseEnd reports, for each tier of a completed part, whether its promise holds at the worse end, also during
// migrations.
func (p Plan) holdAtWorseEnd(ctx context.Context, onlyVerdicts bool) ([]bool, error) {
	choice, err := p.choose(ctx, Tier.asConfigured)
	if err != nil {
		return nil, err
	}
	r, err := p.run(ctx, p.estate(worseEnd|whileMoving).WithSettings(choice.Minutes), onlyVerdicts)
	if err != nil {
		return nil, err
	}
	var all []bool
	for i, name := range p.simulated() {
		all = append(all, p.Tiers[name].holdsBy(choice.Minutes[i], r.Tiers[i]) != "")
	}
	return all, nil
}

// withKnown returns the plan with likely values of unknown inputs, or false if one of these inputs is known.
func (p Plan) withKnown(inputs []string) (Plan, bool) {
	assumed := p.assumptions()
	for _, input := range inputs {
		if !slices.ContainsFunc(assumed, func(a plan.Assumption) bool {
			return a.Input == input && a.WorseValue != nil
		}) {
			return p, false
		}
		p = map[string]func(Plan) Plan{
			inputPeak:      Plan.withPeaks,
			inputPeakStart: Plan.withStarts,
			inputBasis:     Plan.withBases,
		}[input](p)
	}
	return p, true
}

// isDoubtful reports whether the promise holds with likely inputs, but not at their worse end.
func (one *Promise) isDoubtful() bool {
	return one.holdsLikely() && one.WorseEndVerdict != nil && *one.WorseEndVerdict != plan.Meets
}

// holdsLikely reports whether the promise holds with likely inputs, also during migrations.
func (one *Promise) holdsLikely() bool {
	return one.LikelyVerdict == plan.Meets && (one.MovesVerdict == nil || *one.MovesVerdict == plan.Meets)
}
