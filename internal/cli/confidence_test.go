package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

// TestConfidence_flags: a range is three numbers with commas between them, with or without units, and the result is
// that of the JSON object.
func TestConfidence_flags(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "", "estimate", "confidence", "--vm-count", "15", "--daily-change-percent", "3,5,8",
		"--vm-size", "80GiB, 102400MB, 120GiB", "--throughput", "400Mbps,0.7Gbps,901Mbps", "--rpo-minutes", "30", "--json")
	require.EqualValues(t, cli.ExitOK, code, errs)
	var result map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &result))
	for name, want := range map[string]float64{
		"p95_ongoing_sync_seconds": 1560.34, "throughput_95_percent_confidence_mbps": 1033.27,
	} {
		assert.True(t, result[name] == want, "%s is %v, want %v", name, result[name], want)
	}
	_, same, _ := run(t, `{"vm_count": 15, "daily_change_percent": {"low": 3, "likely": 5, "high": 8}, "rpo_minutes": 30,
		"vm_size_gib": {"low": 80, "likely": 95.367431640625, "high": 120},
		"throughput_mbps": {"low": 400, "likely": 700, "high": 901}}`, "estimate", "confidence", "-", "--json")
	assert.Equal(t, out, same)
}

func TestConfidence_badFlags(t *testing.T) {
	t.Parallel()
	for throughput, want := range map[string]string{
		"400,901":     `--throughput-mbps: a range must be LOW,LIKELY,HIGH, got "400,901"`,
		"400,fast,9":  `throughput_mbps.likely must be a number, got "fast"`,
		"800,700,901": "throughput_mbps.low must be at most the likely 700, got 800",
	} {
		code, _, errs := run(t, "", "estimate", "confidence", "--vm-count", "15", "--daily-change-percent", "5",
			"--vm-size-gib", "100", "--rpo-minutes", "30", "--throughput-mbps", throughput)
		require.EqualValues(t, cli.ExitUsage, code, throughput)
		assert.Contains(t, errs, want, throughput)
	}
}
