// Plans of every shape, and the verdict of the gate on each.

package policytest_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const example = "examples/policy/plan"

// bare is the example without the conditions of its own, which would stop a bad plan before the gate.
func bare(t *testing.T, cli terraformcli.CLI) folder {
	t.Helper()
	return open(t, cli, example, "checks.tf", "preconditions.tf", "promises.tftest.hcl").add(t, "tier.tf", `
resource "terraform_data" "tier" {
  for_each = var.replication_rpo_minutes
  input    = each.value
}
`)
}

// missesRPO: 70 % of 900 are 630 Mbit/s; tier gold needs 75 GiB * 2^33 bit / 900 s = 715.8 Mbit/s.
var missesRPO = []string{"-var=link_mbps=900", "-var=concurrent_migrations=1"}

// isAtRisk: 1,050 Mbit/s, between the 715.8 that keep the RPO and the 1,431.7 that keep half of it.
var isAtRisk = []string{"-var=link_mbps=1500", "-var=concurrent_migrations=1"}

// tiers sets small tiers: gold with an RPO, silver with a number of VMs.
func tiers(goldMinutes, silverVMs int) string {
	const tier = "{rpo_minutes=%d,vm_count=%d,vm_size_gib=1,daily_change_percent=1}"
	return fmt.Sprintf("-var=tiers={gold="+tier+",silver="+tier+"}", goldMinutes, 1, 60, silverVMs)
}

// TestGate_plans makes plans of the example's configuration.
func TestGate_plans(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plans, want := map[string]document{}, map[string][]string{}
		expect := func(name string, plan document, codes ...string) {
			plans[name], want[name] = plan, append([]string{}, codes...)
		}
		free := bare(t, cli)
		expect("good", free.plan(t, 0))
		expect(
			"rpo missed",
			free.plan(t, 0, missesRPO...),
			"below_vmotion_floor",
			"rpo_missed",
		) // the link carries four vMotions: 157 Mbit/s
		expect("at risk", free.plan(t, 0, isAtRisk...), "at_risk")
		// 7,000 / 29 = 241.4 Mbit/s.
		expect("below the floor", free.plan(t, 0, "-var=concurrent_migrations=29"), "below_vmotion_floor", "unsupported")
		expect(
			"limit exceeded",
			free.plan(
				t,
				0,
				tiers(15, 4000),
			),
			"limit_exceeded",
		)
		expect(
			"a weaker promise",
			free.plan(
				t,
				0,
				tiers(30, 1),
			),
			"weaker_than_tier",
		)

		whole := open(t, cli, example)
		expect("conditions hold", whole.plan(t, 0))
		expect(
			"precondition failed",
			whole.plan(t, 1, missesRPO...),
			"below_vmotion_floor",
			"check_failed",
			"errored",
			"rpo_missed",
		)
		if !cli.OpenTofu { // which does not say so
			want["precondition failed"] = append(want["precondition failed"][:3:3], "partial", "rpo_missed")
		}
		checks := open(t, cli, example, "preconditions.tf")
		expect("check failed", checks.plan(t, 0, "-var=replication_rpo_minutes={gold=30}"), "check_failed")
		expect("no tier of that name", checks.plan(t, 0, "-var=replication_rpo_minutes={lead=30}"), "check_failed")

		expect("depends on a change", bare(t, cli).add(t, "late.tf", pending+`
data "vsla_replication_estimate" "late" {
  depends_on           = [terraform_data.pending]
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = 15
}
`).plan(t, 0), "unknown")
		expect("unknown input", bare(t, cli).add(t, "late.tf", pending+`
data "vsla_replication_estimate" "late" {
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = terraform_data.pending.output
}
`).plan(t, 0), "unknown")
		expect("no instance", bare(t, cli).add(t, "late.tf", `
data "vsla_replication_estimate" "none" {
  count                = 0
  vm_count             = 1
  vm_size_gib          = 1
  daily_change_percent = 1
  throughput_mbps      = 1000
  rpo_minutes          = 15
}
`).plan(t, 0), "no_result")
		expect(
			"nested in a check",
			bare(t, cli).add(t, "nested.tf", nested).plan(t, 0, "-var=concurrent_migrations=1"),
			"check_failed",
			"rpo_missed",
		)

		nothing := open(t, cli, "internal/dev/test/policytest/testdata/nothing")
		expect("nothing of the kind", nothing.plan(t, 0), "missing", "unknown")
		check(t, plans, want, settings)
	})
}

// pending is known when it has been applied.
const pending = `
resource "terraform_data" "pending" {
  input            = 15
  triggers_replace = timestamp()
}
`

const nested = `
check "nested" {
  data "vsla_replication_estimate" "nested" {
    vm_count             = 15
    vm_size_gib          = 100
    daily_change_percent = 5
    throughput_mbps      = 630
    rpo_minutes          = 15
  }
  assert {
    condition     = data.vsla_replication_estimate.nested.meets_rpo
    error_message = "Misses."
  }
}
`

// check asks the gate and compares codes.
func check(t *testing.T, plans map[string]document, want map[string][]string, data ...string) {
	t.Helper()
	for name, got := range ask(t, plans, data...) {
		if !slices.Equal(got.codes(), want[name]) {
			t.Errorf("%s: denied %q, want codes %v", name, got.denied, want[name])
		}
	}
}

// TestGate_afterApply plans what is there already.
func TestGate_afterApply(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := bare(t, cli)
		f.run(t, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		plans := map[string]document{
			"no change":    f.plan(t, 0),
			"refresh only": f.plan(t, 0, "-refresh-only"),
			"destroy":      f.plan(t, 0, "-destroy"),
			// What stands in state is good, the configuration is not: a partial plan shows the state.
			"targeted":              f.plan(t, 0, append(missesRPO, "-target=terraform_data.tier")...),
			"changed, refresh only": f.plan(t, 0, append(missesRPO, "-refresh-only")...),
			"state":                 f.show(t),
		}
		check(t, plans, map[string][]string{
			"no change": {}, "refresh only": {},
			"destroy":               {"destroys", "missing"},
			"targeted":              {"missing", "partial"},
			"changed, refresh only": {"below_vmotion_floor", "rpo_missed"},
			"state":                 {"missing", "not_a_plan", "unknown"},
		}, settings)
		// Where the part is itself a result, the CLIs differ in what they leave out besides.
		part := ask(
			t,
			map[string]document{"part": f.plan(t, 0, append(missesRPO, "-target=data.vsla_link_throughput.metro")...)},
			settings,
		)
		if got := part["part"].codes(); !slices.Contains(got, "partial") {
			t.Errorf("targeted at one source: %v", got)
		}
	})
}

// TestGate_modules judges every instance of every module, and names the one that is to blame.
func TestGate_modules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := open(t, cli, "internal/dev/test/policytest/testdata/modules")
		f.run(t, 0, "get")
		plans := map[string]document{
			"one of two": f.plan(t, 0),
			"both":       f.plan(t, 0, "-var=sites={north=7000,south=7000}"),
			"none":       f.plan(t, 0, "-var=sites={}"),
		}
		got := ask(t, plans, "internal/dev/test/policytest/testdata/modules/settings.yaml")
		// 20 VMs of 100 GiB, 5 % in 15 minutes: 954.4 Mbit/s keep the RPO; four times that in 60 minutes the same.
		want := []string{
			`rpo_missed module.site["south"].data.vsla_replication_estimate.tier["gold"]`,
			`rpo_missed module.site["south"].data.vsla_replication_estimate.tier["silver"]`,
		}
		if !slices.Equal(got["one of two"].denied, want) {
			t.Errorf("one of two: %q", got["one of two"].denied)
		}
		if len(got["both"].denied) > 0 {
			t.Errorf("both: %q", got["both"].denied)
		}
		if codes := got["none"].codes(); !slices.Equal(codes, []string{"missing", "no_result"}) {
			t.Errorf("none: %q", got["none"].denied)
		}
	})
}
