package promise

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	// maxRPOSteps is the number of rpoSteps by which a longer promise is suggested.
	maxRPOSteps = 2
	// maxExcludedShare is the largest share of the VMs of a tier that are suggested to be excluded.
	maxExcludedShare = 0.2
)

func (pt *part) setRemedies(ctx context.Context) error {
	for _, name := range pt.tiers {
		one := pt.promises[name]
		if len(pt.unknown[name].unsizedNeighbors) > 0 || one.holds {
			continue
		}
		for _, kind := range []func(context.Context, string, *Promise) (*Remedy, error){
			pt.settingRemedy, pt.movesRemedy, pt.throughputRemedy, pt.perSyncRemedy, pt.sourceRemedy, pt.writeRemedy,
			pt.spaceRemedy, pt.peakRemedy, pt.measureRemedy, pt.deadlineRemedy, pt.rpoRemedy, pt.exclusionRemedy,
			pt.shareRemedy,
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
			one.obstacle = pt.obstacle(name)
		}
		pt.promises[name] = one
	}
	return nil
}

func (pt *part) obstacle(name string) string {
	link := pt.plan.linkOf(pt.plan.Tiers[name])
	one := pt.links[link]
	switch {
	case one.NeededLimitedBy != nil:
		return "a higher throughput does not help, because " + Obstacle(*one.NeededLimitedBy)
	case one.ThroughputNeededMbps != nil && pt.plan.Links[link].maxMovesPercent() == quantity.Percent:
		return fmt.Sprintf("a higher throughput does not help while migrations use the whole %s (share_percent); "+
			"without them, %s Mbit/s are sufficient", linkText(link), plan.Thousands(*one.ThroughputNeededMbps, -1))
	}
	return "a higher throughput, a longer RPO and fewer VMs were tried"
}

// Obstacle returns a clause that explains a value of NeededLimitedBy, or an empty string for any other value.
func Obstacle(limitedBy string) string {
	return map[string]string{
		LimitedByTarget:    "the target is the limit",
		LimitedByPerSync:   "the rate of one sync is the limit",
		LimitedByOverhead:  "the overhead of the syncs is the limit",
		LimitedByOtherLink: "another link is the limit",
		LimitedBySource:    "source_read_mbps is the limit",
		LimitedByHours:     "the link carries too little at some hours",
		LimitedBySetting:   "an RPO as short as promised cannot be configured",
		LimitedByUnknown:   "no single limit is the cause",
	}[limitedBy]
}

// WithRemedy returns the plan with a remedy applied to a tier's promise.
func (p Plan) WithRemedy(tier string, r Remedy) Plan {
	for name, minutes := range r.ConfiguredRPOMinutes {
		t := p.Tiers[name]
		t.ConfiguredRPOMinutes = &minutes
		p = p.withTier(name, t)
	}
	switch r.Kind {
	case RemedyThroughput:
		return p.WithThroughput(r.At, *r.Value)
	case RemedySource:
		p.SourceReadMbps = r.Value
		return p
	case RemedyFree, RemedyWrite:
		t := p.Targets[r.At]
		if r.Kind == RemedyFree {
			t.FreeGiB = r.Value
		} else {
			t.WriteMbps = r.Value
		}
		p.Targets = withValue(p.Targets, r.At, t)
		return p
	case RemedyMoves:
		p.Links = withValue(p.Links, r.At, p.Links[r.At].withMoves(*r.Value))
		return p
	case RemedyMeasure:
		p.Links = withValue(p.Links, r.At, p.Links[r.At].measured())
		return p
	}
	return p.withTier(tier, p.Tiers[tier].withRemedy(r))
}

func (t Tier) withRemedy(r Remedy) Tier {
	switch r.Kind {
	case RemedyRPO:
		t.RPOMinutes = *r.Value
	case RemedyDeadline:
		t.DeadlineHours = r.Value
	case RemedyPerSync:
		t.PerSyncMbps = r.Value
		t.Ranges = maps.Clone(t.Ranges)
		delete(t.Ranges, RemedyPerSync)
	case RemedyPeak:
		t.PeakFactor = r.Value
		t.AssumedInputs = slices.DeleteFunc(slices.Clone(t.AssumedInputs), func(name string) bool {
			return name == inputPeak
		})
	case RemedyWithout:
		t.VirtualMachines = maps.Clone(t.VirtualMachines)
		for _, name := range r.VirtualMachines {
			delete(t.VirtualMachines, name)
		}
	}
	return t
}

// measured returns the link with a throughput that was measured on transfers.
func (l Link) measured() Link {
	if l.Network != nil {
		network := *l.Network
		network.ThroughputBasis = plan.BasisTransfer
		l.Network = &network
		return l
	}
	l.ThroughputBasis = plan.BasisTransfer
	return l
}

// confirm returns the remedy if the promise of the tier holds with it.
func (pt *part) confirm(ctx context.Context, tier string, r Remedy) (*Remedy, error) {
	p := pt.plan.WithRemedy(tier, r)
	whole := pt.evaluation.plan.WithRemedy(tier, r)
	if !p.isValid() || whole.exceedsLimits(tier) {
		return nil, nil //nolint:nilnil // no remedy
	}
	ev, err := pt.try(ctx, p, tier, r)
	if ev == nil {
		return nil, err
	}
	for _, part := range ev.parts {
		one := part.promises[tier]
		if !one.holds {
			continue
		}
		if r.VirtualMachines == nil {
			r.VirtualMachines = []string{}
		}
		if one.knownVerdict == plan.AtRisk {
			cause := "the measurement is old"
			if len(p.Tiers[tier].AssumedInputs) > 0 {
				cause = "inputs are assumed"
			}
			r.Sentence = fmt.Sprintf("%s; the promise is then at risk only because %s.",
				strings.TrimSuffix(r.Sentence, "."), cause)
		}
		return &r, nil
	}
	return nil, nil //nolint:nilnil // no remedy
}

// trial identifies a limit of migrations, which has the same effect for all tiers with, or without, a given setting.
type trial struct {
	link    string
	percent float64
	isGiven bool
}

// try evaluates the part with a remedy. It returns nil if a quick simulation excludes that the promise of the tier
// holds. A limit of migrations is evaluated once for all tiers.
func (pt *part) try(ctx context.Context, p Plan, tier string, r Remedy) (*evaluation, error) {
	if r.Kind != RemedyMoves {
		return p.try(ctx, tier)
	}
	key := trial{r.At, *r.Value, p.Tiers[tier].ConfiguredRPOMinutes != nil}
	if ev, ok := pt.tried[key]; ok {
		return ev, nil
	}
	ev, err := p.try(ctx, tier)
	if err == nil {
		pt.tried[key] = ev
	}
	return ev, err
}

func (p Plan) try(ctx context.Context, tier string) (*evaluation, error) {
	if likely, err := p.mayHold(ctx, tier); err != nil || !likely {
		return nil, err
	}
	p.callbacks = Callbacks{}
	return p.evaluate(simulation.WithProgress(ctx, nil), true)
}

// isValid reports whether all inputs are in their ranges, which a remedy can exceed.
func (p Plan) isValid() bool { return p.Check() == nil }

// mayHold reports whether the promise of a tier without a given setting can hold according to a quick simulation.
func (p Plan) mayHold(ctx context.Context, tier string) (bool, error) {
	if p.Tiers[tier].ConfiguredRPOMinutes != nil {
		return true, nil
	}
	for _, one := range p.parts() {
		if _, ok := one.Tiers[tier]; !ok {
			continue
		}
		q := one.complete().question(Tier.asConfigured)
		q.Quick = true
		_, holds, err := q.Exists(ctx)
		return holds, err
	}
	return false, nil
}
