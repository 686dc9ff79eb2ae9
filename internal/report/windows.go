// The timeline of a migration: its windows, and when each VM or wave moves.

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
)

// move is when a VM moves.
type move struct {
	*instance

	name                  string
	start, end            float64
	wave, window          int
	method                string
	memoryGiB, storageGiB float64
}

// moves are the VMs of a plan by start, end and name.
func (in *instance) moves(waves []wave) []move {
	waveOf := make(map[string]int)
	for _, w := range waves {
		for _, name := range w.vms {
			text, _ := name.(string)
			waveOf[text] = int(w.number)
		}
	}
	vms := in.object("virtual_machines")
	moves := make([]move, 0, len(vms))
	for _, name := range slices.SortedFunc(maps.Keys(vms), natural) {
		values, _ := vms[name].(map[string]any)
		m := move{instance: &instance{values: values}, name: clean(name), wave: waveOf[name]}
		var scheduled bool
		m.start, _ = m.number("start_seconds")
		m.end, scheduled = m.number("end_seconds")
		if !scheduled {
			continue
		}
		window, _ := m.number("window")
		m.window, m.method = int(window), cmp.Or(m.text("method"), "vmotion")
		m.memoryGiB, _ = m.number("memory_gib")
		m.storageGiB, _ = m.number("disk_gib")
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return moves
}

// window is a maintenance window with what arrives in it.
type window struct {
	number int
	// opens is when it opens, in words; seconds is its length.
	opens   string
	seconds float64
	// from and to are when its first VM starts and its last one arrives, in seconds since it opened.
	from, to float64
	gib      float64
	names    []any
}

// windows are those in which VMs arrive, in their order.
func (in *instance) windows(moves []move) []window {
	all, ok := in.openings()
	if !ok {
		return nil
	}
	byNumber := make(map[int]*window)
	for _, m := range moves {
		if m.window == 0 {
			continue
		}
		opens, seconds := all.Nth(m.window)
		w := byNumber[m.window]
		if w == nil {
			w = &window{number: m.window, seconds: seconds, from: math.Inf(1), opens: all.Opening(m.window)}
			if w.opens == "" {
				w.opens = "after " + duration(opens)
			}
			byNumber[m.window] = w
		}
		// A replicated VM starts before its window opens.
		w.from, w.to = min(w.from, max(0, m.start-opens)), max(w.to, min(seconds, m.end-opens))
		w.gib += m.memoryGiB + m.storageGiB
		w.names = append(w.names, m.name)
	}
	windows := make([]window, 0, len(byNumber))
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		windows = append(windows, *byNumber[n])
	}
	return windows
}

// openings returns when the windows of a plan are; false without any.
func (in *instance) openings() (migration.Windows, bool) {
	hours, ok := in.number("window_hours")
	all := migration.Windows{Hours: hours}
	if hour, clock := in.number("window_start_hour"); clock {
		all.StartHour = &hour
		all.Weekdays = in.texts("window_weekdays")
	}
	return all, ok
}

// windowNames is how many VMs of a window or a wave are named.
const windowNames = 5

func windowTable(windows []window) Table {
	t := newTable("Windows", "#Window", "Opens", "#VMs", "#Data", "#Last arrives", "Names")
	for _, w := range windows {
		t.add(decimal(float64(w.number)), w.opens, decimal(float64(len(w.names))),
			quantity.FromGiB(w.gib).String(), duration(w.to), listed(w.names, windowNames))
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
		bars.Rows = append(bars.Rows, chart.Row{Label: name, From: from, To: to, Text: count(vms, "VM"), Tone: chart.Plain})
		data.add(name, some[0].opens, duration(from), duration(to), decimal(float64(vms)))
	}
	last := windows[len(windows)-1]
	return Figure{
		Title: "Windows",
		Description: fmt.Sprintf("A bar for each window of %s, from its first start to its last arrival. The last VM "+
			"arrives in window %d, %s after it opened.", duration(longest), last.number, duration(last.to)),
		Data: data, Chart: bars,
	}
}

// maxMoves is up to how many VMs a table has a row for each, maxWaves how many windows or waves it has otherwise.
const (
	maxMoves = 100
	maxWaves = 50
)

// movesTable has a row for each VM, or for each wave when there are many VMs.
func movesTable(in *instance, moves []move, waves []wave) Table {
	if len(moves) == 0 || len(moves) > maxMoves {
		return wavesTable(waves)
	}
	_, windows := in.number("window_hours")
	columns := []string{"VM", "#Wave", "#Start", "#Arrival", "#Data", "Method"}
	if windows {
		columns = slices.Insert(columns, 2, "#Window")
	}
	t := newTable("When each VM moves", columns...)
	for _, m := range moves {
		row := []string{
			m.name, decimal(float64(m.wave)), duration(m.start), duration(m.end),
			quantity.FromGiB(m.memoryGiB + m.storageGiB).String(), m.method,
		}
		if windows {
			row = slices.Insert(row, 2, decimal(float64(m.window)))
		}
		t.add(row...)
	}
	t.Note = "Start and arrival: since the first window opened."
	if !windows {
		t.Note = "Start and arrival: since the plan began."
	}
	return t
}

func wavesTable(waves []wave) Table {
	t := newTable("Waves", "#Wave", "#Start", "#Duration", "#VMs", "Names")
	for _, w := range waves {
		t.add(decimal(w.number), duration(w.start), duration(w.duration), decimal(float64(len(w.vms))),
			listed(w.vms, windowNames))
	}
	t.keep(maxWaves, "wave")
	return t
}
