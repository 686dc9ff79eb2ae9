// The kit itself: its unit tests, and the ways to call the tools that its README describes.

package policytest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// TestKit runs the unit tests of the kit.
func TestKit(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		tool *pinned
		args []string
		says string
	}{
		{opaTool, []string{"check", "--strict", kit}, ""},
		{opaTool, []string{"fmt", "--fail", "--list", kit}, ""},
		{opaTool, []string{"test", kit}, "PASS: 103/103"},
		{conftestTool, []string{"verify", "--no-color", "--strict", "--policy=" + kit}, "103 tests, 103 passed"},
	} {
		if out, ok := run.tool.run(t, run.args...); !ok || !strings.Contains(out, run.says) {
			t.Errorf("%s %v ended well: %t; it should say %q:\n%s", run.tool.name, run.args, ok, run.says, out)
		}
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
	good := path("good.json", bare(t, cli).plan(t, 0))
	bad := path("bad.json", bare(t, cli).plan(t, 0, missesRPO...))
	none := path("none.json", document{})
	for _, run := range []struct {
		name   string
		tool   *pinned
		passes bool
		args   []string
	}{
		{"conftest, good", conftestTool, true, test(good)},
		{"conftest, bad", conftestTool, false, test(bad)},
		{"conftest, not a plan", conftestTool, false, test(none)},
		{"conftest, its own namespace", conftestTool, false, test("--namespace=vsla", bad)},
		{"conftest, no settings", conftestTool, false, []string{"test", "--policy=" + kit, good}},
		{"conftest, no such folder", conftestTool, false, []string{
			"test", "--policy=" + kit + "/none", "--data=" + settings, good,
		}},
		{"conftest, no such plan", conftestTool, false, test(dir + "/gone.json")},
		{"opa, good", opaTool, true, judged(good, "data.vsla.allow")},
		{"opa, bad", opaTool, false, judged(bad, "data.vsla.allow")},
		{"opa, not a plan", opaTool, false, judged(none, "data.vsla.allow")},
		{"opa, no settings", opaTool, false, eval("--data="+kit, good, "data.vsla.allow")},
		{"opa, no policy", opaTool, false, eval("--data="+settings, good, "data.vsla.allow")},
		{"opa, misspelt", opaTool, false, judged(good, "data.vsla.allows")},
		// What the README warns of: nothing is judged, and nothing fails.
		{"conftest, another namespace", conftestTool, true, test("--namespace=visla", bad)},
		{"opa eval, fail-defined, misspelt", opaTool, true, []string{
			"eval", "--fail-defined", "--data=" + kit, "--data=" + settings, "--input=" + bad, "data.vsla.denny",
		}},
		{"opa exec, misspelt", opaTool, true, []string{
			"exec", "--fail-non-empty", "--decision=vsla/denny", "--bundle=" + kit, bad,
		}},
	} {
		if out, passed := run.tool.run(t, run.args...); passed != run.passes {
			t.Errorf("%s: passed %t, want %t:\n%s", run.name, passed, run.passes, out)
		}
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

// first returns one CLI, for tests that do not depend on which.
func first(t *testing.T) terraformcli.CLI {
	t.Helper()
	found, err := clis()
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}
