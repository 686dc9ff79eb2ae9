package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/calculator"
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

// maxPercent is the upper end of the scale for ages, as a percentage of the RPO. Anything above it is clearly a miss.
const maxPercent = 300

func timeScale(maximum float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Time, Max: maximum, Format: wording.Duration, Label: label}
}

func logScale(low, high float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Log, Min: low, Max: high, Label: label + ", logarithmic", Format: wording.Decimal}
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
	for _, mbps := range []*float64{r.ThroughputForRPOMbps, r.ThroughputViolationFreeMbps} {
		// Ignore throughputs close to 0. Almost any link provides them, and showing them would make the scale too wide.
		if mbps != nil && *mbps > in.ThroughputMbps/1000 {
			low, high = min(low, *mbps), max(high, *mbps)
		}
	}
	low, high = max(low/1.6, replication.RangeThroughputMbps.Min), min(high*1.6, replication.RangeThroughputMbps.Max)
	rpo := in.RPOMinutes * 60
	estimateAt := func(mbps float64) replication.Result {
		other := in
		other.ThroughputMbps = mbps
		// The error is ignored, because the throughput is within the valid range.
		result, _ := replication.Estimate(other)
		return result
	}
	curve := chart.Curve{
		X: logScale(low, high, "throughput in Mbit/s"),
		Y: timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"), Levels: rpoLevels(rpo),
		Marks: []chart.Mark{{
			Point: chart.Point{X: in.ThroughputMbps, Y: r.OngoingSyncSeconds},
			Label: "now " + quantity.FromMbps(in.ThroughputMbps).String(), Tone: chart.ToneOf(estimateLevel(r)),
		}},
	}
	for _, mbps := range throughputs(low, high) {
		curve.Points = append(curve.Points, chart.Point{X: mbps, Y: estimateAt(mbps).OngoingSyncSeconds})
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
	if v := r.ThroughputForRPOMbps; v != nil {
		steps = append(steps, step{*v, "minimum to meet the RPO"})
	}
	if v := r.ThroughputViolationFreeMbps; v != nil {
		steps = append(steps, step{*v, "minimum to hold at all times"})
		if r.Verdict != replication.VerdictMeets && *v <= high {
			curve.Marks = append(curve.Marks, chart.Mark{
				Point: chart.Point{X: *v, Y: rpo / 2}, Label: "needed " + quantity.CeilMbps(*v), Tone: chart.Good,
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
			levelCell(estimateLevel(other)),
			{Text: s.note},
		})
	}
	return Figure{
		Title: "Other throughputs",
		Description: fmt.Sprintf(
			"A falling curve: the time to send one cycle's changes by throughput, "+
				"with lines at the RPO of %s and at half the RPO. The current time is %s at %s.",
			wording.RPO(in.RPOMinutes), wording.Duration(r.OngoingSyncSeconds), quantity.FromMbps(in.ThroughputMbps),
		),
		Data: table, Chart: curve,
	}
}

func rpoLevels(rpo float64) []chart.Guide {
	return []chart.Guide{
		{Value: rpo, Label: "RPO " + wording.RPO(rpo/60), Tone: chart.Bad},
		{Value: rpo / 2, Label: "half the RPO " + wording.Duration(rpo/2), Tone: chart.Good},
	}
}

func estimateLevel(r replication.Result) wording.Level {
	return levelOf(replication.EstimateDefinition.Verdicts, r.Verdict)
}

func levelOf(verdicts []calculator.Verdict, verdict string) wording.Level {
	for _, v := range verdicts {
		if v.Code == verdict {
			return wording.Level(v.Level)
		}
	}
	return wording.Neutral
}

const changePoints = 48

// changeFigure plots how much of one VM's data changes over time and marks the busiest cycle. It returns false if there
// is no change curve or no change.
func changeFigure(in replication.Input) (f Figure, ok bool) {
	return curveFigure(in, "one cycle", "the busiest cycle")
}

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
			Point: chart.Point{X: m, Y: in.ChangedPerVM(m)}, Label: gib(in.ChangedPerVM(m)), Tone: chart.Plain,
		})
		table.add(minutesOf(m), gib(in.ChangedPerVM(m)), "given")
	}
	changed := in.ChangedPerVM(cycle)
	curve.Marks = append(curve.Marks, chart.Mark{
		Point: chart.Point{X: cycle, Y: changed}, Label: chartLabel + ": " + gib(changed) + " in " + minutesOf(cycle),
		Tone: chart.Good,
	})
	table.add(minutesOf(cycle), gib(changed), tableLabel)
	return Figure{
		Title: "Change over time",
		Description: fmt.Sprintf("A rising curve through %s: the change per VM by the time between two syncs. "+
			"%s: %s per VM.", wording.Count(len(points), "given point"), wording.Capital(tableLabel), gib(changed)),
		Data: table, Chart: curve,
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
		X: chart.Scale{Max: max(in.HorizonMonths, 2), Label: "months from now", Whole: true, Format: wording.Decimal},
		Y: timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"), Levels: rpoLevels(rpo),
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
				Point: chart.Point{X: row.months, Y: seconds}, Label: row.mark, Tone: chart.ToneOf(row.level),
			})
		}
	}
	return Figure{
		Title: "How long it holds",
		Description: fmt.Sprintf(
			"A curve over %s at a growth of %s%% per year: the time to send one cycle's changes, with lines at the RPO of "+
				"%s and at half the RPO. %s", wording.Count(int(math.Round(in.HorizonMonths)), "month"),
			wording.Decimal(*in.GrowthPercentPerYear),
			wording.RPO(in.RPOMinutes), holdsUntil(r, in.HorizonMonths)),
		Data: table, Chart: curve,
	}, true
}

func holdsUntil(r replication.Result, horizon float64) string {
	switch {
	case r.MonthsUntilMiss != nil && *r.MonthsUntilMiss == 0:
		return "It does not hold today."
	case r.MonthsUntilMiss != nil:
		return fmt.Sprintf("It does not hold after %s.", wording.Months(*r.MonthsUntilMiss))
	case r.MonthsUntilAtRisk != nil && *r.MonthsUntilAtRisk > 0:
		return fmt.Sprintf("It is at risk after %s.", wording.Months(*r.MonthsUntilAtRisk))
	case r.MonthsUntilAtRisk != nil:
		return fmt.Sprintf("It is at risk today and meets the RPO for %s.", wording.Months(horizon))
	}
	return fmt.Sprintf("It holds for %s.", wording.Months(horizon))
}

// growthRow is a row of the growth table. The chart contains a point for each row that has a mark.
type growthRow struct {
	months     float64
	level      wording.Level
	note, mark string
}

// growthRows returns rows for today, every six months, the horizon, and each point where the verdict changes.
func growthRows(in replication.Input, r replication.Result) []growthRow {
	levelAt := func(months float64) wording.Level {
		switch {
		case r.MonthsUntilMiss != nil && months >= *r.MonthsUntilMiss:
			return wording.Misses
		case r.MonthsUntilAtRisk != nil && months >= *r.MonthsUntilAtRisk:
			return wording.AtRisk
		}
		return wording.Holds
	}
	rows := []growthRow{{level: levelAt(0), note: "today", mark: "today " + wording.Duration(r.OngoingSyncSeconds)}}
	for m := float64(growthStep); m < in.HorizonMonths; m += growthStep {
		rows = append(rows, growthRow{months: m, level: levelAt(m)})
	}
	rows = append(rows, growthRow{months: in.HorizonMonths, level: levelAt(in.HorizonMonths), note: "the horizon"})
	for _, end := range []struct {
		months     *float64
		note, word string
	}{
		{r.MonthsUntilAtRisk, "longer than half the RPO from here on", "at risk after "},
		{r.MonthsUntilMiss, "longer than the RPO from here on", "too long after "},
	} {
		if end.months != nil && *end.months > 0 {
			rows = append(rows, growthRow{*end.months, levelAt(*end.months), end.note, end.word + wording.Months(*end.months)})
		}
	}
	slices.SortStableFunc(rows, func(a, b growthRow) int { return cmp.Compare(a.months, b.months) })
	return rows
}
