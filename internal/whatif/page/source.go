// Sources: models of a plan or a state, and of an example.

package page

import (
	"fmt"
	"maps"
	"reflect"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/wording"
)

// throughput is the result of a link that other calculators take as an input.
const throughput = "throughput_mbps"

// FromDocument returns the model of a plan or a state: the calculators' data sources that have been read. It
// has nothing that the review withholds.
func FromDocument(file string, d *document.Document) *whatif.Model {
	m := &whatif.Model{Kind: d.Source().Kind, File: wording.Clean(file), Results: []any{}}
	var withheld, deferred int
	links := map[float64]int{}
	for _, f := range d.Results() {
		c := f.Kind.Calculator
		switch {
		case c == nil || f.Function:
			continue
		case f.Withheld():
			withheld++
			continue
		case f.Deferred != "":
			deferred++
			continue
		}
		inputs := inputsIn(c, f.Values)
		if rate, ok := f.Values[throughput].(float64); ok && c.Command == "link" {
			links[rate] = len(m.Results)
		}
		m.Results = append(m.Results, map[string]any{
			"type": f.Type, "name": f.Name, "title": f.Title, "key": f.Key, "inputs": inputs,
		})
	}
	takeFromLinks(m.Results, links)
	note := func(n int, why string) {
		if n > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("%s not on this page: %s.", wording.Count(n, "result"), why))
		}
	}
	note(withheld, "withheld, because they have or follow from sensitive values")
	note(deferred, "read during apply")
	return m
}

// takeFromLinks makes the throughput of a link an input of the results that have exactly it.
func takeFromLinks(results []any, links map[float64]int) {
	for i, one := range results {
		result, _ := one.(map[string]any)
		inputs, _ := result["inputs"].(map[string]any)
		rate, given := inputs[throughput].(float64)
		if link, ok := links[rate]; given && ok && link != i {
			delete(inputs, throughput)
			result["from"] = map[string]any{throughput: float64(link)}
		}
	}
}

// inputsIn returns the inputs among the values of a result. An input that is computed unless it is given is left out
// where the file has the computed value.
func inputsIn(c *calculator.Calculator, values map[string]any) map[string]any {
	inputs, both := map[string]any{}, []string{}
	for _, f := range c.Inputs() {
		if v := pruned(values[f.Name], f); v != nil {
			inputs[f.Name] = v
		}
		if f.Result {
			both = append(both, f.Name)
		}
	}
	for _, name := range both {
		without := maps.Clone(inputs)
		delete(without, name)
		if results, err := c.Evaluate(without); err == nil && reflect.DeepEqual(results[name], values[name]) {
			inputs = without
		}
	}
	return inputs
}

// pruned returns a value without nulls, and of objects their inputs only.
func pruned(v any, f calculator.Field) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept := map[string]any{}
	switch f.Kind {
	case calculator.Objects:
		for key, e := range m {
			kept[key] = pruned(e, calculator.Field{Kind: calculator.Object, Fields: f.Fields})
		}
	case calculator.Object:
		for _, member := range f.Fields {
			if e := m[member.Name]; member.Input && e != nil {
				kept[member.Name] = pruned(e, member)
			}
		}
	default:
		return v
	}
	return kept
}

// Example returns the model of a small estate.
func Example() *whatif.Model {
	tier := func(name string, vms, gib, change, rpo float64) any {
		return map[string]any{
			"name": name, "vm_count": vms, "vm_size_gib": gib,
			"inputs": map[string]any{"daily_change_percent": change, "rpo_minutes": rpo, "peak_factor": 4.0},
		}
	}
	return &whatif.Model{Kind: "example", Tiers: map[string]any{
		"link": map[string]any{"bandwidth_mbps": 1000.0, "efficiency_percent": 70.0, "rtt_ms": 10.0},
		"tiers": []any{
			tier("gold", 40, 200, 5, 15), tier("silver", 120, 150, 4, 60), tier("bronze", 200, 100, 3, 240),
		},
	}}
}
