// The kinds of policy that need no engine: terraform test, preconditions and check blocks.

package policytest_test

import (
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestConditions_terraformTest runs the example's own tests, and then with inputs for which they have to fail.
func TestConditions_terraformTest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		if out := open(t, cli, example).run(t, 0, "test", "-no-color"); !strings.Contains(out, "10 passed, 0 failed") {
			t.Errorf("not every test passed:\n%s", out)
		}
		for _, bad := range [][]string{missesRPO, isAtRisk, {"-var=concurrent_migrations=29"}} {
			open(t, cli, example, "preconditions.tf", "checks.tf").
				add(t, "promises.tftest.hcl", firstRun(t, cli)).
				run(t, 1, append([]string{"test", "-no-color"}, bad...)...)
		}
		// An assert on what is not known at plan is no pass.
		late := open(t, cli, example, "promises.tftest.hcl").add(t, "late.tf", pending+`
data "vsla_replication_estimate" "late" {
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = terraform_data.pending.output
}
`).add(t, "late.tftest.hcl", `
run "late" {
  command = plan
  assert {
    condition     = data.vsla_replication_estimate.late.verdict == "meets"
    error_message = "Misses."
  }
}
`)
		if out := late.run(t, 1, "test", "-no-color"); !strings.Contains(flat(out), "Unknown condition") {
			t.Errorf("failed for another reason:\n%s", out)
		}
	})
}

// firstRun is the first run block of the example's tests: the one that asserts on results, without conditions of the
// configuration to help it.
func firstRun(t *testing.T, cli terraformcli.CLI) string {
	t.Helper()
	text := read(t, open(t, cli, example).dir+"/promises.tftest.hcl")
	run, _, ok := strings.Cut(text, "\n}\n")
	if !ok || !strings.Contains(run, `run "promises_hold"`) {
		t.Fatalf("no first run:\n%s", text)
	}
	return run + "\n}\n"
}

// conditions are ways to break the example, each with what it says.
var conditions = []struct {
	args  []string
	check string
	says  string
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
	{
		[]string{tiers(15, 4000)},
		"check.limits",
		"within the limits of vsphere_replication 9.0",
	},
}

// TestConditions_preconditions: the plan ends with 1 and says why.
func TestConditions_preconditions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := open(t, cli, example, "checks.tf", "promises.tftest.hcl").add(t, "locals.tf", localsOnly(t, cli))
		f.run(t, 0, "plan", "-input=false", "-no-color")
		for _, c := range conditions {
			if out := f.run(
				t,
				1,
				append([]string{"plan", "-input=false", "-no-color"}, c.args...)...); !strings.Contains(
				flat(out),
				c.says,
			) {
				t.Errorf("%v does not say %q:\n%s", c.args, c.says, out)
			}
		}
	})
}

// TestConditions_checks: the plan ends well, the status stands in its JSON, and the gate refuses it.
func TestConditions_checks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := open(t, cli, example, "preconditions.tf", "promises.tftest.hcl")
		plans := map[string]document{}
		for _, c := range conditions {
			plan := f.plan(t, 0, c.args...)
			var failed []string
			for _, status := range list(t, plan, "checks") {
				check := as[document](t, status)
				if check["status"] == "fail" {
					failed = append(failed, as[string](t, object(t, check, "address")["to_display"]))
				}
			}
			if !slices.Contains(failed, c.check) {
				t.Errorf("%v fails %v, want %s", c.args, failed, c.check)
			}
			plans[strings.Join(c.args, " ")] = plan
		}
		for name, got := range ask(t, plans, settings) {
			if !slices.Contains(got.codes(), "check_failed") {
				t.Errorf("%s: %q", name, got.denied)
			}
		}
	})
}

// localsOnly is checks.tf without its check blocks: the preconditions use its variables and locals.
func localsOnly(t *testing.T, cli terraformcli.CLI) string {
	t.Helper()
	text, _, ok := strings.Cut(read(t, open(t, cli, example).dir+"/checks.tf"), "check \"")
	if !ok {
		t.Fatal("checks.tf has no check block")
	}
	return text
}
