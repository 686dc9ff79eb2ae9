package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/whatif"
)

const fromAFile = "../../examples/from-a-file/"

// TestWhatIf_tiersFile checks that a tiers file that a page wrote has the answers of the page, and its comments.
func TestWhatIf_tiersFile(t *testing.T) {
	t.Parallel()
	short, err := os.ReadFile(fromAFile + "tiers.yaml")
	require.NoError(t, err)
	short = bytes.Replace(short, []byte("daily_change_percent: 3"),
		[]byte("daily_change_percent: { low: 2, likely: 3, high: 5 } # measured"), 1)
	short = append(short, "schedule: {days: 4, runs: 1}\nhorizon_months: 2\n"...)
	several := []byte(`
days: 4
runs: 1
links:
  metro: {throughput_mbps: 400, ranges: {throughput_mbps: {low: 300, high: 500}}}
  branch: {network: {bandwidth_mbps: 100, rtt_ms: 10}}
targets: {dr: {free_gib: 9000}}
defaults: {link: metro, target: dr, daily_change_percent: 4}
tiers: # the owners' wish
  - {name: gold, match: {column: {Tier: ^gold$}}, rpo_minutes: 60}
  - {name: rest, match: {}, rpo_minutes: 240, link: branch}
`)
	for name, test := range map[string]struct {
		file    []byte
		changes whatif.Changes
		note    string
	}{
		"none": {short, nil, "# measured"},
		"some": {short, whatif.Changes{
			"tier/gold/rpo_minutes": 46.0, "tier/silver/peak_factor": 4.0, "link/link/network.bandwidth_mbps": 512.5,
			"plan/growth_percent_per_year": nil, "tier/gold/point_in_time.days": 2.0, "moves/window_hours": 14.0,
		}, "# From top to bottom"},
		"range":      {short, whatif.Changes{"tier/silver/daily_change_percent": 6.0}, "low: 4"},
		"throughput": {short, whatif.Changes{"link/link/throughput_mbps": 900.0, "plan/max_concurrent_syncs": 20.0}, ""},
		"VMs": {
			short,
			whatif.Changes{"tier/gold/vm_count": 2.0},
			"# gold, VM count: the page has 2. VMs come from the inventory.",
		},
		"several": {several, whatif.Changes{
			"link/metro/throughput_mbps": 200.0, "link/branch/throughput_mbps": 50.0, "target/dr/free_gib": 100.0,
			"tier/gold/link": "branch", "link/metro/throughput_basis": "transfer",
		}, "# the owners' wish"},
	} {
		p := pageOf(t, test.file)
		text, err := p.Write(whatif.FormatTiers, test.changes)
		require.NoError(t, err)
		assert.Contains(t, text, test.note, name)
		if name == "VMs" {
			test.changes = nil
		}
		want, err := p.Compute(t.Context(), test.changes, whatif.Watch{})
		require.NoError(t, err)
		got, err := pageOf(t, []byte(text)).Compute(t.Context(), nil, whatif.Watch{})
		assert.True(t, err == nil && reflect.DeepEqual(got.Answer, want.Answer) && got.Headline == want.Headline,
			"%s: got %q, %v, want %q; %s", name, got.Headline, err, want.Headline, text)
	}
	p := pageOf(t, short)
	text, err := p.Write(whatif.FormatTiers, whatif.Changes{"without": []any{"a.b", "c"}})
	want := `name: ^(a\.b|c)$`
	require.NoError(t, err)
	assert.Contains(t, text, want)
}

// pageOf returns the page of the example's inventory with tiers.
func pageOf(t *testing.T, text []byte) *whatif.Page {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", bytes.NewReader(text))
	require.NoError(t, err, text)
	file, err := os.Open(fromAFile + "RVTools_tabvInfo.csv")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was read only
	found, err := inventoryfile.Read(file, inventoryfile.Options{Format: inventoryfile.Auto, Keep: tiers.Columns()})
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "a.csv", found, tiers)
	require.NoError(t, err, text)
	m := &whatif.Model{Kind: "inventory", Name: "estate", Plan: r.Plan, TiersFile: string(text)}
	if r.Moves != nil {
		m.Moves = &whatif.Moves{Arguments: r.Moves.Arguments, Link: r.Moves.Link, SharePercent: r.Moves.SharePercent}
	}
	p, err := whatif.Open(m)
	require.NoError(t, err)
	return p
}

// TestWhatIf_errors checks the exit codes. A test is built without the page.
func TestWhatIf_errors(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "what-if.html")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"what-if", "-o", out}, 1, "built without the page: build it with `go run ./internal/dev/cmd/install`"},
		{[]string{"what-if", "a.json", "b.json"}, 2, "one file at most, got 2"},
		{[]string{"what-if", "a.json", "--inventory", "b.csv"}, 2, "the page has one source"},
	} {
		code, _, errs := run(t, "", test.args...)
		require.Equal(t, test.code, code)
		assert.Contains(t, errs, test.want)
	}
	_, err := os.Stat(out)
	assert.Error(t, err, "got a page, want none")
}
