package report

import (
	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/report/chart"
)

// needFigures explains the throughput that a link needs, step by step from the mean change rate.
func needFigures(name string, l *assess.Link) []Figure {
	steps := l.NeedSteps()
	if len(steps) == 0 {
		return nil
	}
	data := newTable("Steps of the need", "Step", "#Throughput")
	for _, step := range steps {
		data.add(step.Label, step.Text())
	}
	return []Figure{{
		Title: "What makes up the need of " + name,
		Description: "A bar for each step from the mean change rate to the throughput needed. A bar beyond the line " +
			"is more than the link provides.",
		Data:  data,
		Chart: chart.Waterfall(l.ThroughputMbps, steps),
	}}
}
