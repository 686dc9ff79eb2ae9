// Assumptions: every input with its source, after the results.

package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
)

const (
	// maxValues is up to how many values of an input have a row each.
	maxValues = 4
	// maxNamed is how many results a row names.
	maxNamed = 4
)

// inputField describes an input; its zero value has the name only.
func inputField(kind, name string) calculator.Field {
	if c, ok := registry.OfDataSource(kind); ok {
		if f, ok := c.Field(name); ok {
			return f
		}
	}
	return calculator.Field{Name: name}
}

// assumed is a value of an input with its source, and the results that use it.
type assumed struct {
	text, source string
	number       *float64
	names        []string
}

// assumptions has a row for each input of a kind: its values, with the results that use them, and where they are from.
// Inputs without a value are in the last row, with their defaults.
func (d *Document) assumptions(title string, all []known) Table {
	t := newTable(title+": inputs", "Input", "Value", "Source")
	shown := slices.DeleteFunc(slices.Clone(all), func(k known) bool { return len(k.sensitive) > 0 || k.result })
	if len(shown) == 0 {
		return t
	}
	var names, defaults []string
	for _, k := range shown {
		for _, name := range inputsOf(k.kind) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		values := d.valuesOf(name, shown)
		switch {
		case len(values) == 0:
		case len(values) == 1 && values[0].source == sourceDefault && len(values[0].names) == len(shown):
			defaults = append(defaults, label(name)+" "+values[0].text)
		default:
			t.add(label(name), together(values, len(shown)), sources(values))
		}
	}
	if len(defaults) > 0 {
		t.add("Not given", strings.Join(defaults, ", "), sourceDefault)
	}
	return t
}

// valuesOf are the values of an input in the order of their first results, without unset ones.
func (d *Document) valuesOf(name string, all []known) []assumed {
	var values []assumed
	for _, k := range all {
		text, number := inputText(k.instance, name)
		source := d.sourceOf(k.instance, name)
		if text == "" || source == sourceComputed {
			continue
		}
		i := slices.IndexFunc(values, func(v assumed) bool { return v.text == text && v.source == source })
		if i < 0 {
			i = len(values)
			values = append(values, assumed{text: text, source: source, number: number})
		}
		values[i].names = append(values[i].names, k.subject.Name)
	}
	return values
}

// inputText writes the value of an input, or its default; empty for an unset input without a default.
func inputText(in *instance, name string) (text string, number *float64) {
	v := in.values[name]
	if v == nil {
		if slices.Contains(in.unknown, name) {
			return "not known before apply", nil
		}
		v = inputField(in.kind, name).Default
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case float64:
		return format(name, v), &v
	case map[string]any:
		return mapText(name, v), nil
	case []any:
		if len(v) == 0 {
			return "", nil
		}
		return listed(v, maxNamed), nil
	default:
		if text := format(name, v); text != none {
			return text, nil
		}
		return "", nil
	}
}

// mapText writes a map: a range, the points of a curve, or how many entries there are.
func mapText(name string, v map[string]any) string {
	if likely, ok := v["likely"]; ok {
		return format(name, v["low"]) + " to " + format(name, v["high"]) + ", likeliest " + format(name, likely)
	}
	if name != "change_curve" || len(v) > maxListed {
		return plan.Thousands(float64(len(v)), 0)
	}
	points := make([]string, 0, len(v))
	for _, key := range slices.SortedFunc(maps.Keys(v), natural) {
		minutes, err := strconv.ParseFloat(key, 64)
		if err != nil {
			return plan.Thousands(float64(len(v)), 0)
		}
		points = append(points, format("_gib", v[key])+" in "+duration(minutes*60))
	}
	return strings.Join(points, ", ")
}

// together writes the values of an input with the results that have them, or their range where there are many.
func together(values []assumed, of int) string {
	if len(values) == 1 && len(values[0].names) == of {
		return values[0].text
	}
	if len(values) <= maxValues {
		texts := make([]string, 0, len(values))
		for _, v := range values {
			texts = append(texts, v.text+" ("+forWhom(v.names)+")")
		}
		return strings.Join(texts, ", ")
	}
	low, high := values[0], values[0]
	for _, v := range values {
		if v.number == nil || low.number == nil {
			return plan.Thousands(float64(len(values)), 0) + " values"
		}
		if *v.number < *low.number {
			low = v
		}
		if *v.number > *high.number {
			high = v
		}
	}
	return low.text + " to " + high.text
}

// sources are where the values of an input are from.
func sources(values []assumed) string {
	var all []string
	for _, v := range values {
		if !slices.Contains(all, v.source) {
			all = append(all, v.source)
		}
	}
	return quantity.List(all, maxNamed)
}

func forWhom(names []string) string {
	if len(names) > maxNamed {
		return count(len(names), "result")
	}
	return strings.Join(names, ", ")
}

// sourceDefault is the source of unset inputs, sourceComputed of a result that can be an input as well.
const sourceDefault, sourceComputed = "defaults", "computed"

// sourceOf returns the source of an input.
func (d *Document) sourceOf(in *instance, name string) string {
	if in.values[name] == nil && !slices.Contains(in.unknown, name) {
		return sourceDefault
	}
	if d.inventory != "" {
		return fileSource(in.kind, name)
	}
	expression := d.expression(in.address, name)
	switch {
	case d.plan == nil:
		return "set explicitly (state does not record the source)"
	case expression == nil && inputField(in.kind, name).Result:
		return sourceComputed // it was not given
	case expression == nil:
		return "given"
	case len(expression.References) == 0:
		return "written in the configuration"
	}
	reference := clean(expression.References[0])
	if parts := strings.Split(reference, "."); parts[0] == "data" && len(parts) > 2 {
		if source := kindOf(parts[1]).source; source != "" {
			return source + " (" + reference + ")"
		}
	}
	return reference
}

// fileSource returns which of the two files of a review without Terraform an input is from.
func fileSource(kind, name string) string {
	switch {
	case kind == "vsla_inventory_file":
		return "the command line"
	case slices.Contains([]string{"vm_count", "vm_size_gib", "used_gib", "virtual_machines"}, name):
		return "the inventory file"
	case name == "groups":
		return "both files"
	case inputField(kind, name).Result:
		return "the tiers file, or computed"
	}
	return "the tiers file"
}

// expression is the expression of an argument in the configuration of a plan; nil if that is not known.
func (d *Document) expression(address, name string) *tfjson.Expression {
	if d.plan == nil || d.plan.Config == nil {
		return nil
	}
	module := d.plan.Config.RootModule
	parts := splitAddress(address)
	for module != nil && len(parts) > 2 && parts[0].name == "module" {
		call := module.ModuleCalls[parts[1].name]
		if call == nil {
			return nil
		}
		module, parts = call.Module, parts[2:]
	}
	if module == nil || len(parts) < 3 {
		return nil
	}
	for _, r := range module.Resources {
		if r.Mode == tfjson.DataResourceMode && r.Type == parts[1].name && r.Name == parts[2].name {
			if e := r.Expressions[name]; e != nil && e.ExpressionData != nil {
				return e
			}
		}
	}
	return nil
}

// rulesTable lists the rules of the kinds that are in the review.
func rulesTable(all []known) Table {
	t := newTable("Rules of the calculation", "Rule", "Source")
	var names []string
	for _, k := range all {
		if !slices.Contains(names, k.kind) {
			names = append(names, k.kind)
		}
	}
	for _, name := range names {
		for _, r := range kindOf(name).rules {
			if !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[0].Text == r.text }) {
				t.add(r.text, r.source)
			}
		}
	}
	return t
}
