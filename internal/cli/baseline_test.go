package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

func baselines(t *testing.T) func(word string) string {
	t.Helper()
	dir := t.TempDir()
	return func(word string) string {
		file := filepath.Join(dir, word+".json")
		require.NoError(t, os.WriteFile(file, []byte(verdict(word)), 0o600))
		return file
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	file := baselines(t)
	const since = "Compared with meets.json: "
	const broken, same, better = "1 result no longer holds", "No verdict changes", "1 result now holds"
	checkAll(t, map[string]command{
		"worse": {
			args:  "review - --baseline " + file("meets"),
			stdin: verdict("misses"),
			out:   since + broken,
			errs:  broken,
		},
		"unchanged": {
			args:  "review - --baseline " + file("meets"),
			stdin: verdict("meets"),
			out:   since + same,
			errs:  same,
		},
		"better": {
			args:  "review - --baseline " + file("misses"),
			stdin: verdict("meets"),
			out:   better,
			errs:  better,
		},
		"json": {
			args:  "review - --format json --baseline " + file("meets"),
			stdin: verdict("misses"),
			out:   `"outcome": "worse"`,
			errs:  broken,
		},
		"html": {
			args:  "review - --format html --baseline " + file("meets"),
			stdin: verdict("misses"),
			out:   "<summary>Gets worse</summary>",
			errs:  broken,
		},
		"a missing baseline": {
			args:  "review - --baseline testdata/none.json",
			stdin: verdict("meets"),
			code:  cli.ExitError,
			errs:  "none.json",
		},
		"a baseline from standard input": {
			args:  "review " + file("meets") + " --baseline -",
			stdin: verdict("misses"),
			out:   better,
			errs:  better,
		},
		"both from standard input": {
			args: "review - --baseline -",
			code: cli.ExitUsage,
			errs: "only one of the file and --baseline",
		},
	})
}

func TestBaseline_titles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := func(name, word, address string) string {
		text := strings.Replace(verdict(word), "data.vsla_replication_estimate.gold", address, 1)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const (
		tier  = `module.branch.data.vsla_replication_estimate.tier[\"gold\"]`
		other = `data.vsla_replication_estimate.dr_site`
	)
	held := state("held", "meets", tier)
	missed := state("missed", "misses", tier)
	gone := state("gone", "meets", other)
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"turned": {
			[]string{"--baseline", held},
			[]string{
				"1 result no longer holds (tier gold, branch).",
				"- tier gold, branch: ",
				"| tier gold, branch | ✓ holds → ✕ does not",
			},
		},
		"gone": {
			[]string{"--baseline", gone},
			[]string{
				"1 new result does not hold (tier gold, branch); 1 result is no longer checked.", "- dr site: ",
			},
		},
	} {
		code, out, errs := run(t, "", append([]string{"review", missed}, test.args...)...)
		for _, want := range test.want {
			require.Equal(t, cli.ExitOK, code, "%v, %v", name, errs)
			assert.Contains(t, out, want, "%v, %v", name, errs)
		}
	}
}
