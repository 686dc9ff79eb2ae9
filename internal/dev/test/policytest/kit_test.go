// The kit itself: its unit tests, and the ways to call the tools that its README describes.

package policytest_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestKit checks the kit and runs its unit tests.
func TestKit(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "--strict", kit}, {"fmt", "--fail", "--list", kit}, {"test", "--timeout=5m", kit},
	} {
		if out, ok := opa.run(t, args...); !ok {
			t.Errorf("opa %v failed:\n%s", args, out)
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

// TestKit_inputs compares the kit's list of inputs of the data sources that measure with the provider's schemas. Unit
// tests of the kit compare those of the calculators with the generated list.
func TestKit_inputs(t *testing.T) {
	t.Parallel()
	out, ok := opa.run(t, "eval", "--format=raw", "--data="+kit, "data.vsla.inputs.flatters")
	var listed map[string]map[string]any
	if err := json.Unmarshal([]byte(out), &listed); err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	options := provider.Options{Version: "test", Sessions: &connection.Sessions{}}
	server, err := providerserver.NewProtocol6WithError(provider.New(options)())()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"vsla_sla_compliance", "vsla_replication_history"} {
		var want []string
		for _, a := range answer.DataSourceSchemas[kind].Block.Attributes {
			if !a.Required && !a.Optional {
				continue
			}
			want = append(want, a.Name)
			if a.NestedType == nil {
				continue
			}
			for _, inner := range a.NestedType.Attributes {
				want = append(want, a.Name+"."+inner.Name)
			}
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(listed[kind])); !slices.Equal(got, want) {
			t.Errorf("examples/policy/rego/inputs.rego has these inputs of %s: %v, want %v", kind, got, want)
		}
	}
}

// TestKit_bundle: OPA reads the bundle of `make policy-bundle`, which has no tests. The guide's test decides with it.
func TestKit_bundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "make", "policy-bundle", "VERSION=1.2.3", "BUILD="+dir)
	build.Dir, build.Env = root(t), append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "vsla-policies.tar.gz")
	out, ok := opa.run(t, "inspect", "--format=json", file)
	var about struct {
		Manifest struct {
			Revision string   `json:"revision"`
			Roots    []string `json:"roots"`
		} `json:"manifest"`
		Namespaces map[string][]string `json:"namespaces"`
	}
	if err := json.Unmarshal([]byte(out), &about); err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	if about.Manifest.Revision != "1.2.3" || !slices.Equal(about.Manifest.Roots, []string{"main", "vsla"}) {
		t.Errorf("the manifest is %+v, want revision 1.2.3 and the roots main and vsla", about.Manifest)
	}
	if _, tests := about.Namespaces["data.vsla_test"]; tests || len(about.Namespaces) < 9 {
		t.Errorf("the bundle has %v, want nine packages and no tests", about.Namespaces)
	}
}
