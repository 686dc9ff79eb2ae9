package judge

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

type writer struct{ bytes.Buffer }

func (w *writer) line(format string, values ...any) { fmt.Fprintf(&w.Buffer, format+"\n", values...) }

// flow formats a value as YAML, of which JSON is a part.
func flow(value any) string { return wording.EncodeYAML(value) }

func key(name string) string {
	if schemaName(name) {
		return name
	}
	return flow(name)
}

func schemaName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == ""
}

func isDirected(f calculator.Field) bool {
	return f.Direction == calculator.Lower || f.Direction == calculator.Higher
}

// stated writes a line for an input whose absence is the best case, if all values state it.
func (w *writer) stated(f calculator.Field, parts []part) {
	var all []any
	for _, p := range parts {
		all = append(all, p.values[f.Name])
	}
	if len(all) == 0 || slices.Contains(all, nil) {
		return
	}
	if f.Kind != calculator.Object {
		w.bound(f, all)
		return
	}
	limits := make(map[string]any)
	for _, inner := range f.Fields {
		var numbers []float64
		for _, object := range all {
			values, _ := object.(map[string]any)
			number, _ := values[inner.Name].(float64)
			numbers = append(numbers, number)
		}
		limits["min_"+inner.Name] = slices.Min(numbers)
	}
	w.line("    %s: %s", f.Name, flow(limits))
}

// listed writes the VMs that tiers list, so that none is left out or gets smaller. Tiers that list different VMs have
// no line for all of them.
func (w *writer) listed(tiers []part) {
	fields := schema.Fields(schema.Plan, "tiers.virtual_machines")
	limits := make([]map[string]any, len(tiers))
	for i, p := range tiers {
		vms, _ := p.values["virtual_machines"].(map[string]any)
		limits[i] = limitsOf(vms, fields)
		if len(vms) == 0 || !reflect.DeepEqual(limits[i], limits[0]) {
			return
		}
	}
	w.line("    virtual_machines: %s # nothing else confirms them", flow(limits[0]))
}

// limitsOf returns the limits of the members of objects, so that none is better than today.
func limitsOf(objects map[string]any, fields []calculator.Field) map[string]any {
	all := make(map[string]any, len(objects))
	for name, object := range inputsOf(objects, fields) {
		limits := make(map[string]any)
		inputs, _ := object.(map[string]any)
		for key, value := range inputs {
			limits[limitKey(key, fields)] = value
		}
		all[name] = limits
	}
	return all
}

// limitKey returns the key for a limit of a member: min_size_gib for size_gib.
func limitKey(name string, fields []calculator.Field) string {
	i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == name })
	if i < 0 {
		return name
	}
	return write(fields[i])
}

// bound writes a line that all values are within, unless the best of them is the default: a better one needs a bound.
func (w *writer) bound(f calculator.Field, all []any) {
	if f.Kind == calculator.Object {
		w.line("    %s: %s", f.Name, flow(limitsOf(map[string]any{f.Name: all[0]}, f.Fields)[f.Name]))
		return
	}
	numbers, isNumbers := flatten(all)
	if !isNumbers || !isDirected(f) || f.Hours {
		w.line("    %s: %s", f.Name, flow(all[0]))
		return
	}
	op, best := settings.Min, slices.Min(numbers)
	if f.Direction == calculator.Higher {
		op, best = settings.Max, slices.Max(numbers)
	}
	if usual, ok := toNumber(f.Default); !ok || best != usual {
		w.line("    %s_%s: %v", op, f.Name, best)
	}
}

func flatten(all []any) ([]float64, bool) {
	var numbers []float64
	for _, value := range all {
		switch v := value.(type) {
		case float64:
			numbers = append(numbers, v)
		case []any:
			inner, ok := flatten(v)
			if !ok {
				return nil, false
			}
			numbers = append(numbers, inner...)
		default:
			return nil, false
		}
	}
	return numbers, len(numbers) > 0
}
