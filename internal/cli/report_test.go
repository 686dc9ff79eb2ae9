package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/source"
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
		"a miss":  {args: "review -", stdin: verdict("misses"), out: title, errs: "does not hold"},
		"at risk": {args: "review -", stdin: verdict("at_risk"), out: "at risk", errs: "is at risk"},
		"holds": {
			args:  "review -",
			stdin: verdict("meets"),
			out:   "holds",
			errs:  "Every result with a verdict holds.",
		},
		"nothing": {args: "review -", stdin: nothing, out: none, errs: none},
		"json":    {args: "review - --format json", stdin: verdict("meets"), out: `"verdict": "meets"`, errs: "holds"},
		"html": {
			args:  "review - --format=html -o -",
			stdin: verdict("meets"),
			out:   "<!DOCTYPE html>",
			errs:  "holds",
		},
		"something else": {
			args:  "review -",
			stdin: `{"a":1}`,
			code:  cli.ExitError,
			errs:  "standard input: this is not the output of `terraform show -json`",
		},
		"a missing file":   {args: "review testdata/none.json", code: cli.ExitError, errs: "none.json"},
		"a missing folder": {args: "review - -o " + lost, stdin: nothing, code: cli.ExitError, errs: "x.html"},
		"no file":          {args: "review", code: cli.ExitUsage, errs: "requires an input"},
		"two files":        {args: "review a b", code: cli.ExitUsage, errs: "reads one input, got 2"},
		"another ending": {
			args: "review - -o x.pdf",
			code: cli.ExitUsage,
			errs: `--output must end in .html, .md or .json, or --format`,
		},
		"no ending": {args: "review - -o x", code: cli.ExitUsage, errs: `--output must end in`},
		"another format": {
			args: "review - --format pdf",
			code: cli.ExitUsage,
			errs: `--format must be html, md or json, got "pdf"`,
		},
		"another date": {
			args: "review - --date 2026-13-01",
			code: cli.ExitUsage,
			errs: `--date must be a day as YYYY-MM-DD, got "2026-13-01"`,
		},
		"a cover": {
			args:  "review - --title Growth --author Jo --date 2026-11-21 --decision Now?",
			stdin: verdict("misses"),
			out: "# Growth\n\n**The result with a verdict does not hold.**\n\n" +
				"Jo. 2026-11-21. From a Terraform 1.11.4 state",
			errs: "not hold",
		},
		"another kind of baseline": {
			args:  "review - --baseline report_test.go",
			stdin: nothing,
			code:  cli.ExitUsage,
			errs:  "--baseline report_test.go is an inventory file, but - is a plan or a state",
		},
		"a flag of files": {
			args: "review - --set x=1",
			code: cli.ExitUsage,
			errs: "--set requires an inventory file",
		},
		"an unknown flag": {args: "review - --speed", code: cli.ExitUsage, errs: "--speed"},
		"help":            {args: "review --help", out: "Exit codes:"},
	})
}

func TestReport_files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "plan.json")
	require.NoError(t, os.WriteFile(in, []byte(verdict("misses")), 0o600))
	for name, begins := range map[string]string{
		"review.html": "<!DOCTYPE html>",
		"review.MD":   "# Capacity review",
		"review.json": "{\n",
	} {
		path := filepath.Join(dir, name)
		code, out, errs := run(t, "", "review", in, "-o", path)
		text, err := os.ReadFile(path)
		assert.Zero(t, code, name)
		assert.Empty(t, out, name)
		assert.Equal(t, "The result with a verdict does not hold.\n", errs, name)
		require.NoError(t, err, name)
		assert.True(t, strings.HasPrefix(string(text), begins), "%s: %d, %q, %q, %v, %.40q", name, code, out, errs,
			err, text)
	}
}

func pageOf(t *testing.T, text []byte, set ...string) *whatif.Page {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", bytes.NewReader(text), set...)
	require.NoError(t, err, "%+v", text)
	file, err := os.Open(fromAFile + "RVTools_tabvInfo.csv")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // nothing was written
	found, err := inventoryfile.Read(file,
		inventoryfile.Options{Format: inventoryfile.Auto, KeepColumns: tiers.Columns()})
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "a.csv", found, tiers)
	require.NoError(t, err, "%+v", text)
	p, err := whatif.Open(source.FromReview("a.csv", r))
	require.NoError(t, err)
	return p
}

// TestReview_misspelt verifies that a review names the inputs that Terraform drops.
func TestReview_misspelt(t *testing.T) {
	t.Parallel()
	text := `{"format_version":"1.2","terraform_version":"1.11.4","planned_values":{"root_module":{}},"configuration":{
"provider_config":{"vsla":{"name":"vsla","full_name":"registry.terraform.io/vsla/vsla"}},
"root_module":{"resources":[{"address":"data.vsla_sla_plan.x","mode":"data","type":"vsla_sla_plan","name":"x",
"provider_config_key":"vsla","schema_version":0,
"expressions":{"tiers":{"constant_value":{"gold":{"peak_facto":10}}}}}]}}}`
	_, out, errs := run(t, text, "review", "-", "--format", "json")
	assert.Contains(t, out,
		"data.vsla_sla_plan.x has no input tiers.gold.peak_facto, which Terraform ignores; did you "+
			`mean peak_factor?"`, errs)
}
