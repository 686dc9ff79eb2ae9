// The runs of a schedule: how far compliance varies when syncs start earlier or later.

package report

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/report/chart"
)

// runsFigure draws the 5th to 95th percentile of the compliance over the runs, of each group and of all; ok is false
// when there is one run only.
func runsFigure(in *instance, groups []group) (f Figure, ok bool) {
	runs, _ := in.number("runs")
	if runs <= 1 {
		return Figure{}, false
	}
	p5 := func(g group) float64 { v, _ := g.number("p5_compliance_percent"); return v }
	groups, note := worst(groups, maxBars-1, "group", func(g group) float64 { return -p5(g) })
	level, _ := in.level()
	groups = append([]group{{instance: in, name: "all groups", level: level}}, groups...)
	target, promised := in.number("target_compliance_percent")
	low := target
	if !promised {
		low = 100
	}
	bars := chart.Bars{}
	if promised {
		bars.Guides = []chart.Guide{{Value: target, Label: "target " + format("_percent", target), Tone: chart.Good}}
	}
	data := newTable("Compliance over the runs", "Group", "#5th percentile", "#Mean", "#95th percentile")
	data.Note = note
	for _, g := range groups {
		mean, _ := g.number("mean_compliance_percent")
		p95, _ := g.number("p95_compliance_percent")
		low = min(low, p5(g))
		from, to := g.format("p5_compliance_percent"), g.format("p95_compliance_percent")
		bars.Rows = append(bars.Rows, chart.Row{
			Label: g.name, From: p5(g), To: p95, Text: from + " to " + to, Tone: g.level.Tone(), Middle: &mean,
		})
		data.add(g.name, from, g.format("mean_compliance_percent"), to)
	}
	bars.Scale = chart.Scale{
		// A tenth more on the left, so that the lowest bar has a beginning.
		Min: max(0, low-max(0.1*(100-low), 0.1)), Max: 100,
		Format: func(v float64) string { return decimal(v) + "%" }, Label: "compliance, 5th to 95th percentile",
	}
	return Figure{
		Title: fmt.Sprintf("Compliance over %s", count(int(math.Round(runs)), "run")),
		Description: fmt.Sprintf("A bar for all groups and for each of them: from the 5th to the 95th percentile of the "+
			"compliance over %s, with a line at the mean. All groups are at %s to %s.", count(int(math.Round(runs)), "run"),
			in.format("p5_compliance_percent"), in.format("p95_compliance_percent")),
		Data: data, Chart: bars,
	}, true
}
