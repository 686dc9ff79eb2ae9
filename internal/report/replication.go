// Replication estimates: whether each RPO holds, and what throughput would make it hold.

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/report/related"
)

func estimateKind() kind {
	return kind{
		name: estimateType, id: "replication", title: "Replication estimates",
		intro: "A recovery point describes the VM at the start of its sync. It holds at all times when a cycle's " +
			"changes are sent within half the RPO; within the whole RPO is the weaker, published test.",
		fill: fillEstimate, overview: estimateOverview, shown: []string{"vm_count", "throughput_mbps", "rpo_minutes"},
		drawn: true, promise: rpoPromise, sure: changeAssumption, options: estimateOptions, rules: rpoRules(),
	}
}

// rpoRules are those of the estimate and of the confidence, which draws estimates.
func rpoRules() []rule {
	return []rule{
		{
			"An RPO holds at all times when a cycle's changes are sent within half of it: a recovery point is as old " +
				"as the start of its sync.",
			"vSphere Replication documentation, How the Recovery Point Objective Affects Replication Scheduling (5.5 to 9.0)",
		},
		{
			"Within the whole RPO is the weaker, published test.",
			"VMware performance blog on vSphere Replication 6.0",
		},
	}
}

func fillEstimate(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described(
		"initial_sync_seconds",
		"ongoing_sync_seconds",
		"rpo_used_percent",
		"meets_rpo",
		"violation_free",
	)
	if in.result || in.plain {
		return
	}
	input, r, err := confirmed(in, replication.EstimateDefinition, replication.Estimate)
	if err != nil {
		s.Notes = append(s.Notes, notDrawn(err))
		return
	}
	s.Figures = append(s.Figures, whatIf(input, r))
	if f, ok := growthFigure(input, r); ok {
		s.Figures = append(s.Figures, f)
	}
	if f, ok := changeFigure(input); ok {
		s.Figures = append(s.Figures, f)
	}
}

func estimateOverview(subjects []known) ([]Table, []Figure) {
	table := overview(
		"Replication estimates",
		subjects,
		verdictColumn,
		numeric("VMs", "vm_count"),
		numeric("Data", "total_gib"),
		numeric("Throughput", "throughput_mbps"),
		numeric("Initial sync", "initial_sync_seconds"),
		numeric("One cycle's changes", "ongoing_sync_seconds"),
		numeric("RPO", "rpo_minutes"),
		numeric("Of the RPO", "rpo_used_percent"),
		numeric("Least RPO", "min_rpo_minutes"),
		numeric("Least throughput", "throughput_violation_free_mbps"),
	)
	table.Note = "Least: with which it always holds."
	return []Table{table}, []Figure{deltaFigure(subjects), initialSyncFigure(subjects)}
}

// sharedLinks adds up the estimates that name the same link: each of them is judged alone on it.
func sharedLinks(links map[string][]known) Table {
	t := newTable("Estimates that share a link", "Link", "#Estimates", "#Throughput", "#Link use",
		"#Of the RPOs", "Verdict")
	t.Note = "Each estimate is judged alone on the link; here all of them are busiest at the same time, which is the " +
		"worst case. A replication schedule simulates when they are."
	for _, name := range slices.Sorted(maps.Keys(links)) {
		estimates := links[name]
		if len(estimates) < 2 {
			continue
		}
		cycles, use := linkUse(estimates)
		rate := func(k known) float64 { v, _ := k.number("throughput_mbps"); return v }
		bySize := slices.SortedFunc(slices.Values(estimates), func(a, b known) int { return cmp.Compare(rate(a), rate(b)) })
		least, most := bySize[0].format("throughput_mbps"), bySize[len(bySize)-1].format("throughput_mbps")
		rates := least
		if least != most {
			rates += " to " + most
			t.Note = "A link with two throughputs is two links, or one of the estimates is wrong."
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: name},
			{Text: decimal(float64(len(estimates)))},
			{Text: rates},
			{Text: format("_percent", use)},
			{Text: format("_percent", cycles)},
			levelCell(related.Together(cycles, use)),
		})
	}
	return t
}

// maxPercent ends the scale of shares of the RPO: a larger one is a miss by any measure.
const maxPercent = 300

// beyond explains the sign of bars that are cut off.
func beyond(most float64) string {
	if most < maxPercent {
		return ""
	}
	return "; » is beyond"
}

func deltaFigure(subjects []known) Figure {
	subjects, note := worst(
		subjects,
		maxBars,
		"result",
		func(k known) float64 { v, _ := k.number("rpo_used_percent"); return v },
	)
	bars := chart.Bars{Guides: shareGuides}
	data := newTable("Time to send one cycle's changes", "Result", "#Time", "#RPO", "#Of the RPO", "Verdict")
	data.Note = note
	most := 110.0
	for _, k := range subjects {
		used, _ := k.number("rpo_used_percent")
		level := k.subject.Level
		most = max(most, min(used, maxPercent))
		text := level.Symbol() + " " + k.format("ongoing_sync_seconds")
		if used > maxPercent {
			text += " »"
		}
		bars.Rows = append(bars.Rows, chart.Row{Label: k.subject.Name, To: used, Text: text, Tone: level.Tone()})
		data.Rows = append(data.Rows, []Cell{
			{
				Text: k.subject.Name,
			},
			{Text: k.format("ongoing_sync_seconds")},
			{Text: k.format("rpo_minutes")},
			{Text: k.format("rpo_used_percent")},
			levelCell(level),
		})
	}
	bars.Scale = chart.Scale{
		Max:    most,
		Format: func(v float64) string { return decimal(v) + "%" },
		Label:  "time, as a share of the RPO" + beyond(most),
	}
	return Figure{
		Title: "One cycle's changes against the RPO",
		Description: "A bar for each estimate: how long one cycle's changes take to send, as a share of its RPO. " +
			"Up to half it always holds, up to the whole it is at risk, beyond it does not hold.",
		Beside: true,
		Data:   data,
		Chart:  bars,
	}
}

// initialSyncs is the initial sync of all VMs of a link, from a cold start.
type initialSyncs struct {
	name string
	gib  float64
	// seconds is the time for the data, caughtUp with what changes during it: infinity if it never ends.
	seconds, caughtUp float64
}

// coldStarts adds up the initial syncs of each link that estimates share.
func coldStarts(subjects []known) []initialSyncs {
	var all []initialSyncs
	links := byLink(subjects)
	for _, name := range slices.Sorted(maps.Keys(links)) {
		if len(links[name]) < 2 {
			continue
		}
		one, daily := initialSyncs{name: "all on " + nameOfLink(name), caughtUp: math.Inf(1)}, 0.0
		for _, k := range links[name] {
			seconds, _ := k.number("initial_sync_seconds")
			gib, _ := k.number("total_gib")
			use, _ := k.number("daily_link_use_percent")
			one.seconds, one.gib, daily = one.seconds+seconds, one.gib+gib, daily+use
		}
		if daily < 100 {
			one.caughtUp = one.seconds / (1 - daily/100)
		}
		all = append(all, one)
	}
	return all
}

func initialSyncFigure(subjects []known) Figure {
	together := coldStarts(subjects)
	subjects, note := worst(
		subjects,
		maxBars,
		"result",
		func(k known) float64 { v, _ := k.number("initial_sync_seconds"); return v },
	)
	bars := chart.Bars{}
	data := newTable("Time of the initial sync", "Result", "#Data", "#Time", "#With its changes")
	data.Note = note
	most := 1.0
	for _, k := range subjects {
		v, _ := k.number("initial_sync_seconds")
		most = max(most, v)
		bars.Rows = append(bars.Rows, chart.Row{Label: k.subject.Name, To: v, Text: duration(v), Tone: chart.Plain})
		data.add(k.subject.Name, k.format("total_gib"), duration(v), k.format("initial_sync_caught_up_seconds"))
	}
	for _, one := range together {
		most = max(most, one.seconds)
		bars.Rows = append(bars.Rows,
			chart.Row{Label: one.name, To: one.seconds, Text: duration(one.seconds), Tone: chart.Plain})
		caughtUp := "never"
		if !math.IsInf(one.caughtUp, 1) {
			caughtUp = duration(one.caughtUp)
		}
		data.add(one.name, format("_gib", one.gib), duration(one.seconds), caughtUp)
	}
	bars.Scale = timeScale(most, "time of the initial sync of all VMs")
	return Figure{
		Title: "Initial sync",
		Description: "A bar for each estimate: how long the initial sync of all its VMs takes, alone on the link; and " +
			"one for each link that estimates share, from a cold start of all of them.",
		Beside: true, Data: data, Chart: bars,
	}
}

func timeScale(most float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Time, Max: most, Format: duration, Label: label}
}

// curvePoints is how many points a curve is drawn with.
const curvePoints = 96

// throughputs are those at which a curve is drawn, evenly on a logarithmic axis.
func throughputs(low, high float64) []float64 {
	all := make([]float64, curvePoints+1)
	for i := range all {
		all[i] = min(high, max(low, low*math.Pow(high/low, float64(i)/curvePoints)))
	}
	return all
}

// whatIf draws the time of a delta over the throughput, from below the current one to above the required one.
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
			Format: decimal,
		},
		Y:      timeScale(max(1.25*rpo, 1.15*r.OngoingSyncSeconds), "time to send one cycle's changes"),
		Levels: rpoLevels(rpo),
		Marks: []chart.Mark{{
			Point: chart.Point{X: in.ThroughputMbps, Y: r.OngoingSyncSeconds},
			Label: "now " + quantity.FromMbps(in.ThroughputMbps).String(), Tone: levelOf(r).Tone(),
		}},
	}
	for _, mbps := range throughputs(low, high) {
		curve.Points = append(curve.Points, chart.Point{X: mbps, Y: at(mbps).OngoingSyncSeconds})
	}
	table := newTable(
		"What if the throughput were another",
		"#Throughput",
		"#Changes of one cycle",
		"#Of the RPO",
		"Verdict",
		"Note",
	)
	type step struct {
		mbps float64
		note string
	}
	steps := []step{{in.ThroughputMbps, "now"}}
	for _, factor := range []float64{0.5, 0.75, 1.5, 2} {
		steps = append(steps, step{in.ThroughputMbps * factor, fmt.Sprintf("%s times what is there", decimal(factor))})
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
			{Text: duration(other.OngoingSyncSeconds)},
			{Text: format("_percent", other.RPOUsedPercent)},
			levelCell(levelOf(other)),
			{Text: s.note},
		})
	}
	return Figure{
		Title: "What if the throughput were another",
		Description: fmt.Sprintf(
			"A falling curve: the time to send one cycle's changes over the throughput, "+
				"with lines at the RPO of %s and at half of it. Now it is %s at %s.",
			rpoText(in.RPOMinutes), duration(r.OngoingSyncSeconds), quantity.FromMbps(in.ThroughputMbps),
		),
		Data:  table,
		Chart: curve,
	}
}

// rpoLevels are lines at an RPO in seconds and at half of it.
func rpoLevels(rpo float64) []chart.Guide {
	return []chart.Guide{
		{Value: rpo, Label: "RPO " + rpoText(rpo/60), Tone: chart.Bad},
		{Value: rpo / 2, Label: "half the RPO " + duration(rpo/2), Tone: chart.Good},
	}
}

// levelOf returns what an estimate means.
func levelOf(r replication.Result) Level {
	for _, v := range replication.EstimateDefinition.Verdicts {
		if v.Code == r.Verdict {
			return levelsOf[v.Level]
		}
	}
	return Neutral
}
