package cli_test

import (
	"bytes"
	"encoding/json"
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

const estateText = "VM,Powerstate,Template,Memory,In Use MiB,Cluster,VM ID,Tier\n" +
	"db-1,poweredOn,False,8192,1024,C0,vm-1,gold\n" +
	"web-1,poweredOn,False,8192,3072,\x1b[2JC1,vm-2,\n" +
	"tpl,poweredOff,True,1,1,C1,vm-3,\n"

const tiersText = `throughput_mbps: 1000
defaults: {daily_change_percent: 5}
tiers:
  - {name: gold, match: {column: {tier: gold}}, rpo_minutes: 15}
  - {name: rest, match: {}, rpo_minutes: 60}
`

func estateFiles(t *testing.T, tiers string) (inventory, tiersFile string) {
	t.Helper()
	dir := t.TempDir()
	inventory, tiersFile = filepath.Join(dir, "vms.csv"), filepath.Join(dir, "tiers.yaml")
	for name, text := range map[string]string{inventory: estateText, tiersFile: tiers} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return inventory, tiersFile
}

// TestReview_weekends verifies that two VMs are moved on different weekends if they do not fit into the same one. A
// weekend has 48 hours. At 0.6 Mbit/s, the VM with 9 GiB takes 35.8 hours, and the VM with 11 GiB takes 43.7 hours.
func TestReview_weekends(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, tiersText+`migration:
  throughput_mbps: 0.6
  window_weekdays: [SAT, SUN]
  window_start_hour: 0
  window_hours: 24
  window_reserve_percent: 0
`)
	code, out, errs := run(t, "", "review", inventory, "--tiers", tiers, "--format", "md")
	for _, want := range []string{"| SAT of week 1, 00:00 | 1 |", "| SAT of week 2, 00:00 | 1 |"} {
		assert.Contains(t, out, want, "%v, %v", code, errs)
	}
}

// TestReview_sources verifies that a review with a migration states what was computed apart from what was promised, and
// where its inputs come from. Both promises miss for the same reason, so the second row refers to the first.
func TestReview_sources(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, strings.Replace(tiersText, "throughput_mbps: 1000", "throughput_mbps: 1", 1)+
		"migration: {share_percent: 50, window_hours: 8, window_start_hour: 22, max_windows: 400}\n")
	code, out, errs := run(t, "", "review", inventory, "--tiers", tiers, "--format", "md")
	require.Zero(t, code, errs)
	for _, want := range []string{
		"| Result | Promised | Does it hold? | Outcome |",
		"| in 400 windows | ",
		" | as for gold |",
		"assumed: resume 200ms",
		"Resume 200ms, ",
		" | the migration of the tiers file |",
	} {
		assert.Contains(t, out, want)
	}
}

// TestReview_unchanged verifies that a link whose VMs do not change needs nothing.
func TestReview_unchanged(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, tiersText)
	_, out, _ := run(t, "", "review", inventory, "--tiers", tiers, "--set", "defaults.daily_change_percent=0")
	assert.Contains(t, out, "It needs nothing.")
	assert.NotContains(t, out, "Share of time late")
}

// TestReview_waves verifies the list of moves at 3 Mbit/s, which is 0.3% of 1,000 Mbit/s.
//
// web-1 has 3 GiB, of which 5% changes per day. This is 107.4 Mbit in the two hours between syncs. Sending these
// changes while web-1 is down takes 71.6 s, because the copy of db-1 uses half of the throughput at the same time. The
// switchover takes another 10 minutes.
//
// db-1, a gold VM of 1 GiB, is powered off while it is copied. At the full throughput, the copy takes 2,863.3 s.
// Sharing the link with web-1 for 71.6 s delays it by 35.8 s.
func TestReview_waves(t *testing.T) {
	t.Parallel()
	tiers := strings.NewReplacer(
		"rpo_minutes: 15", "rpo_minutes: 15, method: cold, transport: udt, max_downtime_minutes: 60",
		"rpo_minutes: 60", "rpo_minutes: 60, method: replication, switchover_minutes: 10",
	).Replace(tiersText) + "migration: {share_percent: 0.3, max_concurrent: 1, setup_seconds: 0, first_day: " +
		"2026-12-05}\n"
	inventory, file := estateFiles(t, tiers)
	list := filepath.Join(t.TempDir(), "waves.csv")
	code, out, errs := run(t, "", "review", inventory, "--tiers", file, "--waves", list)
	text, err := os.ReadFile(list)
	require.NoError(t, err, "%v, %v", code, errs)
	for _, want := range []string{",web-1,replication,671.59,", ",db-1,cold,2899.11,"} {
		assert.Contains(t, string(text), want)
	}
	assert.Contains(t, out, "| all moves |")
	for change, want := range map[string]string{
		"gold.method=teleport":           "method must be one of vmotion, cold, replication",
		"gold.max_downtime_minutes=soon": "max_downtime_minutes must be a number",
		"migration.share_percent=0":      "share_percent must be greater than 0",
	} {
		code, _, errs := run(t, "", "review", inventory, "--tiers", file, "--set", change)
		require.Equal(t, cli.ExitError, code, change)
		assert.Contains(t, errs, want, change)
	}
	// --waves fails if there is no migration plan.
	inventory, file = estateFiles(t, tiersText)
	code, _, errs = run(t, "", "review", inventory, "--tiers", file, "--waves", list)
	require.Equal(t, cli.ExitError, code)
	assert.Contains(t, errs, "there is no migration plan")
}

func TestInventory(t *testing.T) {
	t.Parallel()
	inventory, _ := estateFiles(t, tiersText)
	code, out, errs := run(t, "", "review", inventory, "--summary")
	for _, want := range []string{
		"2 VMs with 4 GiB in use", "memory  16 GiB", "C0       1    1 GiB", "\ufffd[2JC1   1    3 GiB", "template  1",
	} {
		require.Equal(t, 0, code, errs)
		assert.Contains(t, out, want, errs)
	}
	assert.NotContains(t, out, "\x1b")
	code, out, errs = run(t, "", "review", inventory, "--summary", "--format", "json")
	var values struct {
		Count float64 `json:"vm_count"`
		VMs   map[string]struct {
			Name string  `json:"name"`
			Used float64 `json:"used_gib"`
		} `json:"virtual_machines"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &values), "%v, %v", errs, out)
	require.Equal(t, 0, code, "%v, %v", errs, out)
	assert.InDelta(t, 2, values.Count, 0)
	assert.Equal(t, "db-1", values.VMs["vm-1"].Name)
	assert.InDelta(t, 1, values.VMs["vm-1"].Used, 0)
	columns := []string{"--column", "name=VM", "--column", "used_mib=In Use MiB"}
	code, out, _ = run(t, "", append([]string{"review", inventory, "--summary"}, columns...)...)
	require.Equal(t, 0, code)
	assert.Contains(t, out, "GiB in use (csv)")
}

func TestFileReview_usage(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, tiersText)
	_, bad := estateFiles(t, strings.Replace(tiersText, "rpo_minutes: 15", "rpo_minutes: 0", 1))
	both := []string{"review", inventory, "--tiers", tiers}
	other := fileOf(t, "other.txt", tiersText)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no file": {[]string{"review"}, cli.ExitUsage, "review requires an input"},
		"no field": {
			[]string{"review", "x", "--column", "size=y"},
			cli.ExitUsage,
			"--column must name a field",
		},
		"no header": {
			[]string{"review", "x", "--column", "name"},
			cli.ExitUsage,
			"--column must be FIELD=HEADER",
		},
		"missing": {[]string{"review", "none.csv"}, cli.ExitError, "none.csv"},
		"a folder": {
			[]string{"review", "testdata", "--tiers", tiers},
			cli.ExitError,
			"testdata: the folder contains no CSV files",
		},
		"no inventory": {
			[]string{"review", other, "--tiers", tiers},
			cli.ExitError,
			"other.txt: the file is no export of RVTools or Live Optics",
		},
		"without tiers": {
			[]string{"review", inventory, "--tiers", "none.yaml"},
			cli.ExitError,
			"use --init to create one",
		},
		"wrong tiers": {
			[]string{"review", inventory, "--tiers", bad},
			cli.ExitError,
			"tiers.yaml:4: tiers[0].rpo_minutes must be",
		},
		"two kinds of output": {
			append(both, "--interactive", "--fail-on", "misses"), cli.ExitUsage, "with --interactive",
		},
		"a summary":      {append(both, "--summary"), cli.ExitUsage, "--tiers cannot be combined with --summary"},
		"another ending": {append(both, "-o", "x.pdf"), cli.ExitUsage, "--output must end in"},
		"another level":  {append(both, "--fail-on", "bad"), cli.ExitUsage, "--fail-on must be"},
		"init elsewhere": {append(both, "--init", "-o", "x.yaml"), cli.ExitUsage, "--output cannot be combined"},
		"init in a format": {
			append(both, "--init", "--format", "json"), cli.ExitUsage, "--format cannot be combined",
		},
		"tiers as baseline": {
			append(both, "--baseline", tiers), cli.ExitUsage, "use --baseline-tiers to compare with it",
		},
		"a stream": {
			[]string{"review", "-"}, cli.ExitError, "an inventory cannot be read from standard input",
		},
	} {
		code, _, errs := run(t, "PK\x03\x04", c.args...)
		require.Equal(t, c.code, code, name)
		assert.Contains(t, errs, c.says, name)
	}
	assert.NoFileExists(t, "none.yaml")
}

func TestFileReview(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, tiersText)
	code, out, errs := run(t, "", "review", inventory, "--tiers", tiers)
	for _, want := range []string{
		"**All 2 promises hold, if configured as suggested.**", "From the inventory file ",
		"| gold | 15 min | 1 | ✓ holds |",
		"| rest | 60 min | 1 | ✓ holds |", "## Links", "| Total used | 4 GiB |",
	} {
		require.Equal(t, 0, code, errs)
		assert.Contains(t, out, want, errs)
	}
	slow := strings.Replace(tiersText, "throughput_mbps: 1000", "throughput_mbps: 0.001", 1)
	inventory, tiers = estateFiles(t, slow)
	page := filepath.Join(t.TempDir(), "review.html")
	code, _, errs = run(t, "", "review", inventory, "--tiers", tiers, "-o", page, "--fail-on", "misses")
	text, err := os.ReadFile(page)
	assert.Equal(t, cli.ExitMiss, code)
	require.NoError(t, err)
	assert.Contains(t, errs, "0 of 2 promises hold.")
	assert.True(t, bytes.HasPrefix(text, []byte("<!DOCTYPE html>")), "code %d, %s, %v, %.100s", code, errs, err, text)
	assert.True(t, bytes.Contains(text, []byte("From the inventory file ")), "code %d, %s, %v, %.100s", code, errs,
		err, text)
}

func TestFileReview_init(t *testing.T) {
	t.Parallel()
	inventory, _ := estateFiles(t, tiersText)
	tiers := filepath.Join(t.TempDir(), "new.yaml")
	args := []string{"review", inventory, "--tiers", tiers}
	code, out, errs := run(t, "", append(args, "--init")...)
	require.Zero(t, code)
	require.Empty(t, out)
	require.Contains(t, errs, "new.yaml was created")
	before, err := os.ReadFile(tiers)
	require.NoError(t, err)
	code, _, errs = run(t, "", append(args, "--init")...)
	require.Equal(t, cli.ExitError, code)
	assert.Contains(t, errs, "does not overwrite")
	after, err := os.ReadFile(tiers)
	require.NoError(t, err)
	assert.Equal(t, after, before)
	code, out, errs = run(t, "", args...)
	require.Equal(t, 0, code, errs)
	assert.Contains(t, out, "| C0 | 60 min | 1 | ! at risk |", errs)
}

// TestFileReview_untouched verifies the first answer of a file without change rates, with the values that --init fills
// in. 100 + 100 + 8,192 GiB that change by 5% per day, 3 times as fast at the peak, change by 125.15 Mbit/s. The worse
// end of a nominal 1,000 Mbit/s is 1,000 * 0.7 / 1.87 = 374.3 Mbit/s, so 240 / (1 + 125.15 / 374.3) = 179.9 minutes can
// be configured, and the promise holds up to 5% * 0.9 * 374.3 / 125.15 = 13.46% a day. The tier gold has no VMs.
func TestFileReview_untouched(t *testing.T) {
	t.Parallel()
	inventory := filepath.Join(t.TempDir(), "vms.csv")
	tiers := filepath.Join(t.TempDir(), "t.yaml")
	rows := "VM,In Use MiB,VM ID\na,102400,vm-1\nb,102400,vm-2\nc,8388608,vm-3\n"
	require.NoError(t, os.WriteFile(inventory, []byte(rows), 0o600))
	args := []string{"review", inventory, "--tiers", tiers}
	code, _, errs := run(t, "", append(args, "--init")...)
	require.Equal(t, cli.ExitOK, code, errs)
	_, out, errs := run(t, "", args...)
	assert.Contains(t, out, "\n**0 of 1 promise holds. Estate is at risk", errs)
	assert.Contains(t, out, "it holds up to 13.4% a day, then with 2 hours configured; it holds up to 8 times the "+
		"daily mean in the busiest time, then with 2 hours configured.")
	assert.Contains(t, out, "(inputs\\_assumed)")
	assert.Contains(t, out, "| Suggested RPO | 150 min |")
}

// TestFileReview_size verifies that the page for 800 VMs has neither a row for each of them nor addresses of Terraform.
func TestFileReview_size(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inventory := filepath.Join(dir, "vms.csv")
	tiers := filepath.Join(dir, "t.yaml")
	page := filepath.Join(dir, "r.html")
	var vms strings.Builder
	vms.WriteString("VM,Powerstate,Template,Memory,In Use MiB,Cluster,VM ID,Host,Tier\n")
	for i := range 800 {
		fmt.Fprintf(&vms, "app-%04d,poweredOn,False,%d,%d,C%d,vm-%d,esx-%d,%s\n",
			i, 8192*(1+i%4), 20000+137*(i%997), i%4, i, i%64, []string{"gold", "silver", "silver", "bronze"}[i%4])
	}
	const text = `link: {bandwidth_mbps: 10000, efficiency_percent: 70, rtt_ms: 10, streams: 32}
targets: {dr: {free_gib: 900000}}
growth_percent_per_year: 20
defaults: {peak_factor: 4, daily_change_percent: 2}
tiers:
  - {name: gold, match: {column: {tier: gold}}, rpo_minutes: 15, target: dr}
  - {name: silver, match: {column: {tier: silver}}, rpo_minutes: 60}
  - {name: bronze, match: {}, rpo_minutes: 240}
migration: {window_hours: 8, window_start_hour: 22}
`
	for name, content := range map[string]string{inventory: vms.String(), tiers: text} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	code, _, errs := run(t, "", "review", inventory, "--tiers", tiers, "-o", page, "--title", "Move to B")
	html, err := os.ReadFile(page)
	require.Equal(t, cli.ExitOK, code, errs)
	require.NoError(t, err, errs)
	assert.Less(t, len(html), 60_000)
	for _, never := range []string{"data.vsla", "vsla_", "module."} {
		assert.False(t, bytes.Contains(html, []byte(never)), "%q is on the page", never)
	}
	for _, want := range []string{"<h1>Move to B</h1>", "800 VMs moved in ", "day 2, 22:00", "the tiers file"} {
		assert.True(t, bytes.Contains(html, []byte(want)), "%q is not on the page", want)
	}
}

// estateOf returns an inventory with the given number of VMs in each tier. Each VM uses gib GiB.
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
