package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func estimateFigures(e assess.Estimate) []Figure {
	figures := []Figure{whatIf(e.Input, e.Result)}
	if f, ok := growthFigure(e.Input, e.Result); ok {
		figures = append(figures, f)
	}
	if f, ok := changeFigure(e.Input); ok {
		figures = append(figures, f)
	}
	return figures
}

// maxPercent ends the scale of shares of the RPO: a larger one is a miss by any measure.
const maxPercent = 300

func beyond(most float64) string {
	if most < maxPercent {
		return ""
	}
	return "; » is beyond"
}

func timeScale(most float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Time, Max: most, Format: wording.Duration, Label: label}
}

const curvePoints = 96

func throughputs(low, high float64) []float64 {
	all := make([]float64, curvePoints+1)
	for i := range all {
		all[i] = min(high, max(low, low*math.Pow(high/low, float64(i)/curvePoints)))
	}
	return all
}

func whatIf(in replication.Input, r replication.Result) Figure {
	low, high := in.ThroughputMbps, in.ThroughputMbps
	for _, mbps := range []*float64{r.ThroughputForRPOMbps, r.ThroughputViolationFreeMbps} {
		// A promise that any link keeps is kept at the smallest number that there is; that is no place to look at.
		if mbps != nil && *mbps > in.ThroughputMbps/1000 {
			low, high = min(low, *mbps), max(high, *mbps)
		}
	}
	low, high = max(low/1.6, replication.RangeThroughputMbps.Min), min(high*1.6, replication.RangeThroughputMbps.Max)
	rpo := in.RPOMinutes * 60
	at := func(mbps float64) replication.Result {
		other := in
		other.ThroughputMbps = mbps
		// The range was checked, so there is no error.
		result, _ := replication.Estimate(other)
		return result
	}
	curve := chart.Curve{
		X: chart.Scale{
			Kind: chart.Log, Min: low, Max: high, Label: "throughput in Mbit/s, logarithmic",
			Format: wording.Decimal,
		},
		Y:      timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
		Marks: []chart.Mark{{
			Point: chart.Point{X: in.ThroughputMbps, Y: r.OngoingSyncSeconds},
			Label: "now " + quantity.FromMbps(in.ThroughputMbps).String(), Tone: chart.ToneOf(estimateLevel(r)),
		}},
	}
	for _, mbps := range throughputs(low, high) {
		curve.Points = append(curve.Points, chart.Point{X: mbps, Y: at(mbps).OngoingSyncSeconds})
	}
	table := newTable("What if the throughput were another", "#Throughput", "#Changes of one cycle", "#Of the RPO",
		"Verdict", "Note")
	type step struct {
		mbps float64
		note string
	}
	steps := []step{{in.ThroughputMbps, "now"}}
	for _, factor := range []float64{0.5, 0.75, 1.5, 2} {
		steps = append(steps,
			step{in.ThroughputMbps * factor, fmt.Sprintf("%s times what is there", wording.Decimal(factor))})
	}
	if v := r.ThroughputForRPOMbps; v != nil {
		steps = append(steps, step{*v, "the least that meets the RPO"})
	}
	if v := r.ThroughputViolationFreeMbps; v != nil {
		steps = append(steps, step{*v, "the least with which it always holds"})
		if r.Verdict != replication.VerdictMeets && *v <= high {
			curve.Marks = append(
				curve.Marks,
				chart.Mark{
					Point: chart.Point{X: *v, Y: rpo / 2},
					Label: "needed " + quantity.CeilMbps(*v),
					Tone:  chart.Good,
				},
			)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.mbps, b.mbps) })
	for _, s := range steps {
		if replication.RangeThroughputMbps.Check(s.mbps) != nil {
			continue
		}
		other := at(s.mbps)
		table.Rows = append(table.Rows, []Cell{
			{Text: quantity.CeilMbps(s.mbps)},
			{Text: wording.Duration(other.OngoingSyncSeconds)},
			{Text: wording.Value("_percent", other.RPOUsedPercent)},
			levelCell(estimateLevel(other)),
			{Text: s.note},
		})
	}
	return Figure{
		Title: "What if the throughput were another",
		Description: fmt.Sprintf(
			"A falling curve: the time to send one cycle's changes over the throughput, "+
				"with lines at the RPO of %s and at half of it. Now it is %s at %s.",
			wording.RPO(in.RPOMinutes), wording.Duration(r.OngoingSyncSeconds), quantity.FromMbps(in.ThroughputMbps),
		),
		Data:  table,
		Chart: curve,
	}
}

func rpoLevels(rpo float64) []chart.Guide {
	return []chart.Guide{
		{Value: rpo, Label: "RPO " + wording.RPO(rpo/60), Tone: chart.Bad},
		{Value: rpo / 2, Label: "half the RPO " + wording.Duration(rpo/2), Tone: chart.Good},
	}
}

func estimateLevel(r replication.Result) wording.Level {
	return map[string]wording.Level{
		replication.VerdictMeets: wording.Holds, replication.VerdictAtRisk: wording.AtRisk,
		replication.VerdictMisses: wording.Misses,
	}[r.Verdict]
}
