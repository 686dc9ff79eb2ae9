package cli_test

import (
	"encoding/json"
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
		assert.Equal(t, test.want, got, "%s: %s is %v, want %v", test.args, test.field, got, test.want)
	}
}

func TestErrors_names(t *testing.T) {
	t.Parallel()
	const link = "estimate link"
	for name, c := range map[string]command{
		"a flag":             {args: link + " --bandwidth-mbps 0", errs: "--bandwidth-mbps must be between"},
		"a flag with a unit": {args: link + " --bandwidth 0Gbps", errs: "--bandwidth must be between"},
		"no number": {
			args: link + " --bandwidth-mbps fast",
			errs: `--bandwidth-mbps must be a number, got "fast"`,
		},
		"another unit": {
			args: link + " --bandwidth-mbps 4h",
			errs: `--bandwidth-mbps: "4h": unknown unit "h"`,
		},
		"no unit": {
			args: link + " --bandwidth 1000",
			errs: `--bandwidth: must be a number with a unit, such as 1Gbps`,
		},
		"an amount instead of a rate": {
			args: link + " --bandwidth 1MB",
			errs: `--bandwidth: "1MB" is an amount of data`,
		},
		"twice": {
			args: link + " --bandwidth 1Gbps --bandwidth-mbps 1000",
			errs: "--bandwidth-mbps and --bandwidth set the same input; use only one of them",
		},
		"a required flag":   {args: link, errs: "--bandwidth-mbps is required"},
		"a required member": {args: link + " -", stdin: `{"rtt_ms":1}`, errs: "\x00bandwidth_mbps is required"},
		"a member": {
			args:  link + " --rtt-ms 5 -",
			stdin: `{"bandwidth_mbps":0}`,
			errs:  "\x00bandwidth_mbps must be between",
		},
		"a flag beside a JSON object": {
			args:  link + " --rtt-ms -5 -",
			stdin: `{"bandwidth_mbps":1}`,
			errs:  "\x00--rtt-ms must be between",
		},
		"a member of a group": {
			args: "estimate plan --horizon-months 12 -",
			stdin: `{"links":{"l":{"throughput_mbps":10}},"tiers":{"a":{"vm_count":1,"vm_size_gib":9,` +
				`"rpo_minutes":0}}}`,
			errs: "\x00" + `tiers["a"].rpo_minutes must be between`,
		},
		"NaN": {
			args:  "estimate plan -",
			stdin: `{"tiers": {"a": {"vm_count": NaN}}}`,
			errs:  "\x00tiers.a.vm_count must be a number, got NaN, which JSON does not have",
		},
		"infinity": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps": -Infinity}`,
			errs:  "\x00bandwidth_mbps must be a number, got -Inf",
		},
		"infinity in a list": {
			args:  "estimate migration -",
			stdin: `{"hourly_throughput_mbps": [1, Infinity]}`,
			errs:  "\x00hourly_throughput_mbps[1] must be a number, got Infinity",
		},
		"a list as the object": {
			args:  link + " -",
			stdin: `[1]`,
			errs:  "\x00standard input must be a JSON object, got a list",
		},
		"a list as tiers": {
			args:  "estimate plan -",
			stdin: `{"tiers": [], "links": {"l": {"throughput_mbps": 1}}}`,
			errs:  "tiers must be an object or a map, got a list",
		},
		"a key twice": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps": 1, "rtt_ms": 1, "bandwidth_mbps": 2}`,
			errs:  "\x00bandwidth_mbps must be given once, got it twice",
		},
		"an end that is missing": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps": 1`,
			errs:  "standard input must be a JSON object: unexpected EOF",
		},
		"a misspelt calculator with flags": {
			args: "estimate replicaton --vm-count 5",
			errs: "unknown calculator \"replicaton\"; did you mean `replication`?",
		},
		"a promise without windows": {
			args:  "estimate migration --max-windows 1 -",
			stdin: `{"virtual_machines":{"a":{"memory_gib":8}},"throughput_mbps":1000}`,
			errs:  "--max-windows requires window_hours",
		},
		"another flag in the reason": {
			args: "estimate latency --users 5 --think-seconds 1 --rtt-before-ms 0 --rtt-after-ms 40 " +
				"--throughput-before 4",
			errs: "--round-trips-per-operation is required unless --throughput-after is set",
		},
		"JSON that is missing": {
			args: "estimate migration --throughput 1Gbps",
			errs: "virtual_machines is required; give it in a JSON object on standard input, with - as argument",
		},
		"two problems": {
			args: link + " --bandwidth-mbps 0 --efficiency-percent 500",
			errs: "\n--efficiency-percent must be",
		},
		"an unknown member": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps":1,"speed":2}`,
			errs:  "speed is not a valid input",
		},
		"a list":     {args: link + " -", stdin: `[1]`, errs: "must be a JSON object"},
		"null":       {args: link + " -", stdin: `null`, errs: "must be a JSON object, got null"},
		"no JSON":    {args: link + " -", errs: "must be a JSON object, got nothing"},
		"two inputs": {args: link + " - -", stdin: `{}`, errs: "can only be read once"},
		"a second JSON object": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps":1}{"bandwidth_mbps":2}`,
			errs:  "must be a single JSON object",
		},
		"text after the JSON object": {
			args:  link + " -",
			stdin: `{"bandwidth_mbps":1} x`,
			errs:  "must be a single JSON object",
		},
		"a stray word": {args: link + " fast", errs: `unexpected argument "fast"`},
		"a boolean": {
			args:  "estimate migration --online-sync-first maybe -",
			stdin: `{}`,
			errs:  "--online-sync-first must be true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.code = cli.ExitUsage
			// A leading zero byte marks text that must appear at the start of a line.
			if start, ok := strings.CutPrefix(c.errs, "\x00"); ok {
				c.errs = start
				_, _, errs := run(t, c.stdin, strings.Fields(c.args)...)
				assert.True(t, strings.HasPrefix("\n"+errs, "\n"+start), "got %q, want it to begin with %q", errs,
					start)
			}
			c.check(t)
		})
	}
}

func TestInput_trailingSpace(t *testing.T) {
	t.Parallel()
	code, _, errs := run(t, "{\"bandwidth_mbps\":1}\n \n", "estimate", "link", "-")
	assert.Equal(t, cli.ExitOK, code, errs)
}
