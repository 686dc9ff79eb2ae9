// The kit itself: its unit tests, and the ways to call the tools that its README describes.

package policytest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKit checks the kit and runs its unit tests.
func TestKit(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "--strict", kit, cases}, {"fmt", "--fail", "--list", kit, cases}, {"test", "--timeout=5m", kit},
	} {
		out, ok := opa.run(t, args...)
		assert.True(t, ok, "opa %v failed:\n%s", args, out)
	}
}

// TestKit_calls pins which ways of calling the tools are safe, and which ones the README has to warn of.
func TestKit_calls(t *testing.T) {
	t.Parallel()
	cli := first(t)
	dir := t.TempDir()
	path := func(name string, plan document) string {
		write(t, filepath.Join(dir, name), plan)
		return filepath.Join(dir, name)
	}
	good := path("good.json", bare(t, cli).plan(t))
	bad := path("bad.json", bare(t, cli).plan(t, missesRPO...))
	risky := path("risky.json", bare(t, cli).plan(t, isAtRisk...))
	none := path("none.json", document{})
	for _, run := range []struct {
		name   string
		tool   tool
		passes bool
		args   []string
	}{
		{"conftest, good", conftest, true, test(good)},
		{"conftest, bad", conftest, false, test(bad)},
		{"conftest, not a plan", conftest, false, test(none)},
		{"conftest, its own namespace", conftest, false, test("--namespace=vsla", bad)},
		{"conftest, no settings", conftest, false, []string{"test", "--policy=" + kit, good}},
		{"conftest, no such folder", conftest, false, []string{
			"test", "--policy=" + kit + "/none", "--data=" + settings, good,
		}},
		{"conftest, no such plan", conftest, false, test(dir + "/gone.json")},
		{"opa, good", opa, true, judged(good, "data.vsla.allow")},
		{"opa, bad", opa, false, judged(bad, "data.vsla.allow")},
		{"opa, not a plan", opa, false, judged(none, "data.vsla.allow")},
		{"opa, no settings", opa, false, eval("--data="+kit, good, "data.vsla.allow")},
		{"opa, no policy", opa, false, eval("--data="+settings, good, "data.vsla.allow")},
		{"opa, misspelt", opa, false, judged(good, "data.vsla.allows")},
		// What the README warns of: nothing is judged, and nothing fails.
		{"conftest, another namespace", conftest, true, test("--namespace=visla", bad)},
		{"opa eval, fail-defined, misspelt", opa, true, []string{
			"eval", "--fail-defined", "--data=" + kit, "--data=" + settings, "--input=" + bad, "data.vsla.denny",
		}},
		{"opa exec, misspelt", opa, true, []string{
			"exec", "--fail-non-empty", "--decision=vsla/denny", "--bundle=" + kit, bad,
		}},
	} {
		if strings.HasPrefix(run.name, "conftest") && !withConftest {
			continue
		}
		out, passed := run.tool.run(t, run.args...)
		assert.Equal(t, run.passes, passed, "%s:\n%s", run.name, out)
	}
	if !withConftest {
		return
	}
	for plan, says := range map[string]string{
		bad: "(code rpo_missed; cannot be waived)", risky: "(code at_risk; a waiver can name it)",
	} {
		out, passed := conftest.run(t, append(test(plan), "--no-color")...)
		assert.False(t, passed)
		assert.Contains(t, out, says)
	}
}

// test calls conftest with the kit and the settings.
func test(args ...string) []string {
	return append([]string{"test", "--policy=" + kit, "--data=" + settings}, args...)
}

// judged calls OPA with the kit and the settings, as the README does.
func judged(plan, query string) []string {
	return slices.Insert(eval("--data="+kit, plan, query), 1, "--data="+settings)
}

func eval(data, plan, query string) []string {
	return []string{"eval", "--strict-builtin-errors", "--fail", data, "--input=" + plan, query}
}

// TestKit_bundle checks that OPA reads the bundle of `make policy-bundle`, which has no tests. The guide's test decides
// with it.
func TestKit_bundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "make", "policy-bundle", "VERSION=1.2.3", "BUILD="+dir)
	build.Dir, build.Env = root(t), append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=0")
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	file := filepath.Join(dir, "vsla-policies.tar.gz")
	out, ok := opa.run(t, "inspect", "--format=json", file)
	require.True(t, ok, out)
	var about struct {
		Manifest struct {
			Revision string   `json:"revision"`
			Roots    []string `json:"roots"`
		} `json:"manifest"`
		Namespaces map[string][]string `json:"namespaces"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &about))
	assert.Equal(t, "1.2.3", about.Manifest.Revision)
	assert.Equal(t, []string{"main", "vsla"}, about.Manifest.Roots)
	assert.NotContains(t, about.Namespaces, "data.vsla_test")
	assert.GreaterOrEqual(t, len(about.Namespaces), 9)
}

// kitWith copies the kit without its tests and with another text of a file.
func kitWith(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	sources, err := filepath.Glob(filepath.Join(root(t), kit, "*.rego"))
	require.NoError(t, err)
	for _, source := range sources {
		base := filepath.Base(source)
		if strings.HasSuffix(base, "_test.rego") {
			continue
		}
		content := read(t, kit, base)
		if base == name {
			content = text
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, base), []byte(content), 0o600))
	}
	return dir
}
