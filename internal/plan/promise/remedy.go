package promise

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

var ladder = []float64{5, 10, 15, 30, 60, 120, 240, 480, 720, 1440}

func (a *answer) remedy(ctx context.Context) error {
	for _, name := range a.tiers {
		one := a.result.Promises[name]
		if _, ok := a.unknown[name]; ok || one.Verdict == VerdictMeets || a.onlyExposure(name) {
			continue
		}
		for _, kind := range []func(context.Context, string, *Promise) (*Remedy, error){
			a.throughput, a.fewerMoves, a.longerRPO, a.without, a.deadline, a.free, a.measure,
		} {
			r, err := kind(ctx, name, &one)
			if err != nil {
				return err
			}
			if r != nil {
				one.Remedies = append(one.Remedies, *r)
			}
		}
		if len(one.Remedies) == 0 {
			one.Findings = append(one.Findings, reasonNoRemedy.Finding(a.obstacle(name)))
		}
		a.result.Promises[name] = one
	}
	return nil
}

func (a *answer) onlyExposure(name string) bool {
	_, p := a.last()
	i := slices.Index(a.tiers, name)
	return a.likely.Tiers[i].Verdict != VerdictMeets && a.rateHolds(p, i) && a.rateHolds(a.likely, i)
}

func (a *answer) obstacle(name string) string {
	if by := a.result.Links[a.plan.linkOf(a.plan.Tiers[name])].NeededLimitedBy; by != nil {
		return "more throughput is limited by " + *by
	}
	return "throughput, RPO and fewer VMs were tried"
}

// With returns the plan with a remedy applied to a tier's promise.
func (p Plan) With(tier string, r Remedy) Plan {
	switch r.Kind {
	case RemedyThroughput:
		return p.WithThroughput(r.At, *r.Value)
	case RemedyFree:
		t := p.Targets[r.At]
		t.FreeGiB = r.Value
		p.Targets = with(p.Targets, r.At, t)
		return p
	case RemedyMoves:
		l := p.Links[r.At]
		l = l.withMoves(*r.Value)
		p.Links = with(p.Links, r.At, l)
		return p
	case RemedyMeasure:
		l := p.Links[r.At]
		l.ThroughputBasis = ""
		if l.Network != nil {
			network := *l.Network
			network.ThroughputBasis = ""
			l.Network = &network
		}
		p.Links = with(p.Links, r.At, l)
		return p
	}
	t := p.Tiers[tier]
	switch r.Kind {
	case RemedyRPO:
		t.RPOMinutes = *r.Value
	case RemedyDeadline:
		t.DeadlineHours = r.Value
	case RemedyWithout:
		t.VirtualMachines = maps.Clone(t.VirtualMachines)
		for _, name := range r.VirtualMachines {
			delete(t.VirtualMachines, name)
		}
	}
	return p.withTier(tier, t)
}

func (p Plan) holds(ctx context.Context, tier string) (bool, error) {
	t := p.Tiers[tier]
	if !p.valid() || p.aboveMaximum(tier) {
		return false, nil
	}
	i := slices.Index(p.simulated(), tier)
	for _, e := range slices.Backward(p.ends()) {
		if p.nearlyFull(t.Target, e) {
			return false, nil
		}
		estate := p.estate(e)
		if t.DeadlineHours != nil {
			if met, err := p.inSyncInTime(ctx, estate, []string{tier}, []int{i}); err != nil || !met {
				return false, err
			}
		}
		if holds, err := simulation.VerdictAtLeast(ctx, estate, p.options(), []int{i}, VerdictMeets); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// helps returns the remedy if the promise is met with it, or nil otherwise.
func (a *answer) helps(ctx context.Context, tier string, r Remedy) (*Remedy, error) {
	if holds, err := a.plan.With(tier, r).holds(ctx, tier); err != nil || !holds {
		return nil, err
	}
	return &r, nil
}

func (a *answer) throughput(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := a.plan.linkOf(a.plan.Tiers[tier])
	of := a.result.Links[link]
	needed := of.ThroughputNeededMbps
	if needed == nil && len(of.Promises) > 1 && a.blocked([]string{tier}) == nil {
		if mbps, limitedBy, err := a.need(ctx, link, []string{tier}); err != nil {
			return nil, err
		} else if limitedBy == "" {
			needed = &mbps
		}
	}
	if needed == nil || *needed <= of.ThroughputMbps {
		return nil, nil //nolint:nilnil // no remedy
	}
	return a.helps(ctx, tier, Remedy{
		Kind: RemedyThroughput, At: link, Value: needed, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Provide %s Mbit/s on the %s (now %s).", plan.Thousands(*needed, -1), linkNamed(link),
			plan.Thousands(of.ThroughputMbps, -1)),
	})
}

func (a *answer) longerRPO(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	for _, rpo := range ladder {
		if rpo <= a.plan.Tiers[tier].RPOMinutes {
			continue
		}
		r, err := a.helps(ctx, tier, Remedy{
			Kind: RemedyRPO, At: tier, Value: &rpo, VirtualMachines: []string{},
			Sentence: fmt.Sprintf("Promise an RPO of %s (now %s).", minutes(rpo), minutes(a.plan.Tiers[tier].RPOMinutes)),
		})
		if err != nil || r != nil {
			return r, err
		}
	}
	return nil, nil //nolint:nilnil // no remedy
}

// without returns a remedy that removes as few VMs as possible, at most MaxLateNames, starting with the VMs that change
// most in their busiest cycle.
func (a *answer) without(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t := a.plan.Tiers[tier]
	ordered := t.byChange()
	most := min(len(ordered)-1, MaxLateNames)
	if most < 1 {
		return nil, nil //nolint:nilnil // no remedy
	}
	leave := func(vms []string) (*Remedy, error) {
		return a.helps(ctx, tier, Remedy{
			Kind: RemedyWithout, At: tier, VirtualMachines: vms,
			Sentence: fmt.Sprintf("It holds without %s.", quantity.List(vms, MaxLateNames)),
		})
	}
	found, err := leave(ordered[:most])
	if err != nil || found == nil {
		return nil, err
	}
	for fails := 0; len(found.VirtualMachines)-fails > 1; {
		middle := (fails + len(found.VirtualMachines)) / 2
		r, err := leave(ordered[:middle])
		if err != nil {
			return nil, err
		}
		if r != nil {
			found = r
		} else {
			fails = middle
		}
	}
	for _, name := range slices.Clone(found.VirtualMachines) {
		if len(found.VirtualMachines) == 1 {
			break
		}
		r, err := leave(slices.DeleteFunc(slices.Clone(found.VirtualMachines), func(vm string) bool { return vm == name }))
		if err != nil {
			return nil, err
		}
		if r != nil {
			found = r
		}
	}
	return found, nil
}

// byChange returns the names of a tier's VMs, sorted by the change in their busiest cycle in descending order.
func (t Tier) byChange() []string {
	all := t.vmNames()
	changes := make(map[string]float64, len(all))
	for i, vm := range t.vms() {
		if t.VMCount == nil {
			changes[all[i]] = vm.SizeGiB * vm.DailyChangePercent
			if t.ChangeCurve != nil {
				changes[all[i]] = vm.SizeGiB
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(changes[b], changes[a]) })
	return all
}

func (a *answer) deadline(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t, i := a.plan.Tiers[tier], slices.Index(a.tiers, tier)
	if t.DeadlineHours == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	longest := 0.0
	for _, p := range a.ends {
		if p.initial[i] == nil {
			return nil, nil //nolint:nilnil // no remedy
		}
		longest = max(longest, *p.initial[i]/quantity.MinutesPerHour)
	}
	hours := plan.Up.Round(longest, 1)
	if hours <= *t.DeadlineHours || hours > replication.RangeScheduleDeadlineHours.Max {
		return nil, nil //nolint:nilnil // no remedy
	}
	return a.helps(ctx, tier, Remedy{
		Kind: RemedyDeadline, At: tier, Value: &hours, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Allow %s hours for the initial sync (now %s).", plan.Thousands(hours, -1),
			plan.Thousands(*t.DeadlineHours, -1)),
	})
}

func (a *answer) free(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	name := a.plan.Tiers[tier].Target
	last, _ := a.last()
	needed := max(a.plan.needed(name, asGiven), a.plan.needed(name, last))
	if !a.plan.nearlyFull(name, asGiven) && !a.plan.nearlyFull(name, last) {
		return nil, nil //nolint:nilnil // no remedy
	}
	gib := math.Ceil(needed / nearlyFullPart)
	return a.helps(ctx, tier, Remedy{
		Kind: RemedyFree, At: name, Value: &gib, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Provide %s GiB at the target %s (now %s).", plan.Thousands(gib, 0), name,
			plan.Thousands(*a.plan.Targets[name].FreeGiB, -1)),
	})
}

func (a *answer) measure(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	link := a.plan.linkOf(a.plan.Tiers[tier])
	c := a.plan.Links[link].capacity()
	if c.band == 0 || one.LikelyVerdict != VerdictMeets || one.WorseEndVerdict == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	return a.helps(ctx, tier, Remedy{
		Kind: RemedyMeasure, At: link, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Measure a transfer on the %s: it holds at the throughput as given, and not at %s times "+
			"less, the band of its throughput_basis.", linkNamed(link), plan.Thousands(1/c.worse, 2)),
	})
}
