package promise

import "context"

// Single computes the result for a valid plan with one tier and one link, without the figures that only a simulation
// determines, unless the verdict requires one. The number of VMs is not limited.
func Single(ctx context.Context, p Plan) (Promise, LinkResult, error) {
	ev, err := p.evaluate(ctx, true, (*part).setNeeds, (*part).setMaxima)
	if err != nil {
		return Promise{}, LinkResult{}, err
	}
	tier, link := names(p.Tiers)[0], names(p.Links)[0]
	r := ev.result()
	return r.Promises[tier], r.Links[link], nil
}
