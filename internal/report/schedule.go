package report

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

type group struct {
	replication.Totals

	input replication.Group
	name  string
	level wording.Level
	// age is the age of the oldest recovery point, as a percentage of the RPO.
	age float64
}

func groupsOf(s assess.Schedule) []group {
	groups := make([]group, 0, len(s.Result.Groups))
	for _, name := range slices.SortedFunc(maps.Keys(s.Result.Groups), wording.Natural) {
		g := group{Totals: s.Result.Groups[name], input: s.Input.Groups[name], name: wording.Clean(name)}
		g.level = scheduleLevel(g.Verdict)
		if g.input.RPOMinutes > 0 {
			g.age = g.WorstRecoveryPointMinutes / g.input.RPOMinutes * 100
		}
		groups = append(groups, g)
	}
	return groups
}

func scheduleLevel(verdict string) wording.Level {
	return levelOf(replication.ScheduleDefinition.Verdicts, verdict)
}

// scheduleFigures returns the charts of a schedule. hours is nil if recomputing the schedule does not confirm the
// result.
func scheduleFigures(s assess.Schedule, hours []replication.Hour) []Figure {
	groups := groupsOf(s)
	var figures []Figure
	if hours != nil {
		figures = append(figures, hoursFigure(s.Input, hours))
	}
	figures = append(figures, ageFigure(groups))
	if s.Result.RunsSimulated > 1 {
		figures = append(figures, runsFigure(s, groups))
	}
	if hours != nil {
		figures = append(figures, curveFigures(groups)...)
	}
	return figures
}

// curveFigures plots the change curves of groups and marks their RPOs. As long as a promise is met, no sync sends the
// changes of a period longer than the RPO.
func curveFigures(groups []group) []Figure {
	curved := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return g.input.ChangeCurve == nil })
	curved, note := selectWorst(curved, maxBars, "group", func(g group) float64 { return g.age })
	var figures []Figure
	for _, g := range curved {
		change := replication.Input{
			VMSizeGiB: g.input.VMSizeGiB, ChangeCurve: g.input.ChangeCurve, RPOMinutes: g.input.RPOMinutes,
		}
		if f, ok := curveFigure(change, "one RPO", "one RPO"); ok {
			f.Title += ", " + g.name
			f.Data.Note = note
			figures = append(figures, f)
		}
	}
	return figures
}

func groupTable(groups []group) Table {
	t := newTable("Groups", "Group", "Verdict", "#RPO", "#Compliance", "#Violations", "#In violation", "#Oldest point",
		"#P95 sync time", "#VMs", "#Daily change", "#Sent")
	for _, g := range groups {
		row := []Cell{{Text: g.name}, levelCell(g.level)}
		p95 := wording.None
		if g.P95SyncSeconds != nil {
			p95 = wording.Duration(*g.P95SyncSeconds)
		}
		for _, text := range []string{
			wording.RPO(g.input.RPOMinutes), wording.Value("compliance_percent", g.CompliancePercent),
			wording.Decimal(float64(g.Violations)), plan.Thousands(g.ViolationMinutes, 0) + " min",
			wording.Value("_minutes", g.WorstRecoveryPointMinutes), p95,
			wording.Decimal(g.input.VMCount) + " × " + wording.Value("_gib", g.input.VMSizeGiB),
			wording.Value("_percent", g.input.DailyChangePercent), wording.Value("_gib", g.TransferredGiB),
		} {
			row = append(row, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "In violation: total over all VMs. P95 sync time: 95% of syncs take no longer."
	t.truncate(maxRows, "group")
	return t
}

func ageFigure(groups []group) Figure {
	groups, note := selectWorst(groups, maxBars, "group", func(g group) float64 { return g.age })
	var bars []ageBar
	data := newTable("Oldest recovery point by group", "Group", "#Oldest recovery point", "#RPO", "#Share of RPO",
		"Verdict")
	data.Note = note
	for _, g := range groups {
		oldest := wording.Value("_minutes", g.WorstRecoveryPointMinutes)
		bars = append(bars, ageBar{g.name, g.level.Symbol() + " " + oldest, g.age, chart.ToneOf(g.level)})
		data.Rows = append(data.Rows, []Cell{
			{Text: g.name},
			{Text: oldest},
			{Text: wording.RPO(g.input.RPOMinutes)},
			{Text: wording.Value("_percent", g.age)},
			levelCell(g.level),
		})
	}
	return Figure{
		Title: "Oldest recovery point by group",
		Description: "A bar for each group: the maximum age of its newest recovery point as a share of its RPO. " +
			"Beyond the line, the RPO was violated.",
		Data: data, Chart: ageBars(bars),
	}
}

// ageBar is a bar for the age of a recovery point, as a percentage of the RPO.
type ageBar struct {
	label, text string
	share       float64
	tone        chart.Tone
}

func ageBars(all []ageBar) chart.Bars {
	bars := chart.Bars{Guides: []chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}}
	maximum := 110.0
	for _, b := range all {
		maximum = max(maximum, min(b.share, maxPercent))
		if b.share > maxPercent {
			b.text += " »"
		}
		bars.Rows = append(bars.Rows, chart.Row{Label: b.label, To: b.share, Text: b.text, Tone: b.tone})
	}
	label := "age as a share of the RPO"
	if maximum >= maxPercent {
		label += " (» off the scale)"
	}
	bars.Scale = chart.Scale{Max: maximum, Format: percentText, Label: label}
	return bars
}

func percentText(v float64) string { return wording.Decimal(v) + "%" }

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

const hoursPerDay = 24

func hoursFigure(in replication.ScheduleInput, all []replication.Hour) Figure {
	days := float64(len(all)) / hoursPerDay
	use, late := make([]float64, hoursPerDay), make([]float64, hoursPerDay)
	for i, h := range all {
		use[i%hoursPerDay] += h.LinkUsePercent / days
		late[i%hoursPerDay] += h.ViolationMinutes / days
	}
	data := newTable("Hours of the day", "Hour", "#Link use", "#Minutes in violation, all VMs")
	names := make([]string, hoursPerDay)
	maxLate := 0.0
	for h := range hoursPerDay {
		names[h] = fmt.Sprintf("%d:00", h)
		data.add(names[h], wording.Decimal(use[h])+"%", wording.Decimal(late[h]))
		maxLate = max(maxLate, late[h])
	}
	vms := 0.0
	for _, g := range in.Groups {
		vms += g.VMCount
	}
	title, span := "A day on the link", "the simulated day"
	if days > 1 {
		title, span = "A day on the link, mean of "+wording.Count(int(days), "day"), "an average day"
	}
	violations := "minutes in violation, total of " + wording.Count(int(vms), "VM")
	if maxLate == 0 {
		violations += ": none"
	}
	return Figure{
		Title: title,
		Description: fmt.Sprintf(
			"Two rows of 24 columns, one for each hour of %s: link use, %s at most, "+
				"and minutes in which VMs violate their RPO, %s in the worst hour.",
			span,
			wording.Value("_percent", slices.Max(use)),
			plan.Thousands(maxLate, 0),
		),
		Data: data,
		Chart: chart.Columns{Names: names, Label: "hour of the day", Panels: []chart.Panel{
			{
				Values: use, Tone: chart.Plain,
				Scale: chart.Scale{Max: 100, Label: "link use in percent", Format: wording.Decimal},
			},
			{
				Values: late, Tone: chart.Bad,
				Scale: chart.Scale{Max: max(maxLate, 1), Label: violations, Format: wording.Decimal},
			},
		}},
	}
}

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

// bandFigure plots the cycle duration against the throughput. The line is the median, and the band contains 90% of the
// samples.
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
	// The error is ignored, because the input has already been confirmed.
	cycles, _ := replication.Cycles(in, append(throughputs(low, high), marked...))
	points := cycles[curvePoints+1:]
	rpo := in.Likely.RPOMinutes * 60
	curve := chart.Curve{
		X:      logScale(low, high, "throughput in Mbit/s"),
		Y:      timeScale(max(1.25*rpo, 1.15*r.P95OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
	}
	for _, c := range cycles[:curvePoints+1] {
		curve.Points = append(curve.Points, chart.Point{X: c.ThroughputMbps, Y: c.P50})
		curve.Band = append(curve.Band, chart.Span{X: c.ThroughputMbps, Low: c.P5, High: c.P95})
	}
	table := newTable("Time to send one cycle's changes, by throughput",
		"#Throughput", "#5th percentile", "#Median", "#95th percentile", "Note")
	for i, note := range bandNotes(in, len(points)) {
		c := points[i]
		rate := quantity.CeilMbps(c.ThroughputMbps)
		table.add(rate, wording.Duration(c.P5), wording.Duration(c.P50), wording.Duration(c.P95), note.text)
		mark := chart.Mark{
			Point: chart.Point{X: c.ThroughputMbps, Y: c.P50}, Label: note.mark + " " + rate, Tone: chart.Plain,
		}
		if note.needed {
			mark.Y, mark.Tone = c.P95, chart.Good
		}
		curve.Marks = append(curve.Marks, mark)
	}
	return Figure{
		Title: "One cycle's changes by throughput",
		Description: fmt.Sprintf(
			"A falling band: the time to send one cycle's changes by throughput. The line is the median. The band contains "+
				"90%% of the samples of the other inputs. Lines mark the RPO of %s and half the RPO.",
			wording.RPO(in.Likely.RPOMinutes)),
		Data: table, Chart: curve,
	}
}

type bandNote struct {
	text, mark string
	needed     bool
}

// bandNotes returns the labels for the n throughputs that bandFigure marks: first the configured ones, then the one at
// which 95% of the samples have no violations.
func bandNotes(in replication.ConfidenceInput, n int) []bandNote {
	notes := []bandNote{{text: "as given", mark: "given"}}
	if _, ok := in.Spreads["throughput_mbps"]; ok {
		notes = []bandNote{
			{text: "low end of the range", mark: "low"},
			{text: "likely value", mark: "likely"},
			{text: "high end of the range", mark: "high"},
		}
	}
	return append(notes, bandNote{"violation-free in 95% of samples", "for 95%", true})[:n]
}

func driversFigure(r replication.ConfidenceResult) Figure {
	bars := chart.Bars{
		Scale:  chart.Scale{Min: -1, Max: 1, Format: wording.Decimal, Label: "rank correlation with the cycle time"},
		Guides: []chart.Guide{{Value: 0, Tone: chart.Plain}},
	}
	data := newTable("Drivers of the cycle time", "Input", "#Rank correlation", "Effect of a larger input")
	for _, name := range r.ByEffect() {
		v := r.Drivers[name]
		effect := "longer cycle"
		switch {
		case v == 0:
			effect = "no effect"
		case v < 0:
			effect = "shorter cycle"
		}
		bars.Rows = append(bars.Rows, chart.Row{
			Label: wording.Label(name), From: min(0, v), To: max(0, v), Text: wording.Decimal(v), Tone: chart.Plain,
		})
		data.add(wording.Label(name), wording.Decimal(v), effect)
	}
	return Figure{
		Title: "Drivers of the cycle time",
		Description: "A bar for each input with a range, strongest first. A larger input makes the cycle longer if the bar " +
			"points right, and shorter if it points left. Measure the input with the longest bar first.",
		Data: data, Chart: bars,
	}
}
