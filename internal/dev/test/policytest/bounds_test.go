// The bounds of the example's settings: they are complete, and what stands outside of inputs cannot be forged either.

package policytest_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const exampleSettings = "examples/policy/settings.yaml"

// gateFrom reads a settings file. conftest turns YAML into JSON.
func gateFrom(t *testing.T, file string) document {
	t.Helper()
	out, ok := conftestTool.run(t, "parse", "--parser=yaml", file)
	if !ok {
		t.Fatal(out)
	}
	var doc document
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return doc
}

// bound is where a bound is in the settings: the item of expected, and the keys that lead to it.
type bound struct {
	item int
	keys []string
}

// boundsOf lists every bound of the settings.
func boundsOf(t *testing.T, gate document) []bound {
	t.Helper()
	var found []bound
	var walk func(item int, at document, keys []string)
	walk = func(item int, at document, keys []string) {
		for key, value := range at {
			if key == "address" || key == "type" {
				continue
			}
			path := append(slices.Clone(keys), key)
			if inner, ok := value.(document); ok {
				walk(item, inner, path)
				continue
			}
			found = append(found, bound{item, path})
		}
	}
	for i, item := range list(t, gate, "gate", "expected") {
		walk(i, as[document](t, item), nil)
	}
	return found
}

// TestGate_boundsOfExample judges the example with its own settings, and then without each of their bounds.
func TestGate_boundsOfExample(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plan := bare(t, cli).plan(t, 0)
		gate := gateFrom(t, exampleSettings)
		if denied := judge(t, plan, gate); len(denied) > 0 {
			t.Fatalf("the example is denied: %q", denied)
		}
		found := boundsOf(t, gate)
		if len(found) < 18 {
			t.Fatalf("%d bounds only: %v", len(found), found)
		}
		for _, b := range found {
			without := clone(t, gate)
			item := as[document](t, list(t, without, "gate", "expected")[b.item])
			last := len(b.keys) - 1
			delete(object(t, item, b.keys[:last]...), b.keys[last])
			denied := judge(t, plan, without)
			codes := slices.Concat(slices.Collect(maps.Values(denied))...)
			if !slices.Contains(codes, "unbounded") {
				t.Errorf("without %s of %s: %q", strings.Join(b.keys, "."), item["address"], denied)
			}
		}
	})
}

// TestGate_forged changes what no bound of an input can see.
func TestGate_forged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		good := `{ verdict = "meets", meets_rpo = true, violation_free = true, total_gib = 1500 }`
		outputs := func(name, value string) document {
			main := strings.Replace(
				read(t, filepath.Join(root(t), example, "main.tf")),
				"output \"gold_spread\"",
				"output \"honest\"",
				1,
			)
			return bare(
				t,
				cli,
			).add(t, "main.tf", main).
				add(t, name, "output \"gold_spread\" {\n  value = "+value+"\n}\n").
				plan(t, 0)
		}
		foreign := bare(t, cli).plan(t, 0)
		for _, r := range list(t, foreign, "prior_state", "values", "root_module", "resources") {
			as[document](t, r)["provider_name"] = "registry.terraform.io/elsewhere/vsla"
		}
		smaller := outputs("small.tf", `provider::vsla::replication_estimate({
    vm_count = 1, vm_size_gib = 1, daily_change_percent = 1, rpo_minutes = 15, throughput_mbps = 7000 })`)
		plans := map[string]document{"constant": outputs("constant.tf", good), "smaller": smaller, "foreign": foreign}
		check(t, plans, map[string][]string{
			"constant": {"forged"}, "smaller": {"input_out_of_bounds"}, "foreign": {"foreign_provider"},
		}, exampleSettings)
	})
}

// TestGate_complianceBounds bounds what a compliance was asked: which tag is a tier, and what it promises.
func TestGate_complianceBounds(t *testing.T) {
	t.Parallel()
	plan := withReplication(t, open(t, first(t), everything).plan(t, 0))
	gate := func(tiers document, equal document) document {
		return gateOf([]any{document{
			"address": "data.vsla_sla_compliance.site", "tiers": tiers, "equal": equal,
		}}, []any{})
	}
	outside := []string{"input_out_of_bounds"}
	tag := "urn:vmomi:InventoryServiceTag:1:GLOBAL"
	gold := document{"max_rpo_minutes": 15, "equal": document{"tag_id": tag}}
	pairing := document{"pairing_id": "5f1f4c1e-0000-4000-8000-000000000001"}
	for _, run := range []struct {
		name   string
		gate   document
		denied []string
	}{
		{"as asked", gate(document{"gold": gold}, pairing), nil},
		{"longer promise", gate(document{"gold": document{"max_rpo_minutes": 10}}, pairing), []string{"weaker_than_tier"}},
		{"tag of others", gate(document{"gold": document{"equal": document{"tag_id": "urn:2"}}}, pairing), outside},
		{"tier left out", gate(document{"silver": document{"max_rpo_minutes": 60}}, pairing), outside},
		{"other pairing", gate(document{}, document{"pairing_id": "another"}), outside},
	} {
		if got := judge(t, plan, run.gate)["data.vsla_sla_compliance.site"]; !slices.Equal(got, run.denied) {
			t.Errorf("%s: denied %v, want %v", run.name, got, run.denied)
		}
	}
}

// TestKit_inputs compares the kit's list of inputs with the provider's schemas: each input of a calculator is in it,
// and nothing else.
func TestKit_inputs(t *testing.T) {
	t.Parallel()
	out, ok := opaTool.run(t, "eval", "--format=raw", "--data="+kit, "data.vsla.inputs.flatters")
	if !ok {
		t.Fatal(out)
	}
	var listed map[string]map[string]any
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked := inputs(t)
	for kind, fields := range asked {
		for _, field := range fields {
			if _, ok := listed[kind][field]; !ok {
				t.Errorf("examples/policy/rego/inputs.rego does not say which values of %s.%s flatter", kind, field)
			}
		}
	}
	for kind, fields := range listed {
		for field := range fields {
			if !slices.Contains(asked[kind], field) {
				t.Errorf("examples/policy/rego/inputs.rego has %s.%s, which is no input", kind, field)
			}
		}
	}
}
