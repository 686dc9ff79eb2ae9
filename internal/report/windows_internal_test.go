package report

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/migration"
)

// TestWindows verifies that two VMs arrive in the first two-hour window and one VM in the second. A replicated VM
// starts immediately and switches over in the second window. Without an opening hour, the second window opens two hours
// after the first. With an opening hour, it opens one day later. With the weekdays SAT and SUN, it opens six days
// later.
func TestWindows(t *testing.T) {
	t.Parallel()
	hours, start := 2.0, 22.0
	for name, test := range map[string]struct {
		startHour *float64
		weekdays  []string
		first     string
		second    float64
		opening   string
	}{
		"end to end":   {nil, nil, "after 0s", 7200, "after 2h"},
		"by the clock": {&start, nil, "day 1, 22:00", 86400, "day 2, 22:00"},
		"by the week":  {&start, []string{"SUN", "SAT"}, "SUN of week 1, 22:00", 6 * 86400, "SAT of week 1, 22:00"},
	} {
		m := assess.Migration{Input: migration.PlanInput{
			WindowHours:     &hours,
			WindowStartHour: test.startHour,
			WindowWeekdays:  test.weekdays,
			VMs:             map[string]migration.VM{},
		}}
		m.Result.Moves = map[string]migration.Move{}
		for vm, at := range map[string][3]float64{
			"a": {0, 3600, 1},
			"b": {3600, 6600, 1},
			"c": {test.second + 60, test.second + 3600, 2},
			"d": {0, test.second + 600, 2},
		} {
			window := int64(at[2])
			m.Input.VMs[vm] = migration.VM{MemoryGiB: 8}
			m.Result.Moves[vm] = migration.Move{StartSeconds: &at[0], EndSeconds: &at[1], Window: &window}
		}
		got := windowsOf(m.Input, movesOf(m))
		want := []window{
			{number: 1, opens: test.first, seconds: 7200, from: 0, to: 6600, gib: 16, names: []string{"a", "b"}},
			{number: 2, opens: test.opening, seconds: 7200, from: 0, to: 3600, gib: 16, names: []string{"d", "c"}},
		}
		assert.Equal(t, want, got, name)
	}
}

func TestMovesTable(t *testing.T) {
	t.Parallel()
	m := assess.Migration{}
	m.Result.Waves = []migration.Wave{{Number: 1, DurationSeconds: 60, VMs: []string{"vm"}}}
	moves := make([]move, maxMoves+1)
	for i := range moves {
		moves[i] = move{name: fmt.Sprint("vm", i), end: 60, wave: 1, method: "cold", downtime: "1m"}
	}
	few, many := movesTable(m, moves[:maxMoves]), movesTable(m, moves)
	require.Len(t, few.Rows, maxMoves)
	assert.Equal(t, "1m", few.Rows[0][3].Text)
	assert.Equal(t, "cold", few.Rows[0][5].Text)
	assert.Equal(t, "1m", few.Rows[0][6].Text)
	require.Len(t, many.Rows, 1)
	assert.Equal(t, "Waves", many.Caption)
	hours := 2.0
	m.Input.WindowHours = &hours
	assert.Len(t, movesTable(m, moves[:1]).Rows[0], 8)
}
