// The kinds of policy that need no engine: terraform test, preconditions and check blocks.

package policytest_test

import (
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestConditions_terraformTest runs the example's tests, and then with inputs for which they have to fail.
func TestConditions_terraformTest(t *testing.T) {
	t.Parallel()
	// The first run asserts on results, without conditions of the configuration to help it.
	run, _, ok := strings.Cut(read(t, example, "promises.tftest.hcl"), "\n}\n")
	if !ok || !strings.Contains(run, `run "promises_hold"`) {
		t.Fatalf("no first run:\n%s", run)
	}
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		if out := open(t, cli, example).run(t, 0, "test", "-no-color"); !strings.Contains(out, "10 passed, 0 failed") {
			t.Errorf("not every test passed:\n%s", out)
		}
		for _, bad := range [][]string{missesRPO, isAtRisk, {"-var=concurrent_migrations=29"}} {
			f := open(t, cli, example, "preconditions.tf", "checks.tf").add(t, "promises.tftest.hcl", run+"\n}\n")
			f.run(t, 1, append([]string{"test", "-no-color"}, bad...)...)
		}
		// An assert on an unknown value is no pass.
		late := open(t, cli, example, "promises.tftest.hcl").with(t, "unknown.tf", "late.tftest.hcl")
		if out := late.run(t, 1, "test", "-no-color"); !strings.Contains(flat(out), "Unknown condition") {
			t.Errorf("failed for another reason:\n%s", out)
		}
	})
}

// conditions are ways to break the example, each with its check and the message of its precondition.
var conditions = []struct {
	args        []string
	check, says string
}{
	{missesRPO, "check.promises", "Tier gold promises what this link cannot keep."},
	{isAtRisk, "check.promises", "Tier silver promises what this link cannot keep."},
	{
		[]string{"-var=concurrent_migrations=29"},
		"check.vmotion_floor",
		"The link has 241 Mbit/s for each concurrent migration; vSphere asks for 250.",
	},
	{
		[]string{"-var=replication_rpo_minutes={gold=30}"},
		"check.tiers",
		"The replication of tier gold has an RPO of 30 minutes, weaker than the tier's 15.",
	},
	{[]string{tiers(15, 4000)}, "check.limits", "within the limits of vsphere_replication 9.0"},
}

// TestConditions_preconditions: the plan ends with 1 and the reason.
func TestConditions_preconditions(t *testing.T) {
	t.Parallel()
	// The preconditions use the variables and locals of checks.tf.
	locals, _, _ := strings.Cut(read(t, example, "checks.tf"), "check \"")
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := open(t, cli, example, "promises.tftest.hcl").add(t, "checks.tf", locals)
		f.run(t, 0, "plan", "-input=false", "-no-color")
		for _, c := range conditions {
			out := f.run(t, 1, append([]string{"plan", "-input=false", "-no-color"}, c.args...)...)
			if !strings.Contains(flat(out), c.says) {
				t.Errorf("%v: want %q in\n%s", c.args, c.says, out)
			}
		}
	})
}
