// The bounds of the example's settings: they are complete, and nothing outside of inputs can be forged.

package policytest_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const exampleSettings = "examples/policy/settings.yaml"

// boundsOf lists the keys that lead to each bound of an expectation.
func boundsOf(item document, prefix ...string) [][]string {
	var found [][]string
	for key, value := range item {
		path := append(slices.Clone(prefix), key)
		if inner, ok := value.(document); ok {
			found = append(found, boundsOf(inner, path...)...)
		} else if key != "address" && key != "type" {
			found = append(found, path)
		}
	}
	return found
}

// TestGate_boundsOfExample judges the example with its settings, and then without each of their bounds.
func TestGate_boundsOfExample(t *testing.T) {
	t.Parallel()
	gate := load[document](t, exampleSettings)
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		gates := map[string]document{"whole": gate}
		for i, item := range list(t, gate, "gate", "expected") {
			for _, keys := range boundsOf(as[document](t, item)) {
				without := clone(t, gate)
				item := as[document](t, list(t, without, "gate", "expected")[i])
				last := len(keys) - 1
				delete(object(t, item, keys[:last]...), keys[last])
				gates[fmt.Sprintf("without %s of %s", strings.Join(keys, "."), item["address"])] = without
			}
		}
		for name, denied := range judge(t, bare(t, cli).plan(t, 0), gates) {
			codes := slices.Concat(slices.Collect(maps.Values(denied))...)
			if slices.Contains(codes, "unbounded") == (name == "whole") || name == "whole" && len(codes) > 0 {
				t.Errorf("%s: denied %q, want unbounded where a bound is missing", name, denied)
			}
		}
		if len(gates) < 19 {
			t.Errorf("%d bounds, want at least 18", len(gates)-1)
		}
	})
}

// TestGate_forged changes what no bound of an input can see.
func TestGate_forged(t *testing.T) {
	t.Parallel()
	gate := load[document](t, exampleSettings)
	function := document{"address": "output.gold_spread", "type": "vsla_replication_estimate", "min_total_gib": 1500}
	grow(t, gate, []any{function}, "gate", "expected")
	refused, believed := filepath.Join(t.TempDir(), "gate.json"), filepath.Join(t.TempDir(), "gate.json")
	write(t, refused, gate)
	object(t, gate, "gate")["unverified_outputs"] = true
	write(t, believed, gate)
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		value := map[string]document{"a value": open(t, cli, testdata+"/forged").plan(t, 0)}
		check(t, value, map[string]string{"a value": "missing"}, testdata+"/forged/settings.yaml")
		foreign := bare(t, cli).plan(t, 0)
		for _, r := range list(t, foreign, results...) {
			as[document](t, r)["provider_name"] = "registry.terraform.io/elsewhere/vsla"
		}
		check(t, map[string]document{"foreign": foreign}, map[string]string{"foreign": "foreign_provider"}, exampleSettings)
		outputs := map[string]document{
			"constant": bare(t, cli, "constant.tf").plan(t, 0), "smaller": bare(t, cli, "smaller.tf").plan(t, 0),
			"merged": bare(t, cli, "merged.tf").plan(t, 0),
		}
		check(t, outputs, map[string]string{
			"constant": "forged settings", "smaller": "input_out_of_bounds settings", "merged": "settings",
		}, refused)
		check(t, outputs, map[string]string{"constant": "forged", "smaller": "input_out_of_bounds"}, believed)
	})
}
