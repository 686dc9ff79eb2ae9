package waves_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/plan/migration"
)

// moves is a plan whose windows are weekends, starting on 5 December 2026, with a throughput of 100 Mbit/s. The cold VM
// of 100 GiB takes 8,589.94 s. The VM of 10,000 GiB takes 858,993 s (238.61 hours), or 265.13 hours with a reserve of
// 10%, which is longer than any weekend. The replicated VM, whose change rate is unknown, has 1 GiB. It waits for 8,590
// s and is then copied in 85.9 s.
func moves(t *testing.T, firstDay any) waves.Moves {
	t.Helper()
	values := map[string]any{
		"virtual_machines": map[string]any{
			"=cold": map[string]any{"memory_gib": 0.0, "disk_gib": 100.0, "method": "cold"},
			"files": map[string]any{"memory_gib": 0.0, "disk_gib": 10000.0, "method": "cold"},
			"copy": map[string]any{
				"memory_gib":         0.0,
				"disk_gib":           1.0,
				"method":             "replication",
				"switchover_minutes": 1.0,
			},
		},
		"throughput_mbps":   100.0,
		"max_concurrent":    1.0,
		"setup_seconds":     0.0,
		"window_weekdays":   []any{"SAT", "SUN"},
		"window_start_hour": 6.0,
		"window_hours":      24.0,
		"first_day":         firstDay,
	}
	c := migration.PlanDefinition.Calculator()
	results, err := c.Evaluate(values)
	require.NoError(t, err)
	maps.Copy(values, results)
	answer, err := c.Read(values)
	moves, ok := answer.(waves.Moves)
	require.NoError(t, err, "%+v", answer)
	require.True(t, ok, "got %T, error %v", answer, err)
	return moves
}

func TestWrite(t *testing.T) {
	t.Parallel()
	const want = `window,window_opens,wave,start,off_from,end,virtual_machine,method,downtime_seconds,note
1,SAT 2026-12-05 06:00,1,SAT 2026-12-05 06:00,SAT 2026-12-05 06:00,SAT 2026-12-05 08:23,'=cold,cold,8589.94,
1,SAT 2026-12-05 06:00,2,SAT 2026-12-05 08:23,,SAT 2026-12-05 08:25,copy,replication,,` +
		`downtime unknown: the change rate is unknown
,,,,,,files,cold,,not planned: requires a window of 265.13 hours
`
	var text strings.Builder
	err := waves.Write(&text, []waves.Plan{{Name: "all", Moves: moves(t, "2026-12-05")}})
	require.NoError(t, err)
	assert.Equal(t, want, text.String())
}

func TestWrite_several(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.NoError(t, waves.Write(&text, []waves.Plan{
		{"east", moves(t, nil)},
		{"west", moves(t, nil)},
	}))
	for _, want := range []string{
		"plan,window,", "\neast,1,\"SAT of week 1, 06:00\",1,0s,0s,2h 23m 10s,'=cold,", "\nwest,,,,,,,files,cold,",
	} {
		assert.Contains(t, text.String(), want)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWrite_fails(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, waves.Write(full{}, []waves.Plan{{"all", moves(t, nil)}}), errFull)
}
