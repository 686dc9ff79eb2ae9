package report

import (
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func confidenceFigures(c assess.Confidence) []Figure {
	figures := []Figure{bandFigure(c.Input, c.Result)}
	if len(c.Result.Drivers) > 0 {
		figures = append(figures, driversFigure(c.Result))
	}
	if f, ok := changeFigure(c.Input.Likely); ok {
		figures = append(figures, f)
	}
	return figures
}

// bandFigure draws the time of a cycle over the throughput: the median, and the band of 90 % of samples.
func bandFigure(in replication.ConfidenceInput, r replication.ConfidenceResult) Figure {
	likely := in.Likely.ThroughputMbps
	marked := []float64{likely}
	if s, ok := in.Spreads["throughput_mbps"]; ok {
		marked = []float64{s.Low, s.Likely, s.High}
	}
	if r.ThroughputConfidentMbps != nil && *r.ThroughputConfidentMbps > likely/1000 {
		marked = append(marked, *r.ThroughputConfidentMbps)
	}
	low := max(slices.Min(marked)/1.4, replication.RangeThroughputMbps.Min)
	high := min(slices.Max(marked)*1.4, replication.RangeThroughputMbps.Max)
	// The input was confirmed, so there is no error.
	cycles, _ := replication.Cycles(in, append(throughputs(low, high), marked...))
	points := cycles[curvePoints+1:]
	rpo := in.Likely.RPOMinutes * 60
	curve := chart.Curve{
		X: chart.Scale{
			Kind: chart.Log, Min: low, Max: high, Label: "throughput in Mbit/s, logarithmic", Format: wording.Decimal,
		},
		Y:      timeScale(max(1.25*rpo, 1.15*r.P95OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
	}
	for _, c := range cycles[:curvePoints+1] {
		curve.Points = append(curve.Points, chart.Point{X: c.ThroughputMbps, Y: c.P50})
		curve.Band = append(curve.Band, chart.Span{X: c.ThroughputMbps, Low: c.P5, High: c.P95})
	}
	table := newTable("Time to send one cycle's changes, by throughput",
		"#Throughput", "#5% of draws", "#Median", "#95% of draws", "Note")
	for i, note := range bandNotes(in, len(points)) {
		c := points[i]
		rate := quantity.CeilMbps(c.ThroughputMbps)
		table.add(rate, wording.Duration(c.P5), wording.Duration(c.P50), wording.Duration(c.P95), note.text)
		mark := chart.Mark{
			Point: chart.Point{X: c.ThroughputMbps, Y: c.P50},
			Label: note.mark + " " + rate,
			Tone:  chart.Plain,
		}
		if note.needed {
			mark.Y, mark.Tone = c.P95, chart.Good
		}
		curve.Marks = append(curve.Marks, mark)
	}
	return Figure{
		Title: "One cycle's changes over the throughput",
		Description: fmt.Sprintf(
			"A falling band: the time to send one cycle's changes over the throughput. The line is the median, the band has "+
				"90%% of samples of the other inputs; lines are at the RPO of %s and at half of it.",
			wording.RPO(in.Likely.RPOMinutes)),
		Data: table, Chart: curve,
	}
}

type bandNote struct {
	text, mark string
	needed     bool
}

// bandNotes are for the throughputs that bandFigure marks: those that are given, then the one for 95 %.
func bandNotes(in replication.ConfidenceInput, n int) []bandNote {
	notes := []bandNote{{text: "as given", mark: "given"}}
	if _, ok := in.Spreads["throughput_mbps"]; ok {
		notes = []bandNote{
			{
				text: "the least",
				mark: "least",
			},
			{text: "the likeliest", mark: "likeliest"},
			{text: "the largest", mark: "largest"},
		}
	}
	return append(notes, bandNote{"violation-free in 95% of samples", "for 95%", true})[:n]
}

func driversFigure(r replication.ConfidenceResult) Figure {
	bars := chart.Bars{
		Scale: chart.Scale{
			Min: -1, Max: 1, Format: wording.Decimal, Label: "rank correlation with the time of a cycle",
		},
		Guides: []chart.Guide{{Value: 0, Tone: chart.Plain}},
	}
	data := newTable("What the cycle depends on", "Input", "#Rank correlation", "When the input is larger")
	for _, name := range r.ByEffect() {
		v := r.Drivers[name]
		effect := "a cycle takes longer"
		switch {
		case v == 0:
			effect = "nothing changes"
		case v < 0:
			effect = "a cycle is shorter"
		}
		bars.Rows = append(bars.Rows, chart.Row{
			Label: wording.Label(name), From: min(0, v), To: max(0, v), Text: wording.Decimal(v), Tone: chart.Plain,
		})
		data.add(wording.Label(name), wording.Decimal(v), effect)
	}
	return Figure{
		Title: "What the cycle depends on",
		Description: "A bar for each input that is a range, the strongest first: to the right, a larger input makes a " +
			"cycle longer; to the left, shorter. The longest bar is what to measure first.",
		Data:  data,
		Chart: bars,
	}
}
