package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/cli"
)

// reviewed is a state with one estimate; the verdict is put in.
const reviewed = `{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"resources":[{"address":"data.vsla_replication_estimate.gold",
"mode":"data","type":"vsla_replication_estimate","name":"gold","provider_name":"registry.terraform.io/vsla/vsla","schema_version":0,"sensitive_values":{},
"values":{"verdict":"VERDICT","summary":"A summary."}}]}}}`

const nothing = `{"format_version":"1.0","terraform_version":"1.11.4"}`

func TestReport_exitCodes(t *testing.T) {
	t.Parallel()
	verdict := func(v string) string { return strings.Replace(reviewed, "VERDICT", v, 1) }
	for name, test := range map[string]struct {
		stdin     string
		args      []string
		code      int
		out, errs string
	}{
		"a miss":                    {verdict("misses"), []string{"-"}, cli.ExitOK, "# Capacity review", "1 does not hold"},
		"a miss that fails":         {verdict("misses"), []string{"-", "--fail-on", "misses"}, cli.ExitMiss, "# Capacity review", "1 does not hold"},
		"at risk":                   {verdict("at_risk"), []string{"--fail-on=misses", "-"}, cli.ExitOK, "at risk", "1 is at risk"},
		"at risk that fails":        {verdict("at_risk"), []string{"--fail-on=at_risk", "-"}, cli.ExitMiss, "at risk", "1 is at risk"},
		"holds":                     {verdict("meets"), []string{"-", "--fail-on=unknown"}, cli.ExitOK, "holds", "Everything with a verdict holds."},
		"nothing":                   {nothing, []string{"-"}, cli.ExitOK, "The file contains no vsla results.", "The file contains no vsla results."},
		"nothing missed":            {nothing, []string{"-", "--fail-on=at_risk"}, cli.ExitOK, "no vsla results", "no vsla results"},
		"nothing, where something":  {nothing, []string{"-", "--fail-on=unknown"}, cli.ExitMiss, "no vsla results", "no vsla results"},
		"json":                      {verdict("meets"), []string{"-", "--format", "json"}, cli.ExitOK, `"verdict": "holds"`, "holds"},
		"html":                      {verdict("meets"), []string{"-", "--format=html", "-o", "-"}, cli.ExitOK, "<!DOCTYPE html>", "holds"},
		"something else":            {`{"a":1}`, []string{"-"}, cli.ExitError, "", "standard input: this is not the output of `terraform show -json`"},
		"no such file":              {"", []string{filepath.Join("testdata", "none.json")}, cli.ExitError, "", "none.json"},
		"a file that cannot be":     {nothing, []string{"-", "-o", filepath.Join("testdata", "none", "x.html")}, cli.ExitError, "", "x.html"},
		"no file":                   {"", nil, cli.ExitUsage, "", "one file is read"},
		"two files":                 {"", []string{"a", "b"}, cli.ExitUsage, "", "one file is read"},
		"a format that is not here": {"", []string{"-", "-o", "x.pdf"}, cli.ExitUsage, "", `"pdf" is no format`},
		"no format":                 {"", []string{"-", "-o", "x"}, cli.ExitUsage, "", `"" is no format`},
		"a level that is not here":  {"", []string{"-", "--fail-on", "holds"}, cli.ExitUsage, "", "must be misses, at_risk or unknown"},
		"an unknown flag":           {"", []string{"-", "--speed"}, cli.ExitUsage, "", "-speed"},
		"help":                      {"", []string{"--help"}, cli.ExitOK, "Exit codes:", ""},
	} {
		code, out, errs := run(t, test.stdin, append([]string{"report"}, test.args...)...)
		if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) ||
			(test.out == "" && out != "") ||
			(test.errs == "" && errs != "") {
			t.Errorf(
				"%s: ends with %d, prints %q and %q; want %d, %q, %q",
				name,
				code,
				out,
				errs,
				test.code,
				test.out,
				test.errs,
			)
		}
	}
}

// TestReport_files: each format by the ending of its file.
func TestReport_files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "plan.json")
	if err := os.WriteFile(in, []byte(strings.Replace(reviewed, "VERDICT", "misses", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, begins := range map[string]string{"review.html": "<!DOCTYPE html>", "review.MD": "# Capacity review", "review.json": "{\n"} {
		path := filepath.Join(dir, name)
		code, out, errs := run(t, "", "report", in, "-o", path)
		text, err := os.ReadFile(path)
		if code != cli.ExitOK || out != "" || errs != "Of 1 result with a verdict, 1 does not hold.\n" || err != nil ||
			!strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: %d, %q, %q, %v, %.40q", name, code, out, errs, err, text)
		}
	}
}

// TestReport_outputLost: a review that could not be written is an error.
func TestReport_outputLost(t *testing.T) {
	t.Parallel()
	for format := range map[string]bool{"html": true, "md": true, "json": true} {
		var errs strings.Builder
		if code := cli.Run(
			t.Context(),
			[]string{"report", "-", "--format", format},
			strings.NewReader(nothing),
			full{},
			&errs,
		); code != cli.ExitError ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: ends with %d, %q", format, code, errs.String())
		}
	}
}
