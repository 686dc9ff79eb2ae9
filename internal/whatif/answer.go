// Answers that are asked for: the worst VMs, VMs by name, and what an RPO costs.

package whatif

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// mostVMs is how many VMs a list has.
const mostVMs = 20

// VM is a VM in a list.
type VM struct {
	// ID is its name in the plan, Name the one that is shown.
	ID   string `json:"id"`
	Name string `json:"name"`
	Tier string `json:"tier"`
	Size string `json:"size"`
	// Change is that of a day, Within the share of a late one and Oldest its oldest recovery point.
	Change string `json:"change"`
	Within string `json:"within,omitempty"`
	Oldest string `json:"oldest,omitempty"`
	Out    bool   `json:"out,omitempty"`

	share, gib float64
}

func vmOf(tier, name string, t promise.Tier, vm promise.VM) VM {
	one := VM{ID: name, Name: wording.Clean(name), Tier: wording.Clean(tier), Size: wording.None, share: 100}
	one.gib = dailyGiB(t, vm)
	if vm.SizeGiB != nil {
		one.Size = gib(*vm.SizeGiB)
	}
	one.Change = gib(one.gib) + " a day"
	return one
}

// gib writes whole GiB, and small sizes as they are.
func gib(v float64) string {
	if v < 1 {
		return quantity.FromGiB(v).String()
	}
	return plan.Thousands(v, 0) + " GiB"
}

// worst returns the VMs with names that are late, the worst first, then those that change most.
func worst(s *state, r promise.Result) []VM {
	all := []VM{}
	for _, tier := range scopes(s.plan.Tiers) {
		t := s.plan.Tiers[tier]
		late := make(map[string]promise.LateVM)
		for _, vm := range r.Promises[tier].LateVirtualMachines {
			late[vm.Name] = vm
		}
		names := byChange(t)
		for i, name := range names {
			vm, is := late[name]
			if i >= mostVMs && !is {
				continue
			}
			one := vmOf(tier, name, t, t.VirtualMachines[name])
			if is {
				one.share, one.Within = vm.WithinRPOPercent, percent(&vm.WithinRPOPercent)
				one.Oldest = wording.About(vm.OldestRecoveryPointMinutes)
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b VM) int {
		return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(b.gib, a.gib))
	})
	return all[:min(len(all), mostVMs)]
}

// Find returns VMs of the source whose name has a text, and all that are left out.
func (p *Page) Find(changes Changes, text string) []VM {
	all, out := []VM{}, left(changes)
	for _, tier := range scopes(p.source.plan.Tiers) {
		t := p.source.plan.Tiers[tier]
		for _, name := range byChange(t) {
			is := slices.Contains(out, name)
			found := text != "" && strings.Contains(strings.ToLower(name), strings.ToLower(text))
			if !is && (!found || len(all) >= mostVMs+len(out)) {
				continue
			}
			one := vmOf(tier, name, t, t.VirtualMachines[name])
			one.Out = is
			all = append(all, one)
		}
	}
	return all
}

// costRPOs are the RPOs of the table of costs, in minutes.
var costRPOs = []float64{5, 15, 30, 60}

// Cost is what the link of a tier needs with an RPO.
type Cost struct {
	RPO     string  `json:"rpo"`
	Need    string  `json:"need"`
	Reserve string  `json:"reserve"`
	Changes Changes `json:"changes"`
}

// Costs returns what the link of a tier needs with several RPOs, all else as on the page.
func (p *Page) Costs(ctx context.Context, changes Changes, tier string, each func(done, all int)) ([]Cost, error) {
	s, wrong := p.apply(changes)
	if len(wrong) > 0 {
		return nil, errors.New("a value is not accepted: change it first")
	}
	if _, ok := s.plan.Tiers[tier]; !ok {
		return nil, errors.New("there is no such tier")
	}
	costs := make([]Cost, 0, len(costRPOs))
	for i, rpo := range costRPOs {
		s := s.clone()
		t := s.plan.Tiers[tier]
		t.RPOMinutes = rpo
		s.plan.Tiers[tier] = t
		r, err := promise.Needs(ctx, s.plan)
		if err != nil {
			return nil, err
		}
		for _, name := range scopes(r.Links) {
			if one := r.Links[name]; slices.Contains(one.Promises, tier) {
				costs = append(costs, Cost{
					RPO: wording.RPO(rpo), Need: assess.NeedText(one), Reserve: assess.Reserve(one.HeadroomPercent),
					Changes: Changes{"tier/" + tier + "/rpo_minutes": rpo},
				})
			}
		}
		each(i+1, len(costRPOs))
	}
	return costs, nil
}
