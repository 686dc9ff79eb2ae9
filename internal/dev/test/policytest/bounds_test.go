// The bounds of the example's settings: they are complete, and nothing outside of inputs can be forged.

package policytest_test

import (
	"maps"
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
		plan, count := bare(t, cli).plan(t, 0), 0
		if denied := judge(t, plan, gate); len(denied) > 0 {
			t.Fatalf("the example is denied: %q", denied)
		}
		for i, item := range list(t, gate, "gate", "expected") {
			for _, keys := range boundsOf(as[document](t, item)) {
				count++
				without := clone(t, gate)
				item := as[document](t, list(t, without, "gate", "expected")[i])
				last := len(keys) - 1
				delete(object(t, item, keys[:last]...), keys[last])
				denied := judge(t, plan, without)
				codes := slices.Concat(slices.Collect(maps.Values(denied))...)
				if !slices.Contains(codes, "unbounded") {
					t.Errorf("without %s of %s: denied %q, want unbounded", strings.Join(keys, "."), item["address"], denied)
				}
			}
		}
		if count < 18 {
			t.Errorf("%d bounds, want at least 18", count)
		}
	})
}

// TestGate_forged changes what no bound of an input can see.
func TestGate_forged(t *testing.T) {
	t.Parallel()
	main := strings.Replace(read(t, example, "main.tf"), `output "gold_spread"`, `output "honest"`, 1)
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		value := map[string]document{"a value": open(t, cli, testdata+"/forged").plan(t, 0)}
		check(t, value, map[string]string{"a value": "missing"}, testdata+"/forged/settings.yaml")
		foreign := bare(t, cli).plan(t, 0)
		for _, r := range list(t, foreign, results...) {
			as[document](t, r)["provider_name"] = "registry.terraform.io/elsewhere/vsla"
		}
		check(t, map[string]document{
			"foreign":  foreign,
			"constant": bare(t, cli, "constant.tf").add(t, "main.tf", main).plan(t, 0),
			"smaller":  bare(t, cli, "smaller.tf").add(t, "main.tf", main).plan(t, 0),
		}, map[string]string{
			"foreign": "foreign_provider", "constant": "forged", "smaller": "input_out_of_bounds",
		}, exampleSettings)
	})
}
