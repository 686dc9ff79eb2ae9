package cli_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

// TestFileReview_compare verifies how two tiers files are compared. 5% of 20 VMs of 100 GiB changes per day, so 100 GiB
// must be sent per day, which requires 9.94 Mbit/s. A 1,000 Mbit/s link is sufficient, but a 5 Mbit/s link is not.
func TestFileReview_compare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inventory := filepath.Join(dir, "vms.csv")
	tiers := filepath.Join(dir, "t.yaml")
	slow := filepath.Join(dir, "old.yaml")
	ranges := filepath.Join(dir, "ranges.yaml")
	tworows := "tiers:\n  - {name: gold, match: {name: %q}, rpo_minutes: 15}\n" +
		"  - {name: bronze, match: {}, rpo_minutes: 240}\n"
	two, fewer := filepath.Join(dir, "two.yaml"), filepath.Join(dir, "fewer.csv")
	moved, excluded := filepath.Join(dir, "moved.yaml"), filepath.Join(dir, "excluded.yaml")
	const head = "throughput_mbps: 1000\ndefaults: {daily_change_percent: 5}\n"
	fast := "throughput_mbps: 1 Gbit/s\n" +
		"tiers: [{name: gold, match: {}, rpo_minutes: 60, daily_change_percent: 5}]\n"
	for name, text := range map[string]string{
		inventory: estateOf(100, map[string]int{"gold": 20}),
		tiers:     fast,
		slow:      strings.Replace(fast, "1 Gbit/s", "5", 1),
		ranges:    strings.Replace(fast, "1 Gbit/s", "{low: 5 Mbit/s, likely: 1 Gbit/s, high: 1 Gbit/s}", 1),
		// Each of the 20 VMs is in gold or in bronze. In fewer, gold-3 has another name and gold-20 is deleted.
		two:      head + fmt.Sprintf(tworows, "-[1-3]$"),
		moved:    head + fmt.Sprintf(tworows, "-[12]$"),
		excluded: head + fmt.Sprintf(tworows, "-[1-3]$") + "exclude: [{name: \"-3$\"}]\n",
		fewer:    strings.Replace(estateOf(100, map[string]int{"gold": 19}), "gold-3,", "rose-3,", 1),
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, test := range map[string]struct {
		in, args  string
		code      int
		out, errs string
	}{
		"an earlier tiers file": {
			"", "--tiers " + tiers + " --baseline-tiers " + slow + " --fail-on worse", cli.ExitOK,
			"Compared with old.yaml: 1 promise now holds (gold).", "1 promise now holds",
		},
		"a worse one": {
			"", "--tiers " + slow + " --baseline-tiers " + tiers + " --fail-on worse", cli.ExitMiss,
			"Compared with t.yaml: 1 promise no longer holds (gold)", "1 promise no longer holds",
		},
		"one number": {
			"", "--tiers " + tiers + " --baseline " + inventory + " --set throughput_mbps=5 --fail-on worse",
			cli.ExitMiss,
			"The command line replaces values of the tiers file: throughput\\_mbps=5.", "1 promise no longer holds",
		},
		"the number of all": {
			"", "--tiers " + tiers + " --set throughput_mbps=5 --fail-on misses", cli.ExitMiss,
			"Mbit/s on the link (now 5)", "0 of 1 promise holds. Gold does not hold.",
		},
		"a longer RPO for one VM": {
			"", "--tiers " + moved + " --baseline-tiers " + two + " --fail-on worse", cli.ExitMiss,
			"RPO of gold-3 15 min → 4 h", "1 promise is weakened (gold)",
		},
		"an excluded VM": {
			"", "--tiers " + excluded + " --baseline-tiers " + two + " --fail-on worse", cli.ExitMiss,
			"VMs gold-3 → no longer checked", "weakened",
		},
		"a deleted VM": {
			fewer, "--tiers " + two + " --baseline " + inventory + " --fail-on worse", cli.ExitOK,
			"removed gold-20", "No verdict changes: 2 promises hold.",
		},
		"fewer VMs of a tier": {
			fewer, "--tiers " + two + " --baseline " + inventory + " --fail-on worse", cli.ExitOK,
			"| 17 → 16 |", "No verdict changes: 2 promises hold.",
		},
		"a faster link": {
			"", "--tiers " + tiers + " --baseline " + inventory + " --set throughput_mbps=2000 --fail-on worse",
			cli.ExitOK,
			"throughput 1,000 Mbit/s → 2,000 Mbit/s", "No verdict changes: 1 promise holds.",
		},
		"a renamed VM": {
			fewer, "--tiers " + moved + " --baseline " + inventory + " --baseline-tiers " + two +
				" --fail-on worse", cli.ExitMiss, "RPO of gold-3 15 min → 4 h", "1 promise is weakened (gold)",
		},
		"a comment": {
			"", "--tiers " + tiers + " --baseline-tiers " + slow + " --comment -",
			cli.ExitOK,
			"## ✓ 1 promise now holds",
			"hold",
		},
		"ranges": {
			"", "--tiers " + ranges + " --fail-on at_risk",
			cli.ExitMiss,
			"At the worse end",
			"0 of 1 promise holds. Gold is at risk",
		},
		"no key": {"", "--tiers " + tiers + " --set thruput=5", cli.ExitError, "", "thruput is not a valid key here"},
		"no tier": {
			"", "--tiers " + tiers + " --set golf.rpo_minutes=5", cli.ExitError, "",
			`golf is neither a tier nor a section to set golf.rpo_minutes; valid names are "gold", `,
		},
		"no value": {"", "--tiers " + tiers + " --set gold", cli.ExitError, "", "must be set as KEY=VALUE"},
		"no mapping": {
			"", "--tiers " + tiers + " --set throughput_mbps.x=5", cli.ExitError, "",
			"throughput_mbps must be a mapping",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"review", cmp.Or(test.in, inventory)}, strings.Fields(test.args)...)
			code, out, errs := run(t, "", args...)
			assert.Equal(t, test.code, code)
			assert.Contains(t, out, test.out)
			assert.Contains(t, errs, test.errs)
		})
	}
}
