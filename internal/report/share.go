package report

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// leastLate is the lower end of the scale of the share of time late, in percent.
const leastLate = 0.01

// shareFigures shows how the promises of a link depend on its throughput. It returns nothing if the need of the link is
// not known, if all promises hold at all throughputs, or if the simulation would take long.
func shareFigures(ctx context.Context, a *assess.Assessment, l *assess.Link) []Figure {
	if l.ThroughputNeededMbps == nil || l.Plan.NoInput != nil {
		return nil
	}
	given, needed := l.ThroughputMbps, *l.ThroughputNeededMbps
	shares, err := assess.Shares(ctx, l.Plan.Input, a.Key, given, needed)
	isLate := func(s promise.Share) bool { return s.Percent < quantity.Percent }
	if err != nil || !slices.ContainsFunc(shares, isLate) {
		return nil
	}
	worst := plan.Empty
	for _, name := range l.Promises {
		worst = plan.Worse(worst, l.Plan.Result.Promises[name].Verdict)
	}
	data := newTable("Other throughputs", "#Throughput", "#Within RPO", "Promise")
	target := quantity.Percent - l.Plan.Input.TargetOn(a.Key)
	curve := chart.Curve{
		X:      logScale(shares[0].Mbps, shares[len(shares)-1].Mbps, "throughput in Mbit/s"),
		Y:      logScale(leastLate, quantity.Percent, "share of time late in percent"),
		Levels: []chart.Guide{{Value: max(target, leastLate), Label: "promised", Tone: chart.Plain}},
		Dots:   true,
	}
	curve.Y.Format = func(v float64) string {
		if v <= leastLate {
			return "0"
		}
		return wording.Decimal(v)
	}
	for _, s := range shares {
		point := chart.Point{X: s.Mbps, Y: max(quantity.Percent-s.Percent, leastLate)}
		curve.Points = append(curve.Points, point)
		data.add(quantity.CeilMbps(s.Mbps), wording.Value("within_rpo_percent", s.Percent), s.Tier)
		switch s.Mbps {
		case given:
			curve.Marks = append(curve.Marks, chart.Mark{
				Point: point,
				Label: "given " + wording.Value("_mbps", given),
				Tone:  chart.ToneOf(worst),
			})
		case needed:
			curve.Marks = append(curve.Marks, chart.Mark{
				Point: point,
				Label: "needed " + quantity.CeilMbps(needed),
				Tone:  chart.Plain,
			})
		}
	}
	return []Figure{{
		Title: "Share of time late on " + a.Title,
		Description: "A curve of the largest share of time late of all promises on the link at other throughputs, " +
			"with likely inputs, without migrations, and with the configured RPOs or shorter ones. The line is the " +
			"share that is promised.",
		Data:  data,
		Chart: curve,
	}}
}
