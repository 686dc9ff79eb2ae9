package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/whatif"
)

const fromAFile = "../../examples/from-a-file/"

func TestWhatIf_tiersFile(t *testing.T) {
	t.Parallel()
	short, err := os.ReadFile(fromAFile + "tiers.yaml")
	require.NoError(t, err)
	short = bytes.Replace(short, []byte("daily_change_percent: 3"),
		[]byte("daily_change_percent: { low: 2, likely: 3, high: 5 } # measured"), 1)
	short = append(short, "horizon_months: 2\n"...)
	several := []byte(`
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
		"some": {short, whatif.Changes{
			"tier/gold/rpo_minutes":            46.0,
			"tier/silver/peak_factor":          4.0,
			"link/link/network.bandwidth_mbps": 512.5,
			"plan/growth_percent_per_year":     nil,
			"tier/gold/point_in_time.days":     2.0,
			"moves/window_hours":               14.0,
			"moves/window_start_hour":          22.0,
			"moves/share_percent":              30.0,
		}, "# A VM belongs to the first tier"},
		"range": {short, whatif.Changes{"tier/silver/daily_change_percent": 6.0}, "low: 4"},
		"throughput": {
			short,
			whatif.Changes{"link/link/throughput_mbps": 900.0, "plan/max_concurrent_syncs": 20.0},
			"",
		},
		"VMs": {
			short,
			whatif.Changes{"tier/gold/vm_count": 2.0},
			"# gold, VM count: 2 on the page. Not set here, because VMs are read from the inventory.",
		},
		"several": {several, whatif.Changes{
			"link/metro/throughput_mbps":  200.0,
			"link/branch/throughput_mbps": 50.0,
			"target/dr/free_gib":          100.0,
			"tier/gold/link":              "branch",
			"link/metro/throughput_basis": "transfer",
		}, "# the owners' wish"},
	} {
		p := pageOf(t, test.file)
		text, err := p.Write(whatif.FormatTiers, test.changes)
		require.NoError(t, err)
		assert.Contains(t, text, test.note, name)
		if name == "VMs" {
			test.changes = nil
		}
		want, err := p.Compute(t.Context(), test.changes, whatif.Callbacks{})
		require.NoError(t, err)
		got, err := pageOf(t, []byte(text)).Compute(t.Context(), nil, whatif.Callbacks{})
		require.NoError(t, err, name)
		assert.Equal(t, want.Answer, got.Answer, name)
		assert.Equal(t, want.Headline, got.Headline, name)
	}
	assigned := pageOf(t, short, "horizon_months=3", "gold.rpo_minutes=46", "gold.point_in_time.days=2", "migration={}")
	text, err := assigned.Write(whatif.FormatTiers, nil)
	require.NoError(t, err)
	want, err := assigned.Compute(t.Context(), nil, whatif.Callbacks{})
	require.NoError(t, err)
	got, err := pageOf(t, []byte(text)).Compute(t.Context(), nil, whatif.Callbacks{})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Contains(t, text, "# measured")
	p := pageOf(t, short)
	text, err = p.Write(whatif.FormatTiers, whatif.Changes{"without": []any{"a.b", "c"}})
	require.NoError(t, err)
	assert.Contains(t, text, `name: ^(a\.b|c)$`)
}

// TestWhatIf_headline checks that the headline and its level are those of the review, with a migration that does not
// hold and VMs in no tier.
func TestWhatIf_headline(t *testing.T) {
	t.Parallel()
	text := `
throughput_mbps: 1000
defaults: {daily_change_percent: 3, peak_factor: 3}
tiers: [{name: gold, match: {column: {Tier: ^gold$}}, rpo_minutes: 240}]
migration: {window_hours: 1, window_start_hour: 0, max_windows: 1}
`
	file := filepath.Join(t.TempDir(), "tiers.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	code, out, errs := run(t, "", "review", fromAFile+"RVTools_tabvInfo.csv", "--tiers", file, "--format", "json")
	require.Zero(t, code, errs)
	var want struct {
		Headline string     `json:"headline"`
		Verdict  plan.Level `json:"verdict"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &want))
	require.Contains(t, want.Headline, "Of 2 other results, 1 does not hold, 1 is not known.")
	var first *whatif.View
	got, err := pageOf(t, []byte(text)).Compute(t.Context(), nil, whatif.Callbacks{
		View: func(v *whatif.View) { first = cmp.Or(first, v) },
	})
	require.NoError(t, err)
	assert.Contains(t, first.Headline, "Of 2 other results, 2 are not known.")
	assert.Equal(t, want.Headline, got.Headline)
	assert.Equal(t, want.Verdict, got.Level)
}

// TestWhatIf_errors verifies the exit codes and messages. Test binaries do not include the page, so they cannot write
// it.
func TestWhatIf_errors(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "what-if.html")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{
			[]string{"review", "--interactive", "-o", out},
			1,
			"built without the page: build it with `go run ./internal/dev/cmd/install`",
		},
	} {
		code, _, errs := run(t, "", test.args...)
		require.Equal(t, test.code, code)
		assert.Contains(t, errs, test.want)
	}
	_, err := os.Stat(out)
	assert.Error(t, err, "got a page, want none")
}
