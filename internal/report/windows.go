package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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
	// downtime is how long it is off, in words.
	downtime string
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
		at, vm := m.Result.Moves[name], m.Input.VMs[name]
		if at.StartSeconds == nil || at.EndSeconds == nil {
			continue // it fits in no window
		}
		one := move{
			name: name, start: *at.StartSeconds, end: *at.EndSeconds, wave: waveOf[name],
			method: cmp.Or(at.Method, vm.Method, migration.MethodVMotion), gib: vm.MemoryGiB + vm.DiskGiB,
			downtime: "not known",
		}
		if at.DowntimeSeconds != nil {
			one.downtime = migration.Stop(*at.DowntimeSeconds)
		} else if vm.PoweredOff {
			one.downtime = "powered off"
		}
		if at.Window != nil {
			one.window = int(*at.Window)
		}
		moves = append(moves, one)
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return moves
}

type window struct {
	number int
	// opens is when it opens, in words; seconds is its length.
	opens   string
	seconds float64
	// from and to are when its first VM starts and its last one arrives, in seconds since it opened.
	from, to float64
	gib      float64
	names    []string
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
		opens, seconds := all.Nth(m.window)
		w := byNumber[m.window]
		if w == nil {
			w = &window{number: m.window, seconds: seconds, from: math.Inf(1)}
			w.opens = cmp.Or(all.Opening(m.window), "after "+wording.Duration(opens))
			byNumber[m.window] = w
		}
		// A replicated VM starts before its window opens.
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

const windowNames = 5

func windowTable(windows []window) Table {
	t := newTable("Windows", "#Window", "Opens", "#VMs", "#Data", "#Last arrives", "Names")
	for _, w := range windows {
		t.add(wording.Decimal(float64(w.number)), w.opens, wording.Decimal(float64(len(w.names))),
			quantity.FromGiB(w.gib).String(), wording.Duration(w.to), quantity.List(w.names, windowNames))
	}
	t.Note = "Last arrives: since the window opened. Data: memory and disks."
	t.keep(maxWaves, "window")
	return t
}

// windowsFigure draws each window as a bar from its first start to its last arrival; when there are many, some that
// follow each other share a bar.
func windowsFigure(windows []window) Figure {
	longest := slices.MaxFunc(windows, func(a, b window) int { return cmp.Compare(a.seconds, b.seconds) }).seconds
	bars := chart.Bars{Scale: timeScale(longest, "time since the window opens")}
	data := newTable("Use of the windows", "Window", "Opens", "#First start", "#Last arrival", "#VMs")
	every := (len(windows) + maxBars - 1) / maxBars
	for i := 0; i < len(windows); i += every {
		some := windows[i:min(i+every, len(windows))]
		name := fmt.Sprint("window ", some[0].number)
		if len(some) > 1 {
			name = fmt.Sprintf("windows %d to %d", some[0].number, some[len(some)-1].number)
		}
		from, to, vms := math.Inf(1), 0.0, 0
		for _, w := range some {
			from, to, vms = min(from, w.from), max(to, w.to), vms+len(w.names)
		}
		bars.Rows = append(bars.Rows,
			chart.Row{Label: name, From: from, To: to, Text: wording.Count(vms, "VM"), Tone: chart.Plain})
		data.add(name, some[0].opens, wording.Duration(from), wording.Duration(to), wording.Decimal(float64(vms)))
	}
	last := windows[len(windows)-1]
	return Figure{
		Title: "Windows",
		Description: fmt.Sprintf("A bar for each window of %s, from its first start to its last arrival. The last VM "+
			"arrives in window %d, %s after it opened.", wording.Duration(longest), last.number, wording.Duration(last.to)),
		Data: data, Chart: bars,
	}
}

// maxMoves is up to how many VMs a table has a row for each, maxWaves how many windows or waves it has otherwise.
const (
	maxMoves = 100
	maxWaves = 50
)

func movesTable(plan assess.Migration, moves []move) Table {
	if len(moves) == 0 || len(moves) > maxMoves {
		return wavesTable(plan.Result.Waves)
	}
	windows := plan.Input.WindowHours != nil
	columns := []string{"VM", "#Wave", "#Start", "#Arrival", "#Data", "Method", "#Off for"}
	if windows {
		columns = slices.Insert(columns, 2, "#Window")
	}
	t := newTable("When each VM moves", columns...)
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
	t.Note = "Start and arrival: since the first window opened."
	if !windows {
		t.Note = "Start and arrival: since the plan began."
	}
	return t
}

// unplannedTable has the VMs that do not move, and the window that each needs.
func unplannedTable(r migration.PlanResult) Table {
	t := newTable("Not planned", "VM", "Method", "#Window needed")
	for _, name := range r.Unplanned {
		needed := "none helps: its copy never ends"
		if hours := r.Moves[name].NeededWindowHours; hours != nil {
			needed = wording.Duration(*hours * quantity.SecondsPerHour)
		}
		t.add(name, r.Moves[name].Method, needed)
	}
	t.Note = "Window needed: alone, its reserve included."
	return t
}

func wavesTable(waves []migration.Wave) Table {
	t := newTable("Waves", "#Wave", "#Start", "#Duration", "#VMs", "Names")
	for _, w := range waves {
		t.add(wording.Decimal(float64(w.Number)), wording.Duration(w.StartSeconds), wording.Duration(w.DurationSeconds),
			wording.Decimal(float64(len(w.VMs))), quantity.List(w.VMs, windowNames))
	}
	t.keep(maxWaves, "wave")
	return t
}
