package report

import (
	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// needFigures explains the throughput that a link needs, step by step from the mean change rate. It returns nothing if
// a step is not known, or if the throughput changes during the day.
func needFigures(name string, l *assess.Link) []Figure {
	if l.ThroughputNeededMbps == nil || l.Plan.NoInput != nil || l.Link.HourlyThroughputMbps != nil {
		return nil
	}
	mean, busiest := l.Changes()
	usable, worse := l.Link.UsableMbps()
	if busiest <= 0 || worse <= 0 {
		return nil
	}
	data := newTable("Steps of the need", "Step", "#Throughput")
	bars := chart.Bars{Guides: []chart.Guide{{
		Value: l.ThroughputMbps, Label: "given " + wording.Value("_mbps", l.ThroughputMbps), Tone: chart.Plain,
	}}}
	most, former := l.ThroughputMbps, 0.0
	for _, step := range []struct {
		label string
		mbps  float64
	}{
		{"Mean change", mean},
		{"Busiest time", busiest},
		{"Usable share of the link", busiest * l.ThroughputMbps / usable},
		{"Worse end of the throughput", busiest * l.ThroughputMbps / worse},
		{"A tenth left", busiest * l.ThroughputMbps / worse / promise.MaxUse},
		{"Needed", *l.ThroughputNeededMbps},
	} {
		if step.mbps <= former {
			continue
		}
		tone := chart.Good
		if step.mbps > l.ThroughputMbps {
			tone = chart.Bad
		}
		text := quantity.CeilMbps(step.mbps)
		bars.Rows = append(bars.Rows, chart.Row{Label: step.label, From: former, To: step.mbps, Text: text, Tone: tone})
		data.add(step.label, text)
		most, former = max(most, step.mbps), step.mbps
	}
	bars.Scale = chart.Scale{Max: most, Format: wording.Decimal, Label: "Mbit/s"}
	return []Figure{{
		Title: "What makes up the need of " + name,
		Description: "A bar for each step from the mean change rate to the throughput needed. A bar beyond the line is " +
			"more than the link provides.",
		Data: data, Chart: bars,
	}}
}
