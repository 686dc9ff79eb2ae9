package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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
		Title: "Timeline of the move",
		Description: fmt.Sprintf("A timeline of %s: when each part is sent, and when the guest stops.",
			wording.Duration(*r.DurationSeconds)),
		Data:  data,
		Chart: bars,
	}
}

const maxRounds = 100

func roundsFigure(in migration.VMotionInput, r migration.VMotionResult) Figure {
	first, last := r.Rounds[0], len(r.Rounds)-1
	goalGiB := in.StopBudgetGiB()
	low, high := goalGiB, max(first.SentGiB, goalGiB)
	step := (len(r.Rounds) + maxRounds - 1) / maxRounds
	var points []chart.Point
	data := newTable("Memory rounds", "Round", "#To send", "#Time")
	for i, round := range r.Rounds {
		if i%step != 0 && i != last {
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
		// The scale is logarithmic, so a round without data is drawn at the bottom.
		points = append(points, chart.Point{X: float64(i + 1), Y: round.SentGiB})
	}
	low /= 2
	for i := range points {
		points[i].Y = max(points[i].Y, low)
	}
	if step > 1 {
		data.Note = fmt.Sprintf("One in %d of %s, and the last one.", step, wording.Count(len(r.Rounds), "round"))
	}
	end := points[len(points)-1]
	tone := chart.Good
	if !r.MeetsSwitchoverGoal {
		tone = chart.Bad
	}
	return Figure{
		Title: "Memory left to send by round",
		Description: fmt.Sprintf(
			"A curve from %s in the first round to %s in the last, with a line at %s, "+
				"the amount that can be sent within the switchover goal.",
			quantity.FromGiB(first.SentGiB),
			quantity.FromGiB(r.Rounds[last].SentGiB),
			quantity.FromGiB(goalGiB),
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
			Y: logScale(low, high*1.5, "GiB to send"),
			Levels: []chart.Guide{
				{
					Value: goalGiB,
					Label: "fits in the goal of " + wording.Decimal(in.SwitchoverGoalMs) + " ms",
					Tone:  chart.Good,
				},
			},
			Marks: []chart.Mark{
				{
					Point: end,
					Label: "the guest stops for " + migration.FormatDowntime(*r.SwitchoverSeconds),
					Tone:  tone,
				},
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
		t := newTable("Promises of the moves", "Promise", "Does it hold?")
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

func wavesFigure(total float64, waves []migration.Wave) Figure {
	count := wording.Count(len(waves), "wave")
	if len(waves) > 1 && !slices.ContainsFunc(waves, func(w migration.Wave) bool { return len(w.VMs) > 1 }) {
		count += " of one VM each"
	}
	bars := chart.Bars{Scale: timeScale(max(total, 1), "time since the start")}
	data := newTable("Waves over time", "Waves", "#Start", "#End", "#VMs")
	all := make([]timeSpan, 0, len(waves))
	for _, w := range waves {
		all = append(all, timeSpan{
			number: int(w.Number),
			from:   w.StartSeconds,
			to:     w.StartSeconds + w.DurationSeconds,
			vms:    len(w.VMs),
		})
	}
	for _, s := range mergeSpans("wave", all) {
		bars.Rows = append(bars.Rows, s.row())
		data.add(s.name, wording.Duration(s.from), wording.Duration(s.to), wording.Decimal(float64(s.vms)))
	}
	return Figure{
		Title: "Waves over time",
		Description: fmt.Sprintf(
			"A bar for each wave, from its start until its last VM has arrived. Total: %s in %s.",
			count,
			wording.Duration(total),
		),
		Data:  data,
		Chart: bars,
	}
}

func movesOf(m assess.Migration) []move {
	waveOf := make(map[string]int64)
	for _, w := range m.Result.Waves {
		for _, name := range w.VMs {
			waveOf[name] = w.Number
		}
	}
	moves := make([]move, 0, len(m.Result.Moves))
	for _, name := range slices.SortedFunc(maps.Keys(m.Result.Moves), wording.Natural) {
		result, vm := m.Result.Moves[name], m.Input.VMs[name]
		if result.StartSeconds == nil || result.EndSeconds == nil {
			continue // the VM does not fit in any window
		}
		m := move{
			name:     name,
			start:    *result.StartSeconds,
			end:      *result.EndSeconds,
			wave:     waveOf[name],
			method:   cmp.Or(result.Method, vm.Method, migration.MethodVMotion),
			gib:      vm.MemoryGiB + vm.DiskGiB,
			downtime: "not known",
		}
		if result.DowntimeSeconds != nil {
			m.downtime = migration.FormatDowntime(*result.DowntimeSeconds)
		} else if vm.PoweredOff {
			m.downtime = "powered off"
		}
		if result.Window != nil {
			m.window = int(*result.Window)
		}
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return moves
}

func windowsOf(in migration.PlanInput, moves []move) []window {
	if in.WindowHours == nil {
		return nil
	}
	all := in.Windows()
	byNumber := make(map[int]*window)
	for _, m := range moves {
		if m.window == 0 {
			continue
		}
		opens, seconds := all.Window(m.window)
		w := byNumber[m.window]
		if w == nil {
			w = &window{number: m.window, seconds: seconds, from: math.Inf(1)}
			w.opens = cmp.Or(all.OpeningText(m.window), "after "+wording.Duration(opens))
			byNumber[m.window] = w
		}
		// A replicated VM can start before its window opens.
		w.from, w.to = min(w.from, max(0, m.start-opens)), max(w.to, min(seconds, m.end-opens))
		w.gib += m.gib
		w.names = append(w.names, m.name)
	}
	windows := make([]window, 0, len(byNumber))
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		windows = append(windows, *byNumber[n])
	}
	return windows
}

func unplannedTable(r migration.PlanResult) Table {
	t := newTable("Not planned", "VM", "Method", "#Window needed")
	for _, name := range r.Unplanned {
		needed := "none is sufficient: the copy never ends"
		if hours := r.Moves[name].NeededWindowHours; hours != nil {
			needed = wording.Duration(*hours * quantity.SecondsPerHour)
		}
		t.add(name, r.Moves[name].Method, needed)
	}
	t.Note = "Window needed: if the VM moves alone, including the window reserve."
	return t
}
