// Plans of every shape, and the verdict of the gate on each.

package policytest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const example = "examples/policy/plan"

// bare is the example without its conditions, which would stop a bad plan before the gate, and with more files.
func bare(t *testing.T, cli terraformcli.CLI, added ...string) folder {
	t.Helper()
	f := open(t, cli, example, "checks.tf", "preconditions.tf", "promises.tftest.hcl")
	return f.with(t, append(added, "tier.tf")...)
}

// missesRPO: 70 % of 900 are 630 Mbit/s; 75 VMs of 1,000 GiB change at 75,000 GiB * 5 % * 2^33 bit / 86,400 s = 372.8
// Mbit/s, and at three times as much in the busiest hours.
var missesRPO = []string{"-var=link_mbps=900", "-var=concurrent_migrations=1"}

// isAtRisk: 3,500 Mbit/s carry the 1,118 of the busiest hours, and a nominal rate may be a fraction of that.
var isAtRisk = []string{"-var=link_mbps=5000", "-var=concurrent_migrations=1"}

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
		plans, want := map[string]document{}, map[string]string{}
		expect := func(name string, plan document, codes string) { plans[name], want[name] = plan, codes }
		free, whole := bare(t, cli), open(t, cli, example)
		expect("good", free.plan(t, 0), "")
		// The link carries four vMotions: 157 Mbit/s.
		expect("rpo missed", free.plan(t, 0, missesRPO...), "below_vmotion_floor rpo_missed")
		expect("at risk", free.plan(t, 0, isAtRisk...), "at_risk")
		// 7,000 / 29 = 241.4 Mbit/s.
		expect("below the floor", free.plan(t, 0, "-var=concurrent_migrations=29"), "below_vmotion_floor unsupported")
		// vSphere Replication supports 4,000 replications, so that no promise to more is sure.
		expect("limit exceeded", free.plan(t, 0, tiers(15, 4000)), "at_risk limit_exceeded")
		expect("a weaker promise", free.plan(t, 0, tiers(30, 1)), "weaker_than_tier")
		expect("conditions hold", whole.plan(t, 0), "")
		codes := "below_vmotion_floor check_failed errored partial rpo_missed"
		if cli.OpenTofu { // which does not report that the plan is partial
			codes = strings.Replace(codes, "partial ", "", 1)
		}
		expect("precondition failed", whole.plan(t, 1, missesRPO...), codes)
		checks := open(t, cli, example, "preconditions.tf")
		expect("check failed", checks.plan(t, 0, "-var=replication_rpo_minutes={gold=30}"), "check_failed")
		expect("no tier of that name", checks.plan(t, 0, "-var=replication_rpo_minutes={lead=30}"), "check_failed")
		expect("depends on a change", bare(t, cli, "depends.tf").plan(t, 0), "unknown")
		expect("unknown input", bare(t, cli, "unknown.tf").plan(t, 0), "unknown")
		expect("no instance", bare(t, cli, "none.tf").plan(t, 0), "no_result")
		nested := bare(t, cli, "nested.tf").plan(t, 0, "-var=concurrent_migrations=1")
		expect("nested in a check", nested, "check_failed rpo_missed")
		expect("nothing of the kind", open(t, cli, testdata+"/nothing").plan(t, 0), "missing unknown")
		check(t, plans, want, settings)
	})
}

// TestGate_afterApply plans a configuration that is applied already.
func TestGate_afterApply(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := bare(t, cli)
		f.run(t, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		check(t, map[string]document{
			"no change":    f.plan(t, 0),
			"refresh only": f.plan(t, 0, "-refresh-only"),
			"destroy":      f.plan(t, 0, "-destroy"),
			// State has good results, the configuration has not: a partial plan shows those of the state.
			"targeted":              f.plan(t, 0, append(missesRPO, "-target=terraform_data.tier")...),
			"changed, refresh only": f.plan(t, 0, append(missesRPO, "-refresh-only")...),
			"state":                 f.show(t),
		}, map[string]string{
			"destroy":               "destroys",
			"targeted":              "partial",
			"changed, refresh only": "below_vmotion_floor rpo_missed",
			"state":                 "missing not_a_plan unknown",
		}, settings)
		// Where the part is itself a result, the CLIs differ in the rest of the codes.
		part := f.plan(t, 0, append(missesRPO, "-target=data.vsla_link_throughput.metro")...)
		if got := ask(t, map[string]document{"part": part}, settings)["part"].codes(); !slices.Contains(got, "partial") {
			t.Errorf("targeted at one source: %v, want partial", got)
		}
	})
}

// TestGate_modules judges every instance of every module by its address.
func TestGate_modules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := open(t, cli, testdata+"/modules")
		f.run(t, 0, "get")
		got := ask(t, map[string]document{
			"one of two": f.plan(t, 0),
			"both":       f.plan(t, 0, "-var=sites={north=7000,south=7000}"),
			"none":       f.plan(t, 0, "-var=sites={}"),
		}, testdata+"/modules/settings.yaml")
		// 20 VMs of 100 GiB, 5 % in 15 minutes: 954.4 Mbit/s keep the RPO; four times that in 60 minutes the same.
		want := []string{
			`rpo_missed module.site["south"].data.vsla_replication_estimate.tier["gold"]`,
			`rpo_missed module.site["south"].data.vsla_replication_estimate.tier["silver"]`,
		}
		if denied := got["one of two"].denied; !slices.Equal(denied, want) {
			t.Errorf("one of two: denied %q, want %q", denied, want)
		}
		if denied := got["both"].denied; len(denied) > 0 {
			t.Errorf("both: denied %q, want nothing", denied)
		}
		if codes := got["none"].codes(); !slices.Equal(codes, []string{"missing", "no_result"}) {
			t.Errorf("none: denied %q, want missing and no_result", codes)
		}
	})
}

// TestGate_messages: each message has its code, and whether a waiver can name it.
func TestGate_messages(t *testing.T) {
	t.Parallel()
	needConftest(t)
	file := t.TempDir() + "/plan.json"
	for want, args := range map[string][]string{
		"(code at_risk; a waiver can name it)": isAtRisk, "(code rpo_missed; cannot be waived)": missesRPO,
	} {
		write(t, file, bare(t, first(t)).plan(t, 0, args...))
		if out, passed := conftest.run(t, append(test(file), "--no-color")...); passed || !strings.Contains(out, want) {
			t.Errorf("%v: passed %t, want a message with %q:\n%s", args, passed, want, out)
		}
	}
}
