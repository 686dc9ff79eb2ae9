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

var rpoSteps = []float64{5, 10, 15, 30, 60, 120, 240, 480, 720, 1440}

func (ev *evaluation) setRemedies(ctx context.Context) error {
	for _, name := range ev.tiers {
		one := ev.result.Promises[name]
		if _, ok := ev.unknownReasons[name]; ok || one.Verdict == VerdictMeets || ev.lacksOnlyRuns(name) {
			continue
		}
		for _, kind := range []func(context.Context, string, *Promise) (*Remedy, error){
			ev.throughputRemedy, ev.movesRemedy, ev.rpoRemedy, ev.exclusionRemedy, ev.deadlineRemedy,
			ev.spaceRemedy, ev.measureRemedy,
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
			one.Findings = append(one.Findings, reasonNoRemedy.Finding(ev.obstacle(name)))
		}
		ev.result.Promises[name] = one
	}
	return nil
}

func (ev *evaluation) lacksOnlyRuns(name string) bool {
	_, p := ev.worstVariant()
	i := slices.Index(ev.tiers, name)
	return ev.likely.Tiers[i].Verdict != VerdictMeets && ev.meetsPromise(p, i) && ev.meetsPromise(ev.likely, i)
}

func (ev *evaluation) obstacle(name string) string {
	if by := ev.result.Links[ev.plan.linkOf(ev.plan.Tiers[name])].NeededLimitedBy; by != nil {
		return "a higher throughput does not help, because " + Obstacle(*by)
	}
	return "a higher throughput, a longer RPO and fewer VMs were tried"
}

// Obstacle returns a clause that explains a value of NeededLimitedBy, or an empty string for any other value.
func Obstacle(limitedBy string) string {
	return map[string]string{
		LimitedByTarget: "the target is the limit", LimitedByPerSync: "the rate of one sync is the limit",
		LimitedByOverhead: "the overhead of the syncs is the limit", LimitedByOtherLink: "another link is the limit",
		LimitedBySource: "source_read_mbps is the limit", LimitedByMoves: "migrations use the link",
		LimitedByUnknown: "a promise on the link cannot be evaluated",
	}[limitedBy]
}

// WithRemedy returns the plan with a remedy applied to a tier's promise.
func (p Plan) WithRemedy(tier string, r Remedy) Plan {
	switch r.Kind {
	case RemedyThroughput:
		return p.WithThroughput(r.At, *r.Value)
	case RemedyFree:
		t := p.Targets[r.At]
		t.FreeGiB = r.Value
		p.Targets = withValue(p.Targets, r.At, t)
		return p
	case RemedyMoves:
		l := p.Links[r.At]
		l = l.withMoves(*r.Value)
		p.Links = withValue(p.Links, r.At, l)
		return p
	case RemedyMeasure:
		l := p.Links[r.At]
		l.ThroughputBasis = ""
		if l.Network != nil {
			network := *l.Network
			network.ThroughputBasis = ""
			l.Network = &network
		}
		p.Links = withValue(p.Links, r.At, l)
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

func (p Plan) meetsPromise(ctx context.Context, tier string) (bool, error) {
	t := p.Tiers[tier]
	if !p.valid() || p.exceedsLimits(tier) {
		return false, nil
	}
	i := slices.Index(p.simulated(), tier)
	for _, v := range slices.Backward(p.variants()) {
		if p.isNearlyFull(t.Target, v) {
			return false, nil
		}
		estate := p.estate(v)
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

func (ev *evaluation) confirm(ctx context.Context, tier string, r Remedy) (*Remedy, error) {
	if holds, err := ev.plan.WithRemedy(tier, r).meetsPromise(ctx, tier); err != nil || !holds {
		return nil, err
	}
	return &r, nil
}

func (ev *evaluation) throughputRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := ev.plan.linkOf(ev.plan.Tiers[tier])
	of := ev.result.Links[link]
	needed := of.ThroughputNeededMbps
	if needed == nil && len(of.Promises) > 1 && ev.limitWithoutSearch([]string{tier}) == nil {
		if mbps, limitedBy, err := ev.findNeed(ctx, link, []string{tier}); err != nil {
			return nil, err
		} else if limitedBy == "" {
			needed = &mbps
		}
	}
	if needed == nil || *needed <= of.ThroughputMbps {
		return nil, nil //nolint:nilnil // no remedy
	}
	return ev.confirm(ctx, tier, Remedy{
		Kind: RemedyThroughput, At: link, Value: needed, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Provide %s Mbit/s on the %s (now %s).", plan.Thousands(*needed, -1), linkText(link),
			formatMbps(of.ThroughputMbps)),
	})
}

func (ev *evaluation) rpoRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	for _, rpo := range rpoSteps {
		if rpo <= ev.plan.Tiers[tier].RPOMinutes {
			continue
		}
		r, err := ev.confirm(ctx, tier, Remedy{
			Kind: RemedyRPO, At: tier, Value: &rpo, VirtualMachines: []string{},
			Sentence: fmt.Sprintf("Promise an RPO of %s (now %s).", formatMinutes(rpo),
				formatMinutes(ev.plan.Tiers[tier].RPOMinutes)),
		})
		if err != nil || r != nil {
			return r, err
		}
	}
	return nil, nil //nolint:nilnil // no remedy
}

func (ev *evaluation) exclusionRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t := ev.plan.Tiers[tier]
	ordered := t.byChange()
	most := min(len(ordered)-1, MaxLateNames)
	if most < 1 {
		return nil, nil //nolint:nilnil // no remedy
	}
	leave := func(vms []string) (*Remedy, error) {
		return ev.confirm(ctx, tier, Remedy{
			Kind: RemedyWithout, At: tier, VirtualMachines: vms,
			Sentence: fmt.Sprintf("The promise holds without %s.", quantity.List(vms, MaxLateNames)),
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

func (ev *evaluation) deadlineRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t, i := ev.plan.Tiers[tier], slices.Index(ev.tiers, tier)
	if t.DeadlineHours == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	longest := 0.0
	for _, p := range ev.results {
		if p.initial[i] == nil {
			return nil, nil //nolint:nilnil // no remedy
		}
		longest = max(longest, *p.initial[i]/quantity.MinutesPerHour)
	}
	hours := plan.Up.Round(longest, 1)
	if hours <= *t.DeadlineHours || hours > replication.RangeScheduleDeadlineHours.Max {
		return nil, nil //nolint:nilnil // no remedy
	}
	return ev.confirm(ctx, tier, Remedy{
		Kind: RemedyDeadline, At: tier, Value: &hours, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Allow %s hours for the initial sync (now %s).", plan.Thousands(hours, -1),
			plan.Thousands(*t.DeadlineHours, -1)),
	})
}

func (ev *evaluation) spaceRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	name := ev.plan.Tiers[tier].Target
	last, _ := ev.worstVariant()
	needed := max(ev.plan.neededGiB(name, asGiven), ev.plan.neededGiB(name, last))
	if !ev.plan.isNearlyFull(name, asGiven) && !ev.plan.isNearlyFull(name, last) {
		return nil, nil //nolint:nilnil // no remedy
	}
	gib := math.Ceil(needed / nearlyFullShare)
	return ev.confirm(ctx, tier, Remedy{
		Kind: RemedyFree, At: name, Value: &gib, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Provide %s GiB on the target %s (now %s).", plan.Thousands(gib, 0), name,
			plan.Thousands(*ev.plan.Targets[name].FreeGiB, -1)),
	})
}

func (ev *evaluation) measureRemedy(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	link := ev.plan.linkOf(ev.plan.Tiers[tier])
	c := ev.plan.Links[link].capacity()
	if c.bandFactor == 0 || one.LikelyVerdict != VerdictMeets || one.WorseEndVerdict == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	return ev.confirm(ctx, tier, Remedy{
		Kind: RemedyMeasure, At: link, VirtualMachines: []string{},
		Sentence: fmt.Sprintf("Measure a transfer on the %s: the promise holds at the specified throughput, but not if it "+
			"is lower by a factor of %s, the band of its throughput_basis.", linkText(link), plan.Thousands(1/c.worseShare, 2)),
	})
}
