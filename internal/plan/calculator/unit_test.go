package calculator_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/calculator"
)

func TestWithUnit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       float64
		given      bool
	}{
		{"throughput_mbps", "1 Gbit/s", 1000, true},
		{"throughput_mbps", "1Gbps", 1000, true},
		{"throughput_mbps", "125 MB/s", 1000, true},
		{"throughput_mbps", "1000", 0, false},
		{"throughput_mbps", "1e3", 0, false},
		{"throughput_mbps", "fast", 0, false},
		{"vm_size_gib", "1.5TiB", 1536, true},
		{"window_kib", "1 MiB", 1024, true},
		{"rpo_minutes", "4h", 240, true},
		{"rpo_minutes", "1d 2h 30m", 1590, true}, // 1440 + 120 + 30
		{"rpo_minutes", "1h30min", 90, true},
		{"rpo_minutes", "15 min", 15, true},
		{"deadline_hours", "90 min", 1.5, true},
		{"overhead_seconds", "2m", 120, true},
		{"rtt_ms", "0.5 s", 500, true},
		{"rtt_ms", "20ms", 20, true},
		{"daily_change_percent", "5 %", 5, true},
		{"vm_count", "15 VMs", 0, false},
	} {
		got, given, err := calculator.WithUnit(test.name, test.text)
		require.NoError(t, err, "%s %q", test.name, test.text)
		assert.InDelta(t, test.want, got, 0, "%s %q", test.name, test.text)
		assert.Equal(t, test.given, given, "%s %q", test.name, test.text)
	}
	for name, text := range map[string]string{
		"throughput_mbps":      "4h",
		"rpo_minutes":          "1 Gbit/s",
		"vm_size_gib":          "5%",
		"daily_change_percent": "5 GB",
		"rtt_ms":               "1h 5",
		"deadline_hours":       "4 fortnights",
	} {
		got, given, err := calculator.WithUnit(name, text)
		require.Error(t, err, "%s %q", name, text)
		assert.True(t, given, "%s %q: got %v, %v, %v, want an error that quotes it", name, text, got, given, err)
		assert.Contains(t, err.Error(), text, "%s %q", name, text)
	}
}
