// Moves: the rounds of a vMotion and the waves of a plan.

package report

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
)

func vmotionKind() kind {
	return kind{
		name: "vsla_vmotion_estimate", id: "vmotion", title: "vMotion",
		intro: "Memory is sent while the guest runs, and again what it dirtied, until the rest is small enough " +
			"to stop the guest for.",
		fill: fillVMotion, overview: vmotionOverview, drawn: true,
		shown: []string{"memory_gib", "disk_gib", "throughput_mbps", "rtt_ms"},
		promise: func(in *instance) string {
			return "the guest stops for at most " + format("_ms", in.inputOr("switchover_goal_ms"))
		},
		options: func(in *instance) []string {
			if _, ok := in.number("min_throughput_mbps"); !ok {
				return nil
			}
			return []string{"provide " + in.format("min_throughput_mbps"), "move it while it writes less", "move it cold"}
		},
		rules: []rule{{
			"Memory is copied in rounds until the rest fits into the stop; a migration needs 250 Mbit/s and at most 150 ms.",
			"vSphere 6.5 documentation, vMotion networking requirements; Broadcom KB 2106949",
		}},
	}
}

func planKind() kind {
	return kind{
		name: "vsla_migration_plan", id: "migration", title: "Migration plans",
		intro: "Waves under vCenter's resource costs, the longest VMs first.",
		fill:  fillMigration, overview: migrationOverview, shown: []string{"throughput_mbps"}, drawn: true, always: true,
		promise: func(in *instance) string {
			text := count(len(in.object("virtual_machines")), "VM") + " moved in " + in.format("duration_seconds")
			if n, ok := in.number("windows_needed"); ok {
				text += ", " + count(int(n), "window")
			}
			return text
		},
		rules: []rule{{
			"Hosts, network adapters and datastores have slots, of which each migration takes some.",
			"vSphere 6.7 documentation, limits on simultaneous migrations",
		}},
	}
}

func fillVMotion(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described("duration_seconds", "disk_copy_seconds", "memory_copy_seconds", "switchover_seconds",
		"precopy_rounds", "sdps_expected", "meets_switchover_goal")
	if in.result || in.plain {
		return
	}
	input, r, err := confirmed(in, migration.VMotionDefinition, migration.VMotion)
	if err != nil {
		s.Notes = append(s.Notes, notDrawn(err))
		return
	}
	if len(r.Rounds) > 0 {
		s.Figures = append(s.Figures, timelineFigure(input, r), roundsFigure(input, r))
	}
}

func vmotionOverview(subjects []known) ([]Table, []Figure) {
	return []Table{
		overview(
			"vMotion estimates",
			subjects,
			verdictColumn,
			numeric("Memory", "memory_gib"),
			numeric("Disks", "disk_gib"),
			numeric("Throughput", "throughput_mbps"),
			numeric("Round trip", "rtt_ms"),
			numeric("Duration", "duration_seconds"),
			numeric("Guest stops for", "switchover_seconds"),
			numeric("Rounds", "precopy_rounds"),
			numeric("Guest's speed", "guest_speed_percent"),
		),
	}, []Figure{}
}

func timelineFigure(in migration.VMotionInput, r migration.VMotionResult) Figure {
	bars := chart.Bars{Scale: timeScale(*r.DurationSeconds, "time since the start")}
	data := newTable("Parts of the move", "Part", "#Start", "#Duration")
	at := 0.0
	add := func(name string, seconds float64, tone chart.Tone) {
		if seconds > 0 {
			bars.Rows = append(
				bars.Rows,
				chart.Row{Label: name, From: at, To: at + seconds, Text: duration(seconds), Tone: tone},
			)
			data.add(name, duration(at), duration(seconds))
		}
		at += seconds
	}
	add("setup", in.SetupSeconds, chart.Plain)
	add("disks", *r.DiskCopySeconds, chart.Plain)
	add("memory, "+count(int(*r.PrecopyRounds), "round"), *r.MemoryCopySeconds, chart.Plain)
	tone := chart.Good
	if !r.MeetsSwitchoverGoal {
		tone = chart.Bad
	}
	add("the guest stops", *r.SwitchoverSeconds, tone)
	return Figure{
		Title: "Course of the move",
		Description: fmt.Sprintf(
			"A time line of %s: what is sent when, and when the guest stops.",
			duration(*r.DurationSeconds),
		),
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
		data.add(name, quantity.FromGiB(round.SentGiB).String(), duration(round.Seconds))
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
		data.Note = fmt.Sprintf("Every %dth of %s.", every, count(len(r.Rounds), "round"))
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
			X:      chart.Scale{Min: 1, Max: float64(max(len(r.Rounds), 2)), Label: "round", Whole: true, Format: decimal},
			Y:      chart.Scale{Kind: chart.Log, Min: low, Max: high * 1.5, Label: "GiB to send, logarithmic", Format: decimal},
			Levels: []chart.Guide{
				{Value: enough, Label: "fits into the goal of " + decimal(in.SwitchoverGoalMs) + " ms", Tone: chart.Good},
			},
			Marks: []chart.Mark{{Point: end, Label: "the guest stops for " + duration(*r.SwitchoverSeconds), Tone: tone}},
		},
	}
}

// wave is a wave of a plan.
type wave struct {
	number, start, duration float64
	vms                     []any
}

func (in *instance) waves() []wave {
	list, _ := in.values["waves"].([]any)
	waves := make([]wave, 0, len(list))
	for _, e := range list {
		values, _ := e.(map[string]any)
		one := instance{values: values}
		var w wave
		w.number, _ = one.number("number")
		w.start, _ = one.number("start_seconds")
		w.duration, _ = one.number("duration_seconds")
		w.vms, _ = values["virtual_machines"].([]any)
		waves = append(waves, w)
	}
	return waves
}

func fillMigration(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described()
	// What limits a plan is in its summary.
	s.Reasons = slices.DeleteFunc(s.Reasons, func(r Reason) bool { return strings.HasPrefix(r.Code, "limited_by_") })
	waves := in.waves()
	if len(waves) == 0 {
		return
	}
	moves := in.moves(waves)
	windows := in.windows(moves)
	if len(windows) == 0 {
		s.Figures = append(s.Figures, wavesFigure(in, waves))
	} else {
		s.Figures = append(s.Figures, windowsFigure(windows))
		s.Tables = append(s.Tables, windowTable(windows))
	}
	s.Tables = append(s.Tables, movesTable(in, moves, waves))
}

func migrationOverview(subjects []known) ([]Table, []Figure) {
	vms := column{title: "VMs", numeric: true, cell: func(k known) Cell {
		n := 0
		for _, w := range k.waves() {
			n += len(w.vms)
		}
		return Cell{Text: decimal(float64(n))}
	}}
	waves := column{
		title:   "Waves",
		numeric: true,
		cell:    func(k known) Cell { return Cell{Text: decimal(float64(len(k.waves())))} },
	}
	limited := column{
		title: "Limited by",
		cell:  func(k known) Cell { return Cell{Text: strings.ReplaceAll(k.text("limited_by"), "_", " ")} },
	}
	return []Table{
		overview(
			"Migration plans",
			subjects,
			verdictColumn,
			vms,
			waves,
			numeric("Throughput", "throughput_mbps"),
			numeric("Duration", "duration_seconds"),
			numeric("Lower bound", "lower_bound_seconds"),
			limited,
			numeric("Windows", "windows_needed"),
		),
	}, []Figure{}
}

// wavesFigure draws waves as bars over time; when there are many, some that follow each other share a bar.
func wavesFigure(in *instance, waves []wave) Figure {
	total, _ := in.number("duration_seconds")
	all := count(len(waves), "wave")
	if len(waves) > 1 && !slices.ContainsFunc(waves, func(w wave) bool { return len(w.vms) > 1 }) {
		all += " of one VM each"
	}
	bars := chart.Bars{Scale: timeScale(max(total, 1), "time since the start")}
	data := newTable("Waves over time", "Waves", "#Start", "#End", "#VMs")
	every := (len(waves) + maxBars - 1) / maxBars
	for i := 0; i < len(waves); i += every {
		some := waves[i:min(i+every, len(waves))]
		name := "wave " + decimal(some[0].number)
		if len(some) > 1 {
			name = "waves " + decimal(some[0].number) + " to " + decimal(some[len(some)-1].number)
		}
		from, to, vms := some[0].start, 0.0, 0
		for _, w := range some {
			to, vms = max(to, w.start+w.duration), vms+len(w.vms)
		}
		bars.Rows = append(
			bars.Rows,
			chart.Row{Label: name, From: from, To: to, Text: count(vms, "VM"), Tone: chart.Plain},
		)
		data.add(name, duration(from), duration(to), decimal(float64(vms)))
	}
	return Figure{
		Title: "Waves over time",
		Description: fmt.Sprintf(
			"A bar for each wave, from its start until the last of its VMs has arrived; %s take %s in all.",
			all,
			duration(total),
		),
		Data:  data,
		Chart: bars,
	}
}
