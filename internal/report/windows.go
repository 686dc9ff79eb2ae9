package report

import (
	"cmp"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

type move struct {
	name       string
	start, end float64
	wave       int64
	window     int
	method     string
	gib        float64
	downtime   string
}

type window struct {
	number int
	// opens is the formatted opening time. seconds is the length of the window.
	opens   string
	seconds float64
	// from is when the first VM starts, and to is when the last VM arrives, both in seconds since the window opened.
	from, to float64
	gib      float64
	names    []string
}

const maxWindowNames = 5

func windowTable(windows []window) Table {
	t := newTable("Windows", "#Window", "Opens", "#VMs", "#Data", "#Last arrival", "Names")
	for _, w := range windows {
		t.add(wording.Decimal(float64(w.number)), w.opens, wording.Decimal(float64(len(w.names))),
			quantity.FromGiB(w.gib).String(), wording.Duration(w.to), quantity.List(w.names, maxWindowNames))
	}
	t.Note = "Last arrival: time since the window opened. Data: memory and disks."
	t.truncate(maxWaves, "window")
	return t
}

func windowsFigure(windows []window) Figure {
	longest := slices.MaxFunc(windows, func(a, b window) int { return cmp.Compare(a.seconds, b.seconds) }).seconds
	bars := chart.Bars{Scale: timeScale(longest, "time since the window opens")}
	data := newTable("Window use", "Window", "Opens", "#First start", "#Last arrival", "#VMs")
	all := make([]timeSpan, 0, len(windows))
	for _, w := range windows {
		all = append(all, timeSpan{number: w.number, opens: w.opens, from: w.from, to: w.to, vms: len(w.names)})
	}
	for _, s := range mergeSpans("window", all) {
		bars.Rows = append(bars.Rows, s.row())
		data.add(s.name, s.opens, wording.Duration(s.from), wording.Duration(s.to), wording.Decimal(float64(s.vms)))
	}
	last := windows[len(windows)-1]
	return Figure{
		Title: "Windows",
		Description: fmt.Sprintf("A bar for each window of %s, from its first start to its last arrival. The last VM "+
			"arrives in window %d, %s after it "+
			"opened.", wording.Duration(longest), last.number, wording.Duration(last.to)),
		Data:  data,
		Chart: bars,
	}
}

// maxMoves is the maximum number of VMs for which the table has one row per VM. If there are more VMs, the table
// contains up to maxWaves waves instead.
const (
	maxMoves = 100
	maxWaves = 50
)

func movesTable(plan assess.Migration, moves []move) Table {
	if len(moves) == 0 || len(moves) > maxMoves {
		return wavesTable(plan.Result.Waves)
	}
	windows := plan.Input.WindowHours != nil
	columns := []string{"VM", "#Wave", "#Start", "#Arrival", "#Data", "Method", "#Downtime"}
	if windows {
		columns = slices.Insert(columns, 2, "#Window")
	}
	t := newTable("Schedule of the VMs", columns...)
	for _, m := range moves {
		row := []string{
			m.name, wording.Decimal(float64(m.wave)), wording.Duration(m.start), wording.Duration(m.end),
			quantity.FromGiB(m.gib).String(), m.method, m.downtime,
		}
		if windows {
			row = slices.Insert(row, 2, wording.Decimal(float64(m.window)))
		}
		t.add(row...)
	}
	t.Note = "Start and arrival: time since the first window opened."
	if !windows {
		t.Note = "Start and arrival: time since the start of the plan."
	}
	return t
}

func wavesTable(waves []migration.Wave) Table {
	t := newTable("Waves", "#Wave", "#Start", "#Duration", "#VMs", "Names")
	for _, w := range waves {
		t.add(wording.Decimal(float64(w.Number)), wording.Duration(w.StartSeconds), wording.Duration(w.DurationSeconds),
			wording.Decimal(float64(len(w.VMs))), quantity.List(w.VMs, maxWindowNames))
	}
	t.truncate(maxWaves, "wave")
	return t
}
