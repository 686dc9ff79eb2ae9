package cli_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

// TestFileReview_compare: 20 VMs of 100 GiB change by 5 % a day, 100 GiB, which are 100 * 8.59 Gbit / 86,400 s = 9.94
// Mbit/s: 1,000 Mbit/s carry them, 5 do not.
func TestFileReview_compare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inventory, tiers, slow := filepath.Join(dir, "vms.csv"), filepath.Join(dir, "t.yaml"), filepath.Join(dir, "old.yaml")
	ranges := filepath.Join(dir, "ranges.yaml")
	fast := "throughput_mbps: 1 Gbit/s\n" +
		"tiers: [{name: gold, match: {}, rpo_minutes: 60, daily_change_percent: 5}]\n"
	for name, text := range map[string]string{
		inventory: estateOf(100, map[string]int{"gold": 20}), tiers: fast,
		slow:   strings.Replace(fast, "1 Gbit/s", "5", 1),
		ranges: strings.Replace(fast, "1 Gbit/s", "{low: 5 Mbit/s, likely: 1 Gbit/s, high: 1 Gbit/s}", 1),
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, test := range map[string]struct {
		args      string
		code      int
		out, errs string
	}{
		"an earlier tiers file": {
			"--tiers " + tiers + " --baseline-tiers " + slow + " --fail-on worse", cli.ExitOK,
			"Compared with old.yaml: 1 promise now holds (gold).", "1 promise now holds",
		},
		"a worse one": {
			"--tiers " + slow + " --baseline-tiers " + tiers + " --fail-on worse", cli.ExitMiss,
			"Compared with t.yaml: 1 promise no longer holds (gold)", "1 promise no longer holds",
		},
		"one number": {
			"--tiers " + tiers + " --baseline " + inventory + " --set throughput_mbps=5 --fail-on worse", cli.ExitMiss,
			"The command line replaces values of the tiers file: throughput\\_mbps=5.", "1 promise no longer holds",
		},
		"the number of all": {
			"--tiers " + tiers + " --set throughput_mbps=5 --fail-on misses", cli.ExitMiss,
			"Mbit/s on link (now 5 Mbit/s)", "0 of 1 promise holds. Gold does not: 20 of 20 VMs are late",
		},
		"a comment": {
			"--tiers " + tiers + " --baseline-tiers " + slow + " --comment -", cli.ExitOK, "## ✓ 1 promise now holds", "hold",
		},
		"ranges": {
			"--tiers " + ranges + " --fail-on at_risk", cli.ExitMiss, "At the worse end", "0 of 1 promise holds. Gold is at risk",
		},
		"no key": {"--tiers " + tiers + " --set thruput=5", cli.ExitError, "", "thruput is not a key here"},
		"no tier": {
			"--tiers " + tiers + " --set golf.rpo_minutes=5", cli.ExitError, "",
			`golf is neither a tier nor a mapping to set golf.rpo_minutes; there are "gold", `,
		},
		"no value": {"--tiers " + tiers + " --set gold", cli.ExitError, "", "must be set as KEY=VALUE"},
		"no mapping": {
			"--tiers " + tiers + " --set throughput_mbps.x=5", cli.ExitError, "", "throughput_mbps must be a mapping",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"review", "--inventory", inventory}, strings.Fields(test.args)...)
			code, out, errs := run(t, "", args...)
			assert.True(t, code == test.code && strings.Contains(out, test.out) && strings.Contains(errs, test.errs),
				"exits with %d, want %d; prints %q\nwant %q; and\n%s\nwant %q", code, test.code, errs, test.errs, out, test.out)
		})
	}
}

// estateOf is an inventory of VMs of a size, by tier.
func estateOf(gib int, counts map[string]int) string {
	var b strings.Builder
	b.WriteString("VM,Powerstate,Template,Memory,In Use MiB,Cluster,VM ID,Tier\n")
	n := 0
	for _, tier := range slices.Sorted(maps.Keys(counts)) {
		for range counts[tier] {
			n++
			fmt.Fprintf(&b, "%s-%d,poweredOn,False,8192,%d,Prod,vm-%d,%s\n", tier, n, gib*1024, n, tier)
		}
	}
	return b.String()
}
