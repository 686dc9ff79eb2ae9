package report

import (
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func vmotionFigures(v assess.VMotion) []Figure {
	if len(v.Result.Rounds) == 0 {
		return nil
	}
	return []Figure{timelineFigure(v.Input, v.Result), roundsFigure(v.Input, v.Result)}
}

func timelineFigure(in migration.VMotionInput, r migration.VMotionResult) Figure {
	bars := chart.Bars{Scale: timeScale(*r.DurationSeconds, "time since the start")}
	data := newTable("Parts of the move", "Part", "#Start", "#Duration")
	at := 0.0
	add := func(name string, seconds float64, tone chart.Tone) {
		if seconds > 0 {
			bars.Rows = append(bars.Rows,
				chart.Row{Label: name, From: at, To: at + seconds, Text: wording.Duration(seconds), Tone: tone})
			data.add(name, wording.Duration(at), wording.Duration(seconds))
		}
		at += seconds
	}
	add("setup", in.SetupSeconds, chart.Plain)
	add("disks", *r.DiskCopySeconds, chart.Plain)
	add("memory, "+wording.Count(int(*r.PrecopyRounds), "round"), *r.MemoryCopySeconds, chart.Plain)
	tone := chart.Good
	if !r.MeetsSwitchoverGoal {
		tone = chart.Bad
	}
	add("the guest stops", *r.SwitchoverSeconds, tone)
	return Figure{
		Title: "Course of the move",
		Description: fmt.Sprintf("A time line of %s: what is sent when, and when the guest stops.",
			wording.Duration(*r.DurationSeconds)),
		Data:  data,
		Chart: bars,
	}
}

// maxRounds is how many rounds a chart has points for.
const maxRounds = 100

func roundsFigure(in migration.VMotionInput, r migration.VMotionResult) Figure {
	first, last := r.Rounds[0], len(r.Rounds)-1
	enough := in.RestGiB()
	low, high := enough, max(first.SentGiB, enough)
	every := (len(r.Rounds) + maxRounds - 1) / maxRounds
	var points []chart.Point
	data := newTable("Rounds over memory", "Round", "#To send", "#Time")
	for i, round := range r.Rounds {
		if i%every != 0 && i != last {
			continue
		}
		name := plan.Thousands(float64(i+1), 0)
		if i == last {
			name = "the guest stops"
		}
		data.add(name, quantity.FromGiB(round.SentGiB).String(), wording.Duration(round.Seconds))
		if round.SentGiB > 0 {
			low = min(low, round.SentGiB)
		}
		// Nothing left is drawn at the bottom.
		points = append(points, chart.Point{X: float64(i + 1), Y: round.SentGiB})
	}
	low /= 2
	for i := range points {
		points[i].Y = max(points[i].Y, low)
	}
	if every > 1 {
		data.Note = fmt.Sprintf("Every %dth of %s.", every, wording.Count(len(r.Rounds), "round"))
	}
	end := points[len(points)-1]
	tone := chart.Good
	if !r.MeetsSwitchoverGoal {
		tone = chart.Bad
	}
	return Figure{
		Title: "Memory left to send, round by round",
		Description: fmt.Sprintf(
			"A curve that falls from %s in the first round to %s, with a line at %s, "+
				"which is what can be sent while the guest stops for the goal.",
			quantity.FromGiB(first.SentGiB),
			quantity.FromGiB(r.Rounds[last].SentGiB),
			quantity.FromGiB(enough),
		),
		Data: data,
		Chart: chart.Curve{
			Points: points,
			Dots:   true,
			X: chart.Scale{
				Min:    1,
				Max:    float64(max(len(r.Rounds), 2)),
				Label:  "round",
				Whole:  true,
				Format: wording.Decimal,
			},
			Y: chart.Scale{
				Kind:   chart.Log,
				Min:    low,
				Max:    high * 1.5,
				Label:  "GiB to send, logarithmic",
				Format: wording.Decimal,
			},
			Levels: []chart.Guide{
				{Value: enough, Label: "fits into the goal of " + wording.Decimal(in.SwitchoverGoalMs) + " ms", Tone: chart.Good},
			},
			Marks: []chart.Mark{
				{Point: end, Label: "the guest stops for " + migration.Stop(*r.SwitchoverSeconds), Tone: tone},
			},
		},
	}
}

func migrationFigures(m assess.Migration) []Figure {
	if len(m.Result.Waves) == 0 {
		return nil
	}
	if windows := windowsOf(m.Input, movesOf(m)); len(windows) > 0 {
		return []Figure{windowsFigure(windows)}
	}
	return []Figure{wavesFigure(m.Result.DurationSeconds, m.Result.Waves)}
}

func migrationTables(m assess.Migration) []Table {
	var tables []Table
	if promises := assess.MovePromises(&m); len(promises) > 0 {
		t := newTable("What the moves promise", "Promise", "Does it hold?")
		for _, p := range promises {
			t.Rows = append(t.Rows, []Cell{{Text: wording.Capital(p.Text)}, levelCell(p.Level)})
		}
		tables = append(tables, t)
	}
	if len(m.Result.Unplanned) > 0 {
		tables = append(tables, unplannedTable(m.Result))
	}
	if len(m.Result.Waves) == 0 {
		return tables
	}
	moves := movesOf(m)
	if windows := windowsOf(m.Input, moves); len(windows) > 0 {
		tables = append(tables, windowTable(windows))
	}
	return append(tables, movesTable(m, moves))
}

// wavesFigure draws waves as bars over time; when there are many, some that follow each other share a bar.
func wavesFigure(total float64, waves []migration.Wave) Figure {
	all := wording.Count(len(waves), "wave")
	if len(waves) > 1 && !slices.ContainsFunc(waves, func(w migration.Wave) bool { return len(w.VMs) > 1 }) {
		all += " of one VM each"
	}
	bars := chart.Bars{Scale: timeScale(max(total, 1), "time since the start")}
	data := newTable("Waves over time", "Waves", "#Start", "#End", "#VMs")
	every := (len(waves) + maxBars - 1) / maxBars
	for i := 0; i < len(waves); i += every {
		some := waves[i:min(i+every, len(waves))]
		name := "wave " + wording.Decimal(float64(some[0].Number))
		if len(some) > 1 {
			name = "waves " + wording.Decimal(float64(some[0].Number)) + " to " + wording.Decimal(
				float64(some[len(some)-1].Number),
			)
		}
		from, to, vms := some[0].StartSeconds, 0.0, 0
		for _, w := range some {
			to, vms = max(to, w.StartSeconds+w.DurationSeconds), vms+len(w.VMs)
		}
		bars.Rows = append(bars.Rows,
			chart.Row{Label: name, From: from, To: to, Text: wording.Count(vms, "VM"), Tone: chart.Plain})
		data.add(name, wording.Duration(from), wording.Duration(to), wording.Decimal(float64(vms)))
	}
	return Figure{
		Title: "Waves over time",
		Description: fmt.Sprintf(
			"A bar for each wave, from its start until the last of its VMs has arrived; %s take %s in all.",
			all,
			wording.Duration(total),
		),
		Data:  data,
		Chart: bars,
	}
}
