package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

const changePoints = 48

// curveFigure plots how much of one VM's data changes over time. chartLabel and tableLabel are the labels of the
// busiest cycle in the chart and in the table.
func curveFigure(in replication.Input, chartLabel, tableLabel string) (f Figure, ok bool) {
	if in.ChangeCurve == nil || in.ChangedPerVM(in.RPOMinutes) == 0 {
		return Figure{}, false
	}
	points := slices.Sorted(maps.Keys(in.ChangeCurve))
	cycle := in.BusiestMinutes()
	low, high := min(points[0], cycle)/1.5, max(points[len(points)-1], cycle)*1.5
	minutesOf := func(v float64) string { return wording.Duration(v * 60) }
	gib := func(v float64) string { return quantity.FromGiB(v).String() }
	curve := chart.Curve{
		X: logScale(low, high, "time between two syncs in minutes"),
		Y: logScale(in.ChangedPerVM(low), in.ChangedPerVM(high)*1.2, "change per VM in GiB"),
	}
	for i := range changePoints + 1 {
		m := min(high, low*math.Pow(high/low, float64(i)/changePoints))
		curve.Points = append(curve.Points, chart.Point{X: m, Y: in.ChangedPerVM(m)})
	}
	table := newTable("Change per VM over time", "#Time", "#Change per VM", "Note")
	for _, m := range points {
		if m == cycle {
			continue // marked, so added below
		}
		curve.Marks = append(curve.Marks, chart.Mark{
			Point: chart.Point{X: m, Y: in.ChangedPerVM(m)},
			Label: gib(in.ChangedPerVM(m)),
			Tone:  chart.Plain,
		})
		table.add(minutesOf(m), gib(in.ChangedPerVM(m)), "given")
	}
	changed := in.ChangedPerVM(cycle)
	curve.Marks = append(curve.Marks, chart.Mark{
		Point: chart.Point{X: cycle, Y: changed},
		Label: chartLabel + ": " + gib(changed) + " in " + minutesOf(cycle),
		Tone:  chart.Good,
	})
	table.add(minutesOf(cycle), gib(changed), tableLabel)
	return Figure{
		Title: "Change over time",
		Description: fmt.Sprintf("A rising curve through %s: the change per VM by the time between two syncs. "+
			"%s: %s per VM.", wording.Count(len(points), "given point"), wording.Capital(tableLabel), gib(changed)),
		Data:  table,
		Chart: curve,
	}, true
}

const growthStep = 6

// growthFigure plots the cycle duration against the number of months from now. It returns false if no growth rate is
// given.
func growthFigure(in replication.Input, r replication.Result) (f Figure, ok bool) {
	if in.GrowthPercentPerYear == nil {
		return Figure{}, false
	}
	rpo := in.RPOMinutes * 60
	curve := chart.Curve{
		X: chart.Scale{
			Max:    max(in.HorizonMonths, 2),
			Label:  "months from now",
			Whole:  true,
			Format: wording.Decimal,
		},
		Y:      timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
	}
	for i := range changePoints + 1 {
		m := in.HorizonMonths * float64(i) / changePoints
		curve.Points = append(curve.Points, chart.Point{X: m, Y: in.OngoingAfter(m)})
	}
	table := newTable("Growth", "#Months from now", "#One cycle's changes", "#Share of RPO", "Verdict", "Note")
	for _, row := range growthRows(in, r) {
		seconds := in.OngoingAfter(row.months)
		table.Rows = append(table.Rows, []Cell{
			{Text: wording.MonthsNumber(row.months)},
			{Text: wording.Duration(seconds)},
			{Text: wording.Value("_percent", seconds/rpo*100)},
			levelCell(row.level),
			{Text: row.note},
		})
		if row.mark != "" {
			curve.Marks = append(curve.Marks, chart.Mark{
				Point: chart.Point{X: row.months, Y: seconds},
				Label: row.mark,
				Tone:  chart.ToneOf(row.level),
			})
		}
	}
	return Figure{
		Title: "How long it holds",
		Description: fmt.Sprintf(
			"A curve over %s at a growth of %s%% per year: the time to send one cycle's changes, with a line at the "+
				"RPO of %s. %s",
			wording.Count(int(math.Round(in.HorizonMonths)), "month"),
			wording.Decimal(*in.GrowthPercentPerYear),
			wording.RPO(in.RPOMinutes),
			holdsUntil(r, in.HorizonMonths),
		),
		Data:  table,
		Chart: curve,
	}, true
}

func holdsUntil(r replication.Result, horizon float64) string {
	switch {
	case r.MonthsUntilAtRisk != nil && *r.MonthsUntilAtRisk == 0:
		return "It does not hold today."
	case r.MonthsUntilAtRisk != nil:
		return fmt.Sprintf("It holds for %s.", wording.Months(*r.MonthsUntilAtRisk))
	}
	return fmt.Sprintf("It holds for %s.", wording.Months(horizon))
}

// growthRow is a row of the growth table. The chart contains a point for each row that has a mark.
type growthRow struct {
	months     float64
	level      plan.Level
	note, mark string
}

// growthRows returns rows for today, every six months, the horizon, and each point where the verdict changes.
func growthRows(in replication.Input, r replication.Result) []growthRow {
	levelAt := func(months float64) plan.Level {
		if r.MonthsUntilAtRisk != nil && months >= *r.MonthsUntilAtRisk {
			return plan.AtRisk
		}
		return plan.Meets
	}
	rows := []growthRow{{level: levelAt(0), note: "today", mark: "today " + wording.Duration(r.OngoingSyncSeconds)}}
	for m := float64(growthStep); m < in.HorizonMonths; m += growthStep {
		rows = append(rows, growthRow{months: m, level: levelAt(m)})
	}
	rows = append(rows, growthRow{months: in.HorizonMonths, level: levelAt(in.HorizonMonths), note: "the horizon"})
	if end := r.MonthsUntilAtRisk; end != nil && *end > 0 {
		rows = append(
			rows,
			growthRow{*end, levelAt(*end), "at risk from here on", "at risk after " + wording.Months(*end)},
		)
	}
	slices.SortStableFunc(rows, func(a, b growthRow) int { return cmp.Compare(a.months, b.months) })
	return rows
}
