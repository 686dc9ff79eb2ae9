package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/browser"
)

func inspect(t *testing.T, page string) {
	t.Helper()
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		browser.Wanted(t)
		for _, problem := range defects(t, page) {
			t.Error(problem)
		}
	})
}

// defects returns labels that overlap or are too small, widths at which the page is too wide, requests that leave the
// page, messages on the console, and what axe-core finds.
func defects(t *testing.T, page string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
	p := browser.New(t)
	p.Open("file://" + name)
	p.Wait(`document.readyState === "complete" && document.body.children.length > 0`)
	var all []string
	for _, width := range []int{320, 390, 600, 768, 1024, 1280, 1920} {
		p.View(width, "light")
		all = append(all, p.Layout()...)
	}
	for _, request := range p.Requests() {
		if request != "file://"+name {
			all = append(all, "it asked for "+request)
		}
	}
	all = append(all, p.Console()...)
	return append(all, p.Axe()...)
}

// TestInspect_finds checks that the defects of a page that has all of them are found.
func TestInspect_finds(t *testing.T) {
	t.Parallel()
	browser.Wanted(t)
	page := `<!DOCTYPE html><html><body><div style="width:500px">wide</div><img src="/picture">
<script>nothing.there()</script><p style="color:#ddd;background:#fff">pale</p>
<svg viewBox="0 0 100 100" width="100" height="100"><text x="5" y="50">first</text><text x="8" y="52">second</text><text x="90" y="20" font-size="5">leaving</text></svg></body></html>`
	problems := strings.Join(defects(t, page), "\n")
	for _, want := range []string{
		"px too wide", "second overlaps first", "leaving leaves its drawing", "it asked for file:///picture",
		"nothing is not defined", "html-has-lang", "color-contrast",
	} {
		assert.Contains(t, problems, want)
	}
}

// inventoryText has VMs of two tiers and of none, and rows that are no VM; tiersText promises what the link does not
// keep for one of them, and what it keeps for the other.
const (
	inventoryText = "VM,Powerstate,Template,In Use MiB,Cluster,VM ID,Tier\n" +
		"db-1,poweredOn,False,409600,C0,vm-1,gold\ndb-2,poweredOn,False,819200,C0,vm-2,gold\n" +
		"web-1,poweredOn,False,102400,C1,vm-3,silver\nold-1,poweredOff,False,51200,C1,vm-4,\n" +
		"template-1,poweredOff,True,10240,C1,vm-5,\nweb-1,poweredOn,False,102400,C1,vm-3,silver\n"
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
	require.EqualValues(t, cli.ExitOK, program.Run(t.Context(), args), "%v, %v", args, errs.String())
	return out.String()
}

func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// TestInspect_pages checks the pages that no scenario has: the review of an inventory file, 500 results, and a
// difference.
func TestInspect_pages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		page, says string
	}{
		"an inventory file": {
			written(t, nil, "review", "--format", "html", "--inventory", file(t, "vms.csv", []byte(inventoryText)), "--tiers",
				file(t, "tiers.yaml", []byte(tiersText))),
			">template<",
		},
		"500 results": {html(t, build(t, many(t))), "tier site-499"},
		"a difference": {
			written(t, many(t), "report", "-", "--format", "html", "--baseline",
				file(t, "baseline.json", state(t, data("vsla_replication_estimate", `tier["site-000"]`, estimated(t, 901))))),
			"site-000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, test.page, test.says)
			sound(t, test.page)
			inspect(t, test.page)
		})
	}
}
