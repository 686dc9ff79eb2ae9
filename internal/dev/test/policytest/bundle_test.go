// The OPA bundle: what it contains judges as the folder does.

package policytest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestBundle builds the bundle as `make policy-bundle` does. OPA reads it, compiles it, and decides with it.
func TestBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "policies.tar.gz")
	build := exec.CommandContext(t.Context(),
		"go", "run", "./internal/dev/cmd/policykit", "-bundle", file, "-revision", "1.2.3")
	build.Dir = root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, ok := opaTool.run(t, "inspect", "--format=json", file)
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
		t.Errorf("the manifest has %+v", about.Manifest)
	}
	if _, tests := about.Namespaces["data.vsla_test"]; tests || len(about.Namespaces) < 9 {
		t.Errorf("the bundle has %v", about.Namespaces)
	}
	if out, ok := opaTool.run(t, "build", "--bundle", file, "--output", filepath.Join(dir, "built.tar.gz")); !ok {
		t.Errorf("OPA does not build it: %s", out)
	}
	cli := first(t)
	for name, plan := range map[string]struct {
		json   document
		passes bool
	}{
		"good":       {bare(t, cli).plan(t, 0), true},
		"bad":        {bare(t, cli).plan(t, 0, missesRPO...), false},
		"not a plan": {document{}, false},
	} {
		path := filepath.Join(dir, "plan.json")
		write(t, path, plan.json)
		args := []string{
			"eval",
			"--strict-builtin-errors",
			"--fail",
			"--bundle",
			file,
			"--data",
			settings,
			"--input",
			path,
			"data.vsla.allow",
		}
		if out, passes := opaTool.run(t, args...); passes != plan.passes {
			t.Errorf("%s: passes %t\n%s", name, passes, out)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
