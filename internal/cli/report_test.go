package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/whatif"
)

const reviewed = `{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"resources":[
{"address":"data.vsla_replication_estimate.gold","mode":"data","type":"vsla_replication_estimate","name":"gold",
"provider_name":"registry.terraform.io/vsla/vsla","schema_version":0,"sensitive_values":{},
"values":{"verdict":"VERDICT","summary":"A summary."}}]}}}`

const nothing = `{"format_version":"1.0","terraform_version":"1.11.4"}`

func verdict(v string) string { return strings.Replace(reviewed, "VERDICT", v, 1) }

func TestReport_exitCodes(t *testing.T) {
	t.Parallel()
	const title, none = "# Capacity review", "The file contains no vsla results."
	lost := filepath.Join("testdata", "none", "x.html")
	checkAll(t, map[string]command{
		"a miss": {args: "report -", stdin: verdict("misses"), out: title, errs: "1 does not hold"},
		"a miss that fails": {
			args: "report - --fail-on misses", stdin: verdict("misses"), code: cli.ExitMiss, out: title, errs: "1 does not hold",
		},
		"at risk": {args: "report --fail-on=misses -", stdin: verdict("at_risk"), out: "at risk", errs: "1 is at risk"},
		"at risk that fails": {
			args: "report --fail-on=at_risk -", stdin: verdict("at_risk"), code: cli.ExitMiss, out: "at risk",
			errs: "1 is at risk",
		},
		"holds": {
			args: "report - --fail-on=unknown", stdin: verdict("meets"), out: "holds",
			errs: "Every result with a verdict holds.",
		},
		"nothing":        {args: "report -", stdin: nothing, out: none, errs: none},
		"nothing missed": {args: "report - --fail-on=at_risk", stdin: nothing, out: none, errs: none},
		"nothing where something is expected": {
			args: "report - --fail-on=unknown", stdin: nothing, code: cli.ExitMiss, out: none, errs: none,
		},
		"json": {args: "report - --format json", stdin: verdict("meets"), out: `"verdict": "holds"`, errs: "holds"},
		"html": {args: "report - --format=html -o -", stdin: verdict("meets"), out: "<!DOCTYPE html>", errs: "holds"},
		"something else": {
			args: "report -", stdin: `{"a":1}`, code: cli.ExitError,
			errs: "standard input: this is not the output of `terraform show -json`",
		},
		"a missing file":   {args: "report testdata/none.json", code: cli.ExitError, errs: "none.json"},
		"a missing folder": {args: "report - -o " + lost, stdin: nothing, code: cli.ExitError, errs: "x.html"},
		"no file":          {args: "report", code: cli.ExitUsage, errs: "requires one file, or - for standard input"},
		"two files":        {args: "report a b", code: cli.ExitUsage, errs: "got 2 arguments"},
		"another ending": {
			args: "report - -o x.pdf", code: cli.ExitUsage, errs: `--output must end in .html, .md or .json, or --format`,
		},
		"no ending": {args: "report - -o x", code: cli.ExitUsage, errs: `--output must end in`},
		"another format": {
			args: "report - --format pdf", code: cli.ExitUsage, errs: `--format must be html, md or json, got "pdf"`,
		},
		"another date": {
			args: "report - --date 2026-13-01", code: cli.ExitUsage,
			errs: `--date must be a day as YYYY-MM-DD, got "2026-13-01"`,
		},
		"a cover": {
			args: "report - --title Growth --author Jo --date 2026-11-21 --decision Now?", stdin: verdict("misses"),
			out: "# Growth\n\n**Of 1 result with a verdict, 1 does not hold.**\n\n" +
				"Jo. 2026-11-21. From a Terraform 1.11.4 state",
			errs: "not hold",
		},
		"another level": {
			args: "report - --fail-on holds", code: cli.ExitUsage, errs: "--fail-on must be misses, at_risk or unknown",
		},
		"an unknown flag": {args: "report - --speed", code: cli.ExitUsage, errs: "--speed"},
		"help":            {args: "report --help", out: "Exit codes:"},
	})
}

func TestReport_files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "plan.json")
	require.NoError(t, os.WriteFile(in, []byte(verdict("misses")), 0o600))
	for name, begins := range map[string]string{
		"review.html": "<!DOCTYPE html>", "review.MD": "# Capacity review", "review.json": "{\n",
	} {
		path := filepath.Join(dir, name)
		code, out, errs := run(t, "", "report", in, "-o", path)
		text, err := os.ReadFile(path)
		assert.True(t, code == cli.ExitOK && out == "" && errs == "Of 1 result with a verdict, 1 does not hold.\n" &&
			err == nil && strings.HasPrefix(string(text), begins), "%s: %d, %q, %q, %v, %.40q", name, code, out, errs, err, text)
	}
}

const fromAFile = "../../examples/from-a-file/"

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
		}, "# A VM belongs to the first tier"},
		"range":      {short, whatif.Changes{"tier/silver/daily_change_percent": 6.0}, "low: 4"},
		"throughput": {short, whatif.Changes{"link/link/throughput_mbps": 900.0, "plan/max_concurrent_syncs": 20.0}, ""},
		"VMs": {
			short,
			whatif.Changes{"tier/gold/vm_count": 2.0},
			"# gold, VM count: 2 on the page. Not set here, because VMs are read from the inventory.",
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
		want, err := p.Compute(t.Context(), test.changes, whatif.Callbacks{})
		require.NoError(t, err)
		got, err := pageOf(t, []byte(text)).Compute(t.Context(), nil, whatif.Callbacks{})
		assert.True(t, err == nil && reflect.DeepEqual(got.Answer, want.Answer) && got.Headline == want.Headline,
			"%s: got %q, %v, want %q; %s", name, got.Headline, err, want.Headline, text)
	}
	p := pageOf(t, short)
	text, err := p.Write(whatif.FormatTiers, whatif.Changes{"without": []any{"a.b", "c"}})
	want := `name: ^(a\.b|c)$`
	require.NoError(t, err)
	assert.Contains(t, text, want)
}

func pageOf(t *testing.T, text []byte) *whatif.Page {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", bytes.NewReader(text))
	require.NoError(t, err, text)
	file, err := os.Open(fromAFile + "RVTools_tabvInfo.csv")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // nothing was written
	found, err := inventoryfile.Read(file, inventoryfile.Options{Format: inventoryfile.Auto, KeepColumns: tiers.Columns()})
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "a.csv", found, tiers)
	require.NoError(t, err, text)
	m := &whatif.Model{Kind: "inventory", Name: "estate", Plan: r.Plan, TiersFile: string(text)}
	if r.Migration != nil {
		m.Moves = &whatif.Moves{
			Arguments: r.Migration.Arguments, Link: r.Migration.Link, SharePercent: r.Migration.SharePercent,
		}
	}
	p, err := whatif.Open(m)
	require.NoError(t, err)
	return p
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
		{[]string{"what-if", "-o", out}, 1, "built without the page: build it with `go run ./internal/dev/cmd/install`"},
		{[]string{"what-if", "a.json", "b.json"}, 2, "at most one file, got 2"},
		{[]string{"what-if", "a.json", "--inventory", "b.csv"}, 2, "cannot be combined with a plan or a state"},
	} {
		code, _, errs := run(t, "", test.args...)
		require.Equal(t, test.code, code)
		assert.Contains(t, errs, test.want)
	}
	_, err := os.Stat(out)
	assert.Error(t, err, "got a page, want none")
}

func TestOutput_replaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, open, link := filepath.Join(dir, "review.md"), filepath.Join(dir, "open.md"), filepath.Join(dir, "link.md")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Link(path, open))
	require.NoError(t, os.Symlink(path, link))
	code, _, errs := run(t, verdict("meets"), "report", "-", "-o", link)
	require.EqualValues(t, cli.ExitOK, code, errs)
	for file, want := range map[string]string{open: "old", path: "# Capacity review", link: "# Capacity review"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err, file)
		assert.True(t, strings.HasPrefix(string(text), want), "%s: got %.40q, %v, want %q", file, text, err, want)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 3)
}
