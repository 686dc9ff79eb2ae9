package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

const published = "estimate replication --vm-count 15 --vm-size-gib 100 --daily-change-percent 5 --rpo-minutes 15"

// TestRun_table compares the table with a manual calculation. Sending 15 * 100 GiB at 901 Mbit/s takes 14,300.668 s,
// and sending 5% of that takes 715.033 s.
func TestRun_table(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "", strings.Fields(published+" --throughput-mbps=901")...)
	require.Equal(t, cli.ExitOK, code)
	assert.Empty(t, errs)
	for _, want := range []string{
		"15 VMs of 100 GiB are 1,500 GiB. At 901 Mbit/s, the initial sync takes 3h 58m 21s",
		"\n\n- The promise holds if the busiest time changes 3 times the daily mean, but not if a whole day changes",
		"\ninitial_sync_seconds            14,300.668 (3h 58m 21s)\n", "\nmeets_rpo                       true\n",
		"\nongoing_sync_seconds            715.033 (11m 56s)\n",
		"\nreasons                         peak_unknown\n",
		"\ntotal_gib                       1,500\n", "verdict: at_risk\n15 VMs of",
	} {
		assert.Contains(t, out, want)
	}
}

// TestRun_fractions verifies that percentages that look like fractions cause the same warning as in Terraform.
func TestRun_fractions(t *testing.T) {
	t.Parallel()
	const says = "--daily-change-percent looks like a fraction. The number is in percent: 0.05 means 0.05 %. " +
		"If 5 % is meant, write 5.\n--efficiency-percent looks like a fraction. The number is in percent: 0.7 means " +
		"0.7 %. If 70 % is meant, write 70.\n"
	_, _, errs := run(t, "", strings.Fields("estimate replication --vm-count 15 --vm-size-gib 100 --rpo-minutes 15 "+
		"--throughput-mbps 901 --efficiency-percent 0.7 --daily-change-percent 0.05")...)
	assert.Equal(t, says, errs)
	const fraction = `{
		"tiers": {"gold": {"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 0.05, "rpo_minutes": 60}},
		"links": {"metro": {"throughput_mbps": 1000}}
	}`
	_, _, errs = run(t, fraction, "estimate", "plan", "-")
	assert.Equal(t, "tiers.gold.daily_change_percent looks like a fraction. The number is in percent: 0.05 means "+
		"0.05 %. If 5 % is meant, write 5.\n", errs)
}

func TestRun_tableOnTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := cli.Program{Out: &out, Columns: 60}
	require.Equal(t, cli.ExitOK, p.Run(t.Context(), strings.Fields(published+" --throughput-mbps=901")))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 60)
	}
	require.Contains(t, out.String(), "\n- The promise holds if")
	assert.Contains(t, out.String(), "\n  ")
}

func TestRun_exitCodes(t *testing.T) {
	t.Parallel()
	checkAll(t, map[string]command{
		"a miss": {args: published + " --throughput-mbps 20", code: cli.ExitMiss, out: "misses"},
		"unsupported": {
			args: "estimate vmotion --memory-gib 8 --throughput-mbps 100",
			code: cli.ExitMiss,
			out:  "below_250_mbps",
		},
		"better together": {
			args: "estimate latency -",
			code: cli.ExitMiss,
			out:  "move_together",
			stdin: `{"users":5,"think_seconds":0.02,"rtt_before_ms":0,"rtt_after_ms":40,` +
				`"throughput_before":65,"throughput_after":10}`,
		},
		"beyond limits": {
			args:  "estimate limits -",
			code:  cli.ExitMiss,
			out:   "hosts",
			stdin: `{"product":"vcenter","version":"6.5","counts":{"hosts":2001}}`,
		},
		// 64 KiB is 524,288 bits. Sending that many bits every 0.1 s amounts to 5.24288 Mbit/s.
		"a link": {args: "estimate link --bandwidth-mbps 1000 --rtt-ms 100 --window-kib 64", out: "5.243"},
		"a plan": {
			args:  "estimate migration -",
			out:   "\nwaves.0.virtual_machines             a\n",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8}},"throughput_mbps":1000}`,
		},
		// Sending 8,589.93 Gbit over NFC, which is limited to 1.3 Gbit/s, takes 6,607.64 s. This is more than an hour,
		// and a faster link would not help.
		"a cold move": {
			args: "estimate migration --deadline-hours 1 -",
			out:  "6,607.642 (1h 50m 8s)",
			code: cli.ExitMiss,
			stdin: `{"virtual_machines":{"a":{"memory_gib":0,"disk_gib":1000,"method":"cold"}},` +
				`"throughput_mbps":10000}`,
		},
		// Each VM has 8,000 GiB and takes 19 hours at 1,000 Mbit/s, so only two of the three VMs fit into a weekend of
		// 48 hours.
		"weekends by flags": {
			args: "estimate migration --window-weekdays SAT,SUN --window-hours 24 --window-start-hour 0 " +
				"--max-concurrent 1 -",
			out: "The plan takes 2 windows of 48 hours.",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8000},"b":{"memory_gib":8000},"c":{"memory_gib":8000}},` +
				`"throughput_mbps":1000}`,
		},
		"weekends in JSON": {
			args: "estimate migration -",
			out:  "The plan takes 2 windows of 48 hours.",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8000},"b":{"memory_gib":8000},"c":{"memory_gib":8000}},` +
				`"throughput_mbps":1000,"max_concurrent":1,` +
				`"window_weekdays":["SAT","SUN"],"window_hours":24,"window_start_hour":0}`,
		},
		"a flag over the JSON object": {
			args:  "estimate replication --throughput-mbps 10 -",
			code:  cli.ExitMiss,
			out:   "misses",
			stdin: `{"throughput_mbps":1000,"vm_count":9,"vm_size_gib":100,"daily_change_percent":5,"rpo_minutes":15}`,
		},
		"null is absent": {args: "estimate link -", stdin: `{"bandwidth_mbps":1000,"rtt_ms":null}`, out: "1,000"},
	})
}

// TestRun_plan checks that each promise is printed in full. 15 VMs of 102.4 * 10^9 byte change 5% a day, 7.111 Mbit/s,
// and 21.33 Mbit/s at a peak of 3. Of the 440 Mbit/s, 440 / 1.14 = 386.0 can be relied on, so at most 15 / (1 + 21.33 /
// 386.0) = 14.2 minutes keep the promise, which leaves the step of 12. A link of 2 Mbit/s cannot send 7.111.
func TestRun_plan(t *testing.T) {
	t.Parallel()
	gold := `{"tiers":{"gold":{"vm_count":15,"vm_size_gib":95.367431640625,"rpo_minutes":15,"daily_change_percent":5` +
		`%s},"empty":{"virtual_machines":{},"rpo_minutes":15,"daily_change_percent":5}},` +
		`"links":{"wan":{"throughput_mbps":%s,"throughput_basis":"network"}}}`
	for name, test := range map[string]struct {
		in   string
		code int
		want []string
	}{
		"at risk": {fmt.Sprintf(gold, "", "440"), cli.ExitOK, []string{
			"\npromise gold: at_risk\n  The promise of 15 minutes is at risk. Configure 12 minutes.",
			"\n  - The promise holds if the busiest time changes 3 times the daily mean",
			"\npromise empty: empty\n  The tier has no VMs",
			"\nlinks.wan.throughput_needed_mbps ",
		}},
		"late": {fmt.Sprintf(gold, `,"peak_factor":1,"configured_rpo_minutes":15`, "2"), cli.ExitMiss, []string{
			"\npromise gold: misses\n  The promise of 15 minutes does not hold.",
			"\n  late_virtual_machines: ", "% of the time)",
		}},
	} {
		code, out, errs := run(t, test.in, "estimate", "plan", "-")
		require.Equal(t, test.code, code, "%s: %s", name, errs)
		for _, want := range test.want {
			assert.Contains(t, out, want, name)
		}
		assert.NotContains(t, out, "\npromises ", name)
	}
}

func TestRun_json(t *testing.T) {
	t.Parallel()
	code, out, _ := run(t, "", strings.Fields(published+" --throughput-mbps 901 --json")...)
	var result struct {
		Initial float64  `json:"initial_sync_seconds"`
		Verdict string   `json:"verdict"`
		Reasons []string `json:"reasons"`
		Meets   bool     `json:"meets_rpo"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &result))
	assert.Zero(t, code)
	assert.LessOrEqual(t, math.Abs(result.Initial-14300.7), 0.05)
	assert.Equal(t, "at_risk", result.Verdict)
	assert.True(t, result.Meets, "%d: %+v", code, result)
	assert.Len(t, result.Reasons, 1)
}
