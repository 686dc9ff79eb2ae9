package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func estimateFigures(e assess.Estimate) []Figure {
	figures := []Figure{throughputFigure(e.Input, e.Result)}
	if f, ok := growthFigure(e.Input, e.Result); ok {
		figures = append(figures, f)
	}
	if f, ok := changeFigure(e.Input); ok {
		figures = append(figures, f)
	}
	return figures
}

// changeFigure plots how much of one VM's data changes over time and marks the busiest cycle. It returns false if there
// is no change curve or no change.
func changeFigure(in replication.Input) (f Figure, ok bool) {
	return curveFigure(in, "one cycle", "the busiest cycle")
}

const curvePoints = 96

func throughputs(low, high float64) []float64 {
	all := make([]float64, curvePoints+1)
	for i := range all {
		all[i] = min(high, max(low, low*math.Pow(high/low, float64(i)/curvePoints)))
	}
	return all
}

func throughputFigure(in replication.Input, r replication.Result) Figure {
	low, high := in.ThroughputMbps, in.ThroughputMbps
	// Ignore needs close to 0. Almost any link provides them, and showing them would make the scale too wide.
	if need := r.ThroughputNeededMbps; need != nil && *need > in.ThroughputMbps/1000 {
		low, high = min(low, *need), max(high, *need)
	}
	low = max(low/1.6, replication.RangeThroughputMbps.Min)
	high = min(high*1.6, replication.RangeThroughputMbps.Max)
	rpo := in.RPOMinutes * 60
	estimateAt := func(mbps float64) replication.Result {
		other := in
		other.ThroughputMbps = mbps
		// The error is ignored, because the throughput is within the valid range.
		result, _ := replication.Estimate(other)
		return result
	}
	curve := chart.Curve{
		X:      logScale(low, high, "throughput in Mbit/s"),
		Y:      timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
		Marks: []chart.Mark{{
			Point: chart.Point{X: in.ThroughputMbps, Y: r.OngoingSyncSeconds},
			Label: "now " + quantity.FromMbps(in.ThroughputMbps).String(),
			Tone:  chart.ToneOf(r.Verdict),
		}},
	}
	for _, mbps := range throughputs(low, high) {
		curve.Points = append(curve.Points, chart.Point{X: mbps, Y: ongoingAt(in, mbps)})
	}
	table := newTable("Other throughputs", "#Throughput", "#One cycle's changes", "#Share of RPO", "Verdict", "Note")
	type step struct {
		mbps float64
		note string
	}
	steps := []step{{in.ThroughputMbps, "now"}}
	for _, factor := range []float64{0.5, 0.75, 1.5, 2} {
		steps = append(steps,
			step{in.ThroughputMbps * factor, fmt.Sprintf("%s times the current throughput", wording.Decimal(factor))})
	}
	if v := r.ThroughputNeededMbps; v != nil {
		steps = append(steps, step{*v, "needed"})
		if r.Verdict != plan.Meets && *v <= high {
			curve.Marks = append(curve.Marks, chart.Mark{
				Point: chart.Point{X: *v, Y: ongoingAt(in, *v)},
				Label: "needed " + quantity.CeilMbps(*v),
				Tone:  chart.Good,
			})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.mbps, b.mbps) })
	for _, s := range steps {
		if replication.RangeThroughputMbps.Check(s.mbps) != nil {
			continue
		}
		other := estimateAt(s.mbps)
		table.Rows = append(table.Rows, []Cell{
			{Text: quantity.CeilMbps(s.mbps)},
			{Text: wording.Duration(other.OngoingSyncSeconds)},
			{Text: wording.Value("_percent", other.RPOUsedPercent)},
			levelCell(other.Verdict),
			{Text: s.note},
		})
	}
	return Figure{
		Title: "Other throughputs",
		Description: fmt.Sprintf(
			"A falling curve: the time to send one cycle's changes by throughput, "+
				"with a line at the RPO of %s. The current time is %s at %s.",
			wording.RPO(in.RPOMinutes), wording.Duration(r.OngoingSyncSeconds), quantity.FromMbps(in.ThroughputMbps),
		),
		Data:  table,
		Chart: curve,
	}
}

// ongoingAt returns the duration of sending one cycle's changes at another throughput.
func ongoingAt(in replication.Input, mbps float64) float64 {
	in.ThroughputMbps = mbps
	return in.OngoingAfter(0)
}
