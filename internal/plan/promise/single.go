package promise

import (
	"context"
	"maps"
)

// mostInSingle is the number of VMs up to which Single simulates each VM.
const mostInSingle = 50

// Single computes the result for a valid plan with one tier of identical VMs and one link, without the figures that
// only a simulation determines, unless the verdict requires one. The number of VMs is not limited: more than 50 VMs are
// judged as 50 that together have the same data and change. This affects only the share of time with a given setting.
func Single(ctx context.Context, p Plan) (Promise, LinkResult, error) {
	return p.single(ctx, (*part).setNeeds, (*part).setMaxima)
}

// SingleRemedies returns the remedies for the promise of a plan as for Single.
func SingleRemedies(ctx context.Context, p Plan) ([]Remedy, error) {
	of, _, err := p.single(ctx, (*part).setNeeds, (*part).setMaxima, (*part).setRemedies)
	return of.Remedies, err
}

func (p Plan) single(ctx context.Context, steps ...func(*part, context.Context) error) (Promise, LinkResult, error) {
	tier, link := names(p.Tiers)[0], names(p.Links)[0]
	p.Tiers = map[string]Tier{tier: p.Tiers[tier].withFewerVMs()}
	ev, err := p.evaluate(ctx, true, steps...)
	if err != nil {
		return Promise{}, LinkResult{}, err
	}
	r := ev.result()
	return r.Promises[tier], r.Links[link], nil
}

func (t Tier) withFewerVMs() Tier {
	if *t.VMCount <= mostInSingle {
		return t
	}
	factor := *t.VMCount / mostInSingle
	t.VMCount, t.VMSizeGiB = new(float64(mostInSingle)), new(*t.VMSizeGiB*factor)
	t.ChangeCurve = maps.Clone(t.ChangeCurve)
	for minutes := range t.ChangeCurve {
		t.ChangeCurve[minutes] *= factor
	}
	return t
}
