package policytest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// replaced replaces the one place in a text.
func replaced(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, old), old)
	return strings.Replace(text, old, with, 1)
}

const guideFile = "templates/guides/gate-a-pipeline.md"

// TestGuide_quickStart runs the quick start in a copy of the examples: the first plan passes, the second is refused.
func TestGuide_quickStart(t *testing.T) {
	t.Parallel()
	needConftest(t)
	_, guide, _ := strings.Cut(read(t, guideFile), "## Quick start\n")
	quick, _, _ := strings.Cut(guide, "\n## ")
	assert.LessOrEqual(t, strings.Count(quick, "\n"), 40, "lines of the quick start")
	blocks := regexp.MustCompile("(?s)```(?:shell|text)\n(.*?)```").FindAllStringSubmatch(quick, -1)
	require.Len(t, blocks, 3)
	acctest.EachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{})
		require.NoError(t, os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS(filepath.Join(root(t), "examples"))))
		r.must(r.dir, replaced(t, blocks[0][1], "make install\n", fromMirror))
		out, ok := r.script(filepath.Join(r.dir, "examples", "policy"), "sh", blocks[1][1])
		assert.False(t, ok)
		assert.Contains(t, flat(out), flat(blocks[2][1]))
	})
}

// TestPipelines_capacity checks that the example after its first apply is allowed by the bundle with the guide's
// commands, and refused as the guide describes.
func TestPipelines_capacity(t *testing.T) {
	t.Parallel()
	_, guide, _ := strings.Cut(read(t, guideFile), "## The gate as an OPA bundle")
	_, commands, _ := strings.Cut(guide, "```shell\n")
	commands, _, _ = strings.Cut(commands, "```")
	acctest.EachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{"opa": opa.path(t)})
		dir := r.tree("capacity", nil)
		require.NoError(t, os.Symlink(root(t), filepath.Join(dir, "vsla")))
		r.must(dir, fromMirror+"terraform init -input=false\nterraform apply -input=false -auto-approve\n")
		why := strings.ReplaceAll(strings.ReplaceAll(commands, " --fail ", " "), "data.vsla.allow", "data.vsla.deny")
		for _, test := range []struct{ variable, says string }{
			{"", ""},
			// 546 GiB of tier gold with 4 days of recovery points at 2 %, 568.5 of silver at 4 %, and a delta of each: 546 *
			// 1.08 + 568.5 * 1.16 + 0.1 + 0.9 = 1,250.2 GiB of 1,530 leave 18.3 %. They are 95 % of it after 12 * ln(1453.5 /
			// 1250.2) / ln 1.2 = 9.9 months.
			{"TF_VAR_target_free_gib=1530", "leaves 18 % of the free space of target dr; the settings ask for 20 %"},
			{"TF_VAR_target_free_gib=1530", "keeps the promise of tier gold for 10 months; the settings ask for 12"},
			{"^db-000", `tier[\"gold\"] detaches 8 tags; the settings allow 2`},
		} {
			if strings.HasPrefix(test.variable, "^") {
				file := filepath.Join(dir, "main.tf")
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				narrow := replaced(t, string(text), `"^db-"`, `"`+test.variable+`"`)
				require.NoError(t, os.WriteFile(file, []byte(narrow), 0o600))
			}
			out, ok := r.script(dir, "sh", commands, test.variable)
			assert.Equal(t, test.says == "", ok, "%s: %s", test.variable, out)
			out, ok = r.script(dir, "sh", why, test.variable)
			assert.True(t, ok)
			assert.Contains(t, out, test.says)
		}
	})
}
