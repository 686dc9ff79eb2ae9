package cli_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

const rest = "estimate replication --vm-count 15 --daily-change-percent 5 --rpo-minutes 15"

// TestUnits verifies unit conversions: 1 Gbit/s = 1,000 Mbit/s, 107,374,182,400 B = 100 GiB, and 1.5 TiB = 1,536 GiB.
func TestUnits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args, field string
		want        float64
	}{
		{rest + " --throughput 1Gbps --vm-size 107374182400B", "total_gib", 1500},
		{rest + " --throughput 125MB/s --vm-size 1.5TiB", "total_gib", 15 * 1536},
		// 1,500 GiB is 12,884,901,888,000 bits, which takes 12,884.901888 s at 10^9 bit/s.
		{rest + " --throughput 125MB/s --vm-size-gib 100", "initial_sync_seconds", 12884.901888},
		// The window must hold 10^10 bit/s * 0.02 s, which is 25,000,000 bytes.
		{"estimate link --bandwidth-mbps 10Gbps --rtt-ms 0.02s", "bandwidth_delay_product_kib", 25e6 / 1024},
		{"estimate link --bandwidth 10Gbps --per-flow-limit 500Mbps", "throughput_mbps", 500},
	} {
		code, out, errs := run(t, "", append(strings.Fields(test.args), "--json")...)
		var result map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &result), "%v, %v, %v", test.args, code, errs)
		got := result[test.field]
		assert.True(t, got == test.want, "%s: %s is %v, want %v", test.args, test.field, got, test.want)
	}
}

func TestErrors_names(t *testing.T) {
	t.Parallel()
	const link = "estimate link"
	for name, c := range map[string]command{
		"a flag":                      {args: link + " --bandwidth-mbps 0", errs: "--bandwidth-mbps must be between"},
		"a flag with a unit":          {args: link + " --bandwidth 0Gbps", errs: "--bandwidth must be between"},
		"no number":                   {args: link + " --bandwidth-mbps fast", errs: `--bandwidth-mbps must be a number, got "fast"`},
		"another unit":                {args: link + " --bandwidth-mbps 4h", errs: `--bandwidth-mbps: "4h": unknown unit "h"`},
		"no unit":                     {args: link + " --bandwidth 1000", errs: `--bandwidth: must be a number with a unit, such as 1Gbps`},
		"an amount instead of a rate": {args: link + " --bandwidth 1MB", errs: `--bandwidth: "1MB" is an amount of data`},
		"twice": {
			args: link + " --bandwidth 1Gbps --bandwidth-mbps 1000",
			errs: "--bandwidth-mbps and --bandwidth set the same input; use only one of them",
		},
		"a required flag":   {args: link, errs: "--bandwidth-mbps is required"},
		"a required member": {args: link + " -", stdin: `{"rtt_ms":1}`, errs: "\x00bandwidth_mbps is required"},
		"a member":          {args: link + " --rtt-ms 5 -", stdin: `{"bandwidth_mbps":0}`, errs: "\x00bandwidth_mbps must be between"},
		"a flag beside a JSON object": {
			args: link + " --rtt-ms -5 -", stdin: `{"bandwidth_mbps":1}`, errs: "\x00--rtt-ms must be between",
		},
		"a member of a group": {
			args:  "estimate schedule --throughput-mbps 10 -",
			stdin: `{"groups":{"a":{"vm_count":0,"vm_size_gib":100,"daily_change_percent":50,"rpo_minutes":15}}}`,
			errs:  "\x00" + `groups["a"].vm_count must be between`,
		},
		"NaN": {
			args: "estimate schedule -", stdin: `{"throughput_mbps": 5, "groups": {"a": {"vm_count": NaN}}}`,
			errs: "\x00groups.a.vm_count must be a number, got NaN, which JSON does not have",
		},
		"infinity": {
			args: link + " -", stdin: `{"bandwidth_mbps": -Infinity}`, errs: "\x00bandwidth_mbps must be a number, got -Inf",
		},
		"infinity in a list": {
			args: "estimate schedule -", stdin: `{"hourly_throughput_mbps": [1, Infinity]}`,
			errs: "\x00hourly_throughput_mbps[1] must be a number, got Infinity",
		},
		"a list as the object": {
			args: link + " -", stdin: `[1]`, errs: "\x00standard input must be a JSON object, got a list",
		},
		"a list as groups": {
			args: "estimate schedule -", stdin: `{"groups": [], "throughput_mbps": 1}`,
			errs: "groups must be an object or a map, got a list",
		},
		"a key twice": {
			args: link + " -", stdin: `{"bandwidth_mbps": 1, "rtt_ms": 1, "bandwidth_mbps": 2}`,
			errs: "\x00bandwidth_mbps must be given once, got it twice",
		},
		"an end that is missing": {
			args: link + " -", stdin: `{"bandwidth_mbps": 1`, errs: "standard input must be a JSON object: unexpected EOF",
		},
		"a misspelt calculator with flags": {
			args: "estimate replicaton --vm-count 5", errs: "unknown calculator \"replicaton\"; did you mean `replication`?",
		},
		"a promise without windows": {
			args:  "estimate migration --max-windows 1 -",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8}},"throughput_mbps":1000}`,
			errs:  "--max-windows requires window_hours",
		},
		"an outage without minutes": {
			args: "estimate schedule --outage-start-hours 5 -",
			stdin: `{"throughput_mbps":10,"groups":` +
				`{"a":{"vm_count":1,"vm_size_gib":1,"daily_change_percent":1,"rpo_minutes":15}}}`,
			errs: "--outage-start-hours requires outage_minutes",
		},
		"another flag in the reason": {
			args: "estimate latency --users 5 --think-seconds 1 --rtt-before-ms 0 --rtt-after-ms 40 --throughput-before 4",
			errs: "--round-trips-per-operation is required unless --throughput-after is set",
		},
		"JSON that is missing": {
			args: "estimate migration --throughput 1Gbps",
			errs: "virtual_machines is required; give it in a JSON object on standard input, with - as argument",
		},
		"two problems":      {args: link + " --bandwidth-mbps 0 --efficiency-percent 500", errs: "\n--efficiency-percent must be"},
		"an unknown member": {args: link + " -", stdin: `{"bandwidth_mbps":1,"speed":2}`, errs: "speed is not a valid input"},
		"a list":            {args: link + " -", stdin: `[1]`, errs: "must be a JSON object"},
		"null":              {args: link + " -", stdin: `null`, errs: "must be a JSON object, got null"},
		"no JSON":           {args: link + " -", errs: "must be a JSON object, got nothing"},
		"two inputs":        {args: link + " - -", stdin: `{}`, errs: "can only be read once"},
		"a second JSON object": {
			args: link + " -", stdin: `{"bandwidth_mbps":1}{"bandwidth_mbps":2}`, errs: "must be a single JSON object",
		},
		"text after the JSON object": {
			args: link + " -", stdin: `{"bandwidth_mbps":1} x`, errs: "must be a single JSON object",
		},
		"a stray word": {args: link + " fast", errs: `unexpected argument "fast"`},
		"a boolean":    {args: "estimate schedule --start-in-sync maybe -", stdin: `{}`, errs: "--start-in-sync must be true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.code = cli.ExitUsage
			// A leading zero byte marks text that must appear at the start of a line.
			if start, ok := strings.CutPrefix(c.errs, "\x00"); ok {
				c.errs = start
				_, _, errs := run(t, c.stdin, strings.Fields(c.args)...)
				assert.True(t, strings.HasPrefix("\n"+errs, "\n"+start), "got %q, want it to begin with %q", errs, start)
			}
			c.check(t)
		})
	}
}

func TestInput_trailingSpace(t *testing.T) {
	t.Parallel()
	code, _, errs := run(t, "{\"bandwidth_mbps\":1}\n \n", "estimate", "link", "-")
	assert.EqualValues(t, cli.ExitOK, code, errs)
}

const published = "estimate replication --vm-count 15 --vm-size-gib 100 --daily-change-percent 5 --rpo-minutes 15"

// TestRun_table compares the table with a manual calculation. Sending 15 * 100 GiB at 901 Mbit/s takes 14,300.668 s,
// and sending 5% of that takes 715.033 s.
func TestRun_table(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "", strings.Fields(published+" --throughput-mbps=901")...)
	require.EqualValues(t, cli.ExitOK, code)
	assert.Equal(t, "", errs)
	for _, want := range []string{
		"15 VMs of 100 GiB are 1,500 GiB. At 901 Mbit/s, the initial sync takes 3h 58m 21s",
		"\n\n- Sending the changes of one cycle takes 11m 56s, longer than half the RPO (7m 30s)",
		"\ninitial_sync_seconds            14,300.668 (3h 58m 21s)\n", "\nmeets_rpo                       true\n",
		"\nongoing_sync_seconds            715.033 (11m 56s)\n", "\nreasons                         cycle_exceeds_half_rpo\n",
		"\ntotal_gib                       1,500\n", "verdict: at_risk\n15 VMs of",
	} {
		assert.Contains(t, out, want)
	}
}

func TestRun_tableOnTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := cli.Program{Out: &out, Columns: 60}
	require.EqualValues(t, cli.ExitOK, p.Run(t.Context(), strings.Fields(published+" --throughput-mbps=901")))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 60)
	}
	require.Contains(t, out.String(), "\n- Sending the changes")
	assert.Contains(t, out.String(), "\n  ")
}

func TestRun_exitCodes(t *testing.T) {
	t.Parallel()
	checkAll(t, map[string]command{
		"a miss": {args: published + " --throughput-mbps 440", code: cli.ExitMiss, out: "misses"},
		"unsupported": {
			args: "estimate vmotion --memory-gib 8 --throughput-mbps 100", code: cli.ExitMiss, out: "below_250_mbps",
		},
		"better together": {
			args: "estimate latency -", code: cli.ExitMiss, out: "move_together",
			stdin: `{"users":5,"think_seconds":0.02,"rtt_before_ms":0,"rtt_after_ms":40,` +
				`"throughput_before":65,"throughput_after":10}`,
		},
		"beyond limits": {
			args: "estimate limits -", code: cli.ExitMiss, out: "hosts",
			stdin: `{"product":"vcenter","version":"6.5","counts":{"hosts":2001}}`,
		},
		// 64 KiB is 524,288 bits. Sending that many bits every 0.1 s amounts to 5.24288 Mbit/s.
		"a link": {args: "estimate link --bandwidth-mbps 1000 --rtt-ms 100 --window-kib 64", out: "5.243"},
		"a plan": {
			args: "estimate migration -", out: "1 item, in full with --json",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8}},"throughput_mbps":1000}`,
		},
		// Sending 8,589.93 Gbit over NFC, which is limited to 1.3 Gbit/s, takes 6,607.64 s. This is more than an hour, and
		// a faster link would not help.
		"a cold move": {
			args: "estimate migration --deadline-hours 1 -", out: "6,607.642 (1h 50m 8s)", code: cli.ExitMiss,
			stdin: `{"virtual_machines":{"a":{"memory_gib":0,"disk_gib":1000,"method":"cold"}},"throughput_mbps":10000}`,
		},
		// Each VM has 8,000 GiB and takes 19 hours at 1,000 Mbit/s, so only two of the three VMs fit into a weekend of 48
		// hours.
		"weekends by flags": {
			args: "estimate migration --window-weekdays SAT,SUN --window-hours 24 --window-start-hour 0 --max-concurrent 1 -",
			out:  "The plan takes 2 windows of 48 hours.",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8000},"b":{"memory_gib":8000},"c":{"memory_gib":8000}},` +
				`"throughput_mbps":1000}`,
		},
		"weekends in JSON": {
			args: "estimate migration -", out: "The plan takes 2 windows of 48 hours.",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8000},"b":{"memory_gib":8000},"c":{"memory_gib":8000}},` +
				`"throughput_mbps":1000,"max_concurrent":1,` +
				`"window_weekdays":["SAT","SUN"],"window_hours":24,"window_start_hour":0}`,
		},
		"a flag over the JSON object": {
			args: "estimate schedule --throughput-mbps 10 -", code: cli.ExitMiss, out: "misses",
			stdin: `{"throughput_mbps":1000,"groups":{"a":` +
				`{"vm_count":9,"vm_size_gib":100,"daily_change_percent":50,"rpo_minutes":15}}}`,
		},
		"null is absent": {args: "estimate link -", stdin: `{"bandwidth_mbps":1000,"rtt_ms":null}`, out: "1,000"},
	})
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
	assert.True(t, code == cli.ExitOK && math.Abs(result.Initial-14300.7) <= 0.05 && result.Verdict == "at_risk" &&
		result.Meets && len(result.Reasons) == 1, "%d: %+v", code, result)
}
