package promise

import (
	"context"
	"maps"

	"terraform-provider-vsla/internal/plan/simulation"
)

// mostInSingle is the number of VMs up to which Single simulates each VM.
const mostInSingle = 50

// Single computes the result for a valid plan with one tier of identical VMs and one link, without the figures that
// only a simulation determines, unless the verdict requires one. The number of VMs is not limited: more than 50 VMs are
// simulated as 50 that together have the same data and change. This affects only the share of time with a given
// setting.
func Single(ctx context.Context, p Plan) (Promise, LinkResult, error) {
	return p.single(ctx, (*part).setNeeds, (*part).setMaxima)
}

// SingleRemedies returns the remedies for the promise of a plan as for Single.
func SingleRemedies(ctx context.Context, p Plan) ([]Remedy, error) {
	of, _, err := p.single(ctx, (*part).setNeeds, (*part).setMaxima, (*part).setRemedies)
	return of.Remedies, err
}

func (p Plan) single(ctx context.Context, steps ...func(*part, context.Context) error) (Promise, LinkResult, error) {
	p.mergesVMs = true
	ev, err := p.evaluate(ctx, true, steps...)
	if err != nil {
		return Promise{}, LinkResult{}, err
	}
	r := ev.result()
	return r.Promises[names(p.Tiers)[0]], r.Links[names(p.Links)[0]], nil
}

// merged returns the estate to simulate: for Single, at most 50 VMs.
func (p Plan) merged(e simulation.Estate) simulation.Estate {
	if !p.mergesVMs || e.Tiers[0].Count() <= mostInSingle {
		return e
	}
	t := e.Tiers[0]
	vm := t.VMs[0]
	factor := float64(vm.Count) / mostInSingle
	vm.Count, vm.SizeGiB = mostInSingle, vm.SizeGiB*factor
	t.VMs, t.Curve = []simulation.VM{vm}, maps.Clone(t.Curve)
	for minutes := range t.Curve {
		t.Curve[minutes] *= factor
	}
	e.Tiers = []simulation.Tier{t}
	return e
}
