package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"initial_sync_seconds", 13638.2, "3h 47m 19s"},
		{"switchover_seconds", 0.3995, "400ms"},
		{"throughput_for_rpo_mbps", 4008.63614, "4,008.7 Mbit/s"},
		{"target_gib", 168.81, "168.9 GiB"},
		{"max_daily_change_percent", 3.1469, "3.146%"},
		{"compliance_percent", 99.9996, "99.99%"},
		{"switchover_seconds", 1.236, "1.24s"},
		{"switchover_seconds", 59.999, "1m"},
		{"rpo_minutes", 15.0, "15 min"},
		{"rpo_minutes", 90.0, "90 min"},
		{"rpo_minutes", 720.0, "12 h"},
		{"worst_recovery_point_minutes", 248.1, "4h 8m 6s"},
		{"window_hours", 6.0, "6h"},
		{"throughput_mbps", 901.0, "901 Mbit/s"},
		{"total_gib", 1430.5, "1,430.5 GiB"},
		{"window_kib", 64.0, "64 KiB"},
		{"rtt_ms", 0.5, "0.5 ms"},
		{"mss_bytes", 1460.0, "1,460 bytes"},
		{"rpo_used_percent", 79.448, "79.45%"},
		{"rpo_used_percent", 162.688, "162.7%"},
		{"changed_gib_per_cycle", 24.0, "24 GiB"},
		{"growth_percent_per_year", 20.0, "20%"},
		{"months_until_miss", 42.29, "42.2 months"},
		{"months_until_miss", 1.0, "1 month"},
		{"vm_count", 3200.0, "3,200"},
		{"x", nil, "–"},
		{"x", "", "–"},
		{"x", true, "yes"},
		{"x", false, "no"},
		{"x", []any{}, "none"},
		{"x", []any{"a", 2.0}, "a, 2"},
		{"x", map[string]any{"a": 1.0}, "1 entry"},
		{"x", map[string]any{"a": 1.0, "b": 2.0}, "2 entries"},
		{"x", "a\u202eb\x00c\nd", "a\ufffdb\ufffdc d"},
	} {
		assert.Equal(t, test.want, Value(test.name, test.value))
	}
	long := make([]any, 25)
	for i := range long {
		long[i] = "a"
	}
	got := Listed(long, MaxListed)
	assert.Equal(t, "and 5 more", got[len(got)-10:])
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"vm_count":                  "VM count",
		"throughput_mbps":           "Throughput",
		"rpo_used_percent":          "RPO used",
		"p95_sync_seconds":          "95th percentile of sync",
		"_gib":                      "_gib",
		"x":                         "X",
		"changed_gib_per_cycle":     "Changed per cycle",
		"growth_percent_per_year":   "Growth per year",
		"per_sync_mbps":             "Per sync",
		"months_until_miss":         "Until miss",
		"round_trips_per_operation": "Round trips per operation",
	} {
		assert.Equal(t, want, Label(name), name)
	}
}

func TestNatural(t *testing.T) {
	t.Parallel()
	ordered := []string{"", "a", "a[2]", "a[10]", "a[010]", "a[11]", "b1", "b1c", "b02"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := Natural(a, b)
			require.Equal(t, i < j, got < 0, "%v, %v", a, b)
			assert.Equal(t, i > j, got > 0, "%v, %v", a, b)
		}
	}
}
