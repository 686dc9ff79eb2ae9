// The kind of policy that needs no engine: terraform test. Preconditions are in testdata/planned.yaml.

package policytest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// The arithmetic is in testdata/planned.yaml.
var (
	missesRPO = []string{"-var=link_mbps=900", "-var=concurrent_migrations=1"}
	isAtRisk  = []string{"-var=link_mbps=5000", "-var=concurrent_migrations=1"}
)

// TestConditions_terraformTest runs the example's tests, and then with inputs for which they have to fail.
func TestConditions_terraformTest(t *testing.T) {
	t.Parallel()
	// The first run asserts on results, without conditions of the configuration to help it.
	run, _, _ := strings.Cut(read(t, example, "promises.tftest.hcl"), "\n}\n")
	require.Contains(t, run, `run "promises_hold"`)
	acctest.EachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		assert.Contains(t, open(t, cli, example).run(t, 0, "test", "-no-color"), "10 passed, 0 failed")
		for _, bad := range [][]string{missesRPO, isAtRisk, {"-var=concurrent_migrations=29"}} {
			f := open(t, cli, example, "preconditions.tf", "checks.tf").add(t, "promises.tftest.hcl", run+"\n}\n")
			f.run(t, 1, append([]string{"test", "-no-color"}, bad...)...)
		}
		// An assert on an unknown value is no pass.
		late := open(t, cli, example, "promises.tftest.hcl").with(t, "unknown.tf", "late.tftest.hcl")
		assert.Contains(t, flat(late.run(t, 1, "test", "-no-color")), "Unknown condition")
	})
}
