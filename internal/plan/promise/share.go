package promise

import (
	"cmp"
	"context"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Share is the smallest share of time within the RPO of all promises on a link at a throughput, with likely inputs and
// without migrations, like the need of the link, and the tier that has it.
type Share struct {
	Mbps, Percent float64
	Tier          string
}

// moreShares is the number of throughputs that Shares adds.
const moreShares = 3

// Shares returns the shares at several throughputs of a link, in Mbit/s, which must be sorted, and at more of them
// between the last one at which the promises on the link are not kept and the next. It returns none if no tier uses the
// link, or if the estate is so large that the computation would take long. The error is ctx.Err().
func (p Plan) Shares(ctx context.Context, link string, mbps []float64) ([]Share, error) {
	if p.takesLong() {
		return nil, nil
	}
	for _, one := range p.withMeasured().parts() {
		if _, ok := one.Links[link]; !ok {
			continue
		}
		at := func(mbps float64) (Share, error) {
			of, err := one.WithThroughput(link, mbps).complete().withoutMoves().shareOn(ctx, link)
			of.Mbps = mbps
			return of, err
		}
		shares := make([]Share, len(mbps))
		err := concurrently(len(mbps), func(i int) (err error) {
			shares[i], err = at(mbps[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		return one.refine(shares, link, at)
	}
	return nil, nil
}

// refine bisects the interval of throughputs in which the shares on a link reach the target.
func (p Plan) refine(shares []Share, link string, at func(mbps float64) (Share, error)) ([]Share, error) {
	target := p.TargetOn(link)
	for range moreShares {
		next := slices.IndexFunc(shares, func(s Share) bool { return s.Percent >= target })
		if next < 1 {
			break
		}
		of, err := at(math.Sqrt(shares[next-1].Mbps * shares[next].Mbps))
		if err != nil {
			return nil, err
		}
		shares = slices.Insert(shares, next, of)
	}
	return shares, nil
}

// TargetOn returns the largest share of time within the RPO that is promised to a tier on a link, in percent.
func (p Plan) TargetOn(link string) float64 {
	target := 0.0
	for _, name := range names(p.Tiers) {
		if t := p.Tiers[name]; p.linkOf(t) == link {
			target = max(target, *cmp.Or(t.TargetCompliancePercent, new(float64(quantity.Percent))))
		}
	}
	return target
}

// shareOn returns the share on a link of a completed part, with settings up to the configured ones that suit the likely
// inputs.
func (p Plan) shareOn(ctx context.Context, link string) (Share, error) {
	q := p.question(Tier.upToConfigured)
	q.Worse = q.Likely
	choice, err := q.Choose(ctx)
	if err != nil {
		return Share{}, err
	}
	r, err := simulation.Run(ctx, p.merged(q.Likely.WithSettings(choice.Minutes)))
	if err != nil {
		return Share{}, err
	}
	var least Share
	for i, name := range p.simulated() {
		of := r.Tiers[i].WithinPercent
		if p.linkOf(p.Tiers[name]) == link && (least.Tier == "" || of < least.Percent) {
			least.Percent, least.Tier = of, name
		}
	}
	return least, nil
}
