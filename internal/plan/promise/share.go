package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan/simulation"
)

// Share is the smallest share of time within the RPO of all promises on a link at a throughput, with likely inputs and
// without migrations, like the need of the link, and the tier that has it.
type Share struct {
	Mbps, Percent float64
	Tier          string
}

// Shares returns the shares at several throughputs of a link, in Mbit/s. It returns none if no tier uses the link, or
// if the estate is so large that the computation would take long. The error is ctx.Err().
func (p Plan) Shares(ctx context.Context, link string, mbps []float64) ([]Share, error) {
	if p.takesLong() {
		return nil, nil
	}
	for _, one := range p.withMeasured().parts() {
		if _, ok := one.Links[link]; !ok {
			continue
		}
		shares := make([]Share, len(mbps))
		return shares, concurrently(len(mbps), func(i int) (err error) {
			shares[i], err = one.WithThroughput(link, mbps[i]).complete().withoutMoves().shareOn(ctx, link)
			shares[i].Mbps = mbps[i]
			return err
		})
	}
	return nil, nil
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
