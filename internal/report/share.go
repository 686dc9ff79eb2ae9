package report

import (
	"context"
	"math"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// shareFigures shows how the promises of a link depend on its throughput. It returns nothing if the need of the link is
// not known, or if the simulation would take long.
func shareFigures(ctx context.Context, a *assess.Assessment, l *assess.Link) []Figure {
	if l.ThroughputNeededMbps == nil || l.Plan.NoInput != nil {
		return nil
	}
	given, needed := l.ThroughputMbps, *l.ThroughputNeededMbps
	at := []float64{given}
	for _, part := range []float64{0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1, 1.3} {
		at = append(at, part*needed)
	}
	slices.Sort(at)
	shares, err := l.Plan.Input.Shares(ctx, a.Key, slices.Compact(at))
	if err != nil || len(shares) == 0 {
		return nil
	}
	worst, floor := plan.Empty, float64(quantity.Percent-1)
	for _, name := range l.Promises {
		worst = plan.Worse(worst, l.Plan.Result.Promises[name].Verdict)
	}
	data := newTable("Other throughputs", "#Throughput", "#Within RPO", "Promise")
	curve := chart.Curve{X: logScale(at[0], at[len(at)-1], "throughput in Mbit/s"), Dots: true}
	for _, s := range shares {
		point := chart.Point{X: s.Mbps, Y: s.Percent}
		floor = min(floor, math.Floor(s.Percent))
		curve.Points = append(curve.Points, point)
		data.add(quantity.CeilMbps(s.Mbps), wording.Value("within_rpo_percent", s.Percent), wording.Clean(s.Tier))
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
	curve.Y = chart.Scale{
		Min:    floor,
		Max:    quantity.Percent,
		Label:  "share of time within the RPO in percent",
		Format: wording.Decimal,
	}
	return []Figure{{
		Title: "Share of time within the RPO on " + a.Title,
		Description: "A curve of the smallest share of time within the RPO of all promises on the link at other " +
			"throughputs, with likely inputs, without migrations, and with the configured RPOs or shorter ones.",
		Data:  data,
		Chart: curve,
	}}
}
