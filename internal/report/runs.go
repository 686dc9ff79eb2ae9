package report

import (
	"fmt"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func runsFigure(s assess.Schedule, groups []group) Figure {
	groups, note := selectWorst(groups, maxBars-1, "group", func(g group) float64 { return -g.P5CompliancePercent })
	all := group{Totals: s.Result.Totals, name: "all groups", level: scheduleLevel(s.Result.Verdict)}
	groups = append([]group{all}, groups...)
	share := func(v float64) string { return wording.Value("compliance_percent", v) }
	target, low := 0.0, 100.0
	if s.Input.TargetCompliancePercent != nil {
		target = *s.Input.TargetCompliancePercent
		low = target
	}
	bars := chart.Bars{}
	if target > 0 {
		bars.Guides = []chart.Guide{{Value: target, Label: "target " + share(target), Tone: chart.Good}}
	}
	data := newTable("Compliance over all runs", "Group", "#5th percentile", "#Mean", "#95th percentile")
	data.Note = note
	for _, g := range groups {
		low = min(low, g.P5CompliancePercent)
		from, to := share(g.P5CompliancePercent), share(g.P95CompliancePercent)
		bars.Rows = append(bars.Rows, chart.Row{
			Label: g.name, From: g.P5CompliancePercent, To: g.P95CompliancePercent, Text: from + " to " + to,
			Tone: chart.ToneOf(g.level), Middle: &g.MeanCompliancePercent,
		})
		data.add(g.name, from, share(g.MeanCompliancePercent), to)
	}
	bars.Scale = chart.Scale{
		// Extend the scale by a tenth so that the start of the lowest bar is visible.
		Min: max(0, low-max(0.1*(100-low), 0.1)), Max: 100, Format: percentText, Label: "compliance, 5th to 95th percentile",
	}
	runs := wording.Count(int(s.Result.RunsSimulated), "run")
	return Figure{
		Title: "Compliance over " + runs,
		Description: fmt.Sprintf("A bar for all groups together and for each group, from the 5th to the 95th percentile of "+
			"compliance over %s, with a line at the mean. All groups: %s to %s.", runs,
			share(s.Result.P5CompliancePercent), share(s.Result.P95CompliancePercent)),
		Data: data, Chart: bars,
	}
}
