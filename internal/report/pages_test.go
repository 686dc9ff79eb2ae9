package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/browser"
)

// inventoryText contains VMs in two tiers, VMs without a tier, and rows that are not VMs. The link in tiersText is fast
// enough for only one of the two promises.
const (
	inventoryText = `VM,Powerstate,Template,In Use MiB,Cluster,VM ID,Tier
db-1,poweredOn,False,409600,C0,vm-1,gold
db-2,poweredOn,False,819200,C0,vm-2,gold
web-1,poweredOn,False,102400,C1,vm-3,silver
old-1,poweredOff,False,51200,C1,vm-4,
template-1,poweredOff,True,10240,C1,vm-5,
web-1,poweredOn,False,102400,C1,vm-3,silver
`
	tiersText = `throughput_mbps: 100
growth_percent_per_year: 30
defaults: {daily_change_percent: 5}
tiers:
  - {name: gold, match: {column: {tier: gold}}, rpo_minutes: 5, daily_change_percent: 40}
  - {name: silver, match: {column: {tier: silver}}, rpo_minutes: 240}
`
)

func written(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	program := cli.Program{In: bytes.NewReader(stdin), Out: &out, Err: &errs}
	require.Equal(t, cli.ExitOK, program.Run(t.Context(), args), "%v, %v", args, errs.String())
	return out.String()
}

func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestInspect_pages(t *testing.T) {
	t.Parallel()
	inventory := file(t, "vms.csv", []byte(inventoryText))
	tiers := file(t, "tiers.yaml", []byte(tiersText))
	results := many(t)
	all := build(t, results)
	estimate := data("vsla_replication_estimate", `tier["site-000"]`, estimated(t, 901))
	baseline := file(t, "baseline.json", state(t, estimate))
	for name, test := range map[string]struct {
		page, says string
	}{
		"an inventory file": {written(t, nil, "review", "--format", "html", inventory, "--tiers", tiers), "Total used"},
		"500 results":       {html(t, all), "tier site-499"},
		"a difference": {
			written(t, results, "review", "-", "--format", "html", "--baseline", baseline),
			"site-000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, test.page, test.says)
			checkPage(t, test.page)
			inspect(t, test.page)
		})
	}
}

const (
	// brokenCells finds the table cells whose text continues on a second line although it has neither a space nor a
	// hyphen.
	brokenCells = `[...document.querySelectorAll(".many :is(td,th)")].filter(c => {
		const range = document.createRange();
		range.selectNodeContents(c);
		const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top / 4)));
		return !/[ -]/.test(c.textContent) && lines.size > 1;
	}).map(c => c.textContent)`
	// bareHeadings finds the visible headings beside which nothing is visible except an introduction or an address.
	bareHeadings = `[...document.querySelectorAll("h2,h3")].filter(h => h.offsetHeight > 0 &&
		![...h.parentElement.children].some(c => c !== h && c.offsetHeight > 0 && !c.matches(".intro,.address"))).map(
		h => h.textContent)`
)

// TestWriteHTML_paper prints a review of three tiers that do not hold, with a chart for each. A tier has 100 VMs, which
// use 100, 200, ... 1,600 GiB in rotation.
func TestWriteHTML_paper(t *testing.T) {
	t.Parallel()
	var vms, tiers strings.Builder
	vms.WriteString("VM,Powerstate,In Use MiB,VM ID,Tier\n")
	tiers.WriteString("throughput_mbps: 100\ndefaults: {daily_change_percent: 5, peak_factor: 3}\ntiers:\n")
	for i, tier := range []struct {
		name string
		rpo  int
	}{
		{"gold", 15},
		{"silver", 60},
		{"bronze", 240},
	} {
		fmt.Fprintf(&tiers, "  - {name: %[1]s, match: {column: {tier: %[1]s}}, rpo_minutes: %d}\n", tier.name, tier.rpo)
		for n := range 100 {
			mib := 102_400 * (1 + n%16)
			fmt.Fprintf(&vms, "%[1]s-%03[2]d,poweredOn,%[3]d,vm-%[4]d,%[1]s\n", tier.name, n, mib, 1000*i+n)
		}
	}
	inventory := file(t, "vms.csv", []byte(vms.String()))
	page := written(t, nil, "review", "--format", "html", inventory, "--tiers",
		file(t, "tiers.yaml", []byte(tiers.String())))
	p := browser.New(t)
	p.Open("file://" + file(t, "page.html", []byte(page)))
	p.Wait(`document.readyState === "complete" && document.body.children.length > 0`)
	p.Print()
	var broken, bare []string
	var bars, listed int
	p.Eval(brokenCells, &broken)
	p.Eval(bareHeadings, &bare)
	p.Eval(`document.querySelectorAll("[id$=promises-gold] .wide .bar").length`, &bars)
	p.Eval(`document.querySelector("[id$=promises-gold] figure .note").textContent.split(", ").length`, &listed)
	// The chart is of the 16 worst VMs, all of which are beyond the scale: 3 have bars, and the note names the others.
	assert.Equal(t, 3, bars)
	assert.Equal(t, 16-3, listed)
	assert.Empty(t, broken, "words and numbers in parts")
	assert.Empty(t, bare, "headings of nothing")
	assert.LessOrEqual(t, p.Pages(), 4) // at most 4 pages for three tiers
}
