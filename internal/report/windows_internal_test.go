package report

import (
	"reflect"
	"slices"
	"testing"
)

// TestWindows: two VMs arrive in the first window of two hours, one in the second, and one that is replicated from the
// start is switched in the second. By the clock the second window opens a day after the first, on SAT and SUN with
// SUN first six days after it, else two hours after.
func TestWindows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		startHour, weekdays any
		first               string
		second              float64
		opening             string
	}{
		"end to end":   {nil, nil, "after 0s", 7200, "after 2h"},
		"by the clock": {22.0, nil, "day 1, 22:00", 86400, "day 2, 22:00"},
		"by the week":  {22.0, []any{"SUN", "SAT"}, "SUN of week 1, 22:00", 6 * 86400, "SAT of week 1, 22:00"},
	} {
		vm := func(start, end, number float64) map[string]any {
			return map[string]any{"start_seconds": start, "end_seconds": end, "window": number, "memory_gib": 8.0}
		}
		in := &instance{values: map[string]any{
			"window_hours":      2.0,
			"window_start_hour": test.startHour,
			"window_weekdays":   test.weekdays,
			"virtual_machines": map[string]any{
				"a": vm(0, 3600, 1), "b": vm(3600, 6600, 1),
				"c": vm(test.second+60, test.second+3600, 2), "d": vm(0, test.second+600, 2),
			},
		}}
		got := in.windows(in.moves([]wave{{number: 1, vms: []any{"a", "d"}}}))
		want := []window{
			{number: 1, opens: test.first, seconds: 7200, from: 0, to: 6600, gib: 16, names: []any{"a", "b"}},
			{number: 2, opens: test.opening, seconds: 7200, from: 0, to: 3600, gib: 16, names: []any{"d", "c"}},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

// TestMovesTable has a row for each of 100 VMs, and for each wave when there are more.
func TestMovesTable(t *testing.T) {
	t.Parallel()
	moves := make([]move, maxMoves)
	for i := range moves {
		moves[i] = move{instance: &instance{}, name: "vm", end: 60, wave: 1, method: "cold"}
	}
	in, waves := &instance{}, []wave{{number: 1, duration: 60, vms: []any{"vm"}}}
	few, many := movesTable(in, moves, waves), movesTable(in, slices.Concat(moves, moves[:1]), waves)
	if len(few.Rows) != maxMoves || few.Rows[0][3].Text != "1m" || few.Rows[0][5].Text != "cold" {
		t.Errorf("%d rows, the first is %+v", len(few.Rows), few.Rows[0])
	}
	if len(many.Rows) != 1 || many.Caption != "Waves" {
		t.Errorf("%+v", many)
	}
	in.values = map[string]any{"window_hours": 2.0}
	if row := movesTable(in, moves, waves).Rows[0]; len(row) != 7 {
		t.Errorf("with windows: %+v", row)
	}
}
