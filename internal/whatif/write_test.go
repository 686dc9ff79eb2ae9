package whatif_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/whatif"
)

// attributes reads the attributes of the data block with a label.
func attributes(t interface{ Fatal(...any) }, text, label string) map[string]any {
	file, problems := hclsyntax.ParseConfig([]byte(text), "what-if.tf", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems.Error() + "\n" + text)
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatal("got no body")
	}
	values := map[string]any{}
	for _, block := range body.Blocks {
		if block.Type != "data" || block.Labels[1] != label {
			continue
		}
		for name, attribute := range block.Body.Attributes {
			v, problems := attribute.Expr.Value(nil)
			if problems.HasErrors() {
				t.Fatal(problems.Error())
			}
			encoded, err := ctyjson.Marshal(v, v.Type())
			if err != nil {
				t.Fatal(err)
			}
			var plain any
			if err := json.Unmarshal(encoded, &plain); err != nil {
				t.Fatal(err)
			}
			values[name] = plain
		}
	}
	return values
}

// TestWrite_hcl checks that configuration has exactly the inputs, whatever is in their texts.
func TestWrite_hcl(t *testing.T) {
	t.Parallel()
	for _, c := range registry.Calculators() {
		if c.NoDataSource {
			continue
		}
		t.Run(c.Command, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				inputs := plantest.Input(t, c)
				for name, v := range inputs {
					if f, _ := c.Field(name); v == "" || f.Name == "groups" || f.Name == "virtual_machines" {
						inputs[name] = hostileKeys(t, v)
					}
				}
				p := whatif.Open(&whatif.Model{Kind: "plan", Results: []any{
					map[string]any{"type": c.DataSource(), "name": "a", "title": "a", "key": "a", "inputs": inputs},
				}})
				text, err := p.Write(whatif.FormatHCL, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := attributes(t, text, "a")
				if len(got) != len(inputs) {
					t.Fatalf("got %d attributes, want %d: %s", len(got), len(inputs), text)
				}
				for name, v := range inputs {
					if value := toJSON(t, got[name]); value != toJSON(t, v) {
						t.Fatalf("%s: got %s, want %s", name, value, toJSON(t, v))
					}
				}
			})
		})
	}
}

// hostileKeys replaces the keys of a map by texts that mean something in configuration.
func hostileKeys(t *rapid.T, v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return rapid.SampledFrom([]string{"${x}", "%{if}", `"`, "\n", "$${", `\u0041`, "\u202e"}).Draw(t, "text")
	}
	renamed := map[string]any{}
	for key, e := range m {
		names := []string{"${x}", "for", `a"b`, "x\ny", "$${", "null", "\u202e", "ü"}
		renamed[rapid.SampledFrom(names).Draw(t, "key")+key] = e
	}
	return renamed
}

// TestWrite_tiers checks the first lines, and the note on VMs, which a tiers file does not have.
func TestWrite_tiers(t *testing.T) {
	t.Parallel()
	p := whatif.Open(example())
	text, err := p.Write(whatif.FormatTiers, whatif.Changes{
		"tier/gold/vm_count": 50.0, "tier/gold/rpo_minutes": 30.0, "growth/growth_percent_per_year": 30.0,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"# What if, from a.csv (inventory).\n# The page with these values: #1.",
		"# gold: the page has vm_count = 50. VMs come from the inventory, which has 40.\n",
		`
tiers:
  - name: "gold"
    match:
      name: "^g"
    daily_change_percent: 5
    growth_percent_per_year: 30
    peak_factor: 4
    rpo_minutes: 30
  - name: "silver"
    match: {}
    daily_change_percent: 4
    growth_percent_per_year: 30
    peak_factor: 4
    rpo_minutes: 60
`, "\nthroughput_mbps: 700\n",
	}
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("got %s, want %s", text, part)
		}
	}
	plan := whatif.Open(results())
	if _, err := plan.Write(whatif.FormatTiers, nil); err == nil {
		t.Error("got a tiers file of a plan, want an error")
	}
	// The comment has the whole page.
	_, fragment, _ := strings.Cut(text, "values: #")
	fragment, _, _ = strings.Cut(fragment, "\n")
	changes, err := p.Changes(fragment)
	if err != nil || !maps.Equal(changes, whatif.Changes{
		"tier/gold/vm_count": 50.0, "tier/gold/rpo_minutes": 30.0, "growth/growth_percent_per_year": 30.0,
	}) {
		t.Errorf("got %v, %v", changes, err)
	}
}
