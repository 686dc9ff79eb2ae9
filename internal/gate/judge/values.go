package judge

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func toNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// matches compares a value with what the settings state. Null and what is left out are the same. A map of the settings
// may contain min_NAME and max_NAME for its elements.
func matches(want, is any) bool {
	wanted, isMap := want.(map[string]any)
	given, _ := is.(map[string]any)
	if !isMap {
		return reflect.DeepEqual(want, is)
	}
	bounded := make(map[string]bool)
	for name, w := range wanted {
		bounded[name] = true
		if _, of, _ := strings.Cut(name, "_"); isLimit(name, w, given) {
			bounded[of] = true
		}
		if !matchesElement(name, w, given) {
			return false
		}
	}
	for name, value := range given {
		if value != nil && !bounded[name] {
			return false
		}
	}
	return true
}

// isLimits reports whether a map of the settings is { min: 1, max: 2 }.
func isLimits(m map[string]any) bool {
	for name := range m {
		if name != string(settings.Min) && name != string(settings.Max) {
			return false
		}
	}
	return len(m) > 0
}

// isLimit reports whether min_NAME or max_NAME of the settings bounds NAME: it is neither a name of its own nor null.
func isLimit(name string, want any, given map[string]any) bool {
	op, _, cut := strings.Cut(name, "_")
	return cut && (op == "min" || op == "max") && want != nil && given[name] == nil
}

// matchesElement compares the element of a map with one line of a map of the settings.
func matchesElement(name string, want any, given map[string]any) bool {
	op, rest, _ := strings.Cut(name, "_")
	if isLimit(name, want, given) {
		return allows(settings.Limit{Op: settings.Op(op), Name: rest, Value: want}, given[rest], calculator.Field{})
	}
	bounds, isMap := want.(map[string]any)
	if !isMap || !isLimits(bounds) {
		return matches(want, given[name])
	}
	for op, limit := range bounds {
		if !allows(settings.Limit{Op: settings.Op(op), Value: limit}, given[name], calculator.Field{}) {
			return false
		}
	}
	return true
}

func show(value any) string {
	const most = 80
	switch v := value.(type) {
	case nil:
		return "null"
	case []any:
		return "[" + quantity.ListOf(v, namesListed, show) + "]"
	case map[string]any:
		return "{" + quantity.ListOf(slices.Sorted(maps.Keys(v)), namesListed, func(name string) string {
			if _, isMap := v[name].(map[string]any); isMap {
				return name
			}
			return name + " = " + show(v[name])
		}) + "}"
	}
	text := []rune(fmt.Sprint(value))
	if len(text) > most {
		text = append(text[:most], []rune("...")...)
	}
	return string(text)
}

// inputsOf returns objects without their results, which change with everything else.
func inputsOf(objects map[string]any, fields []calculator.Field) map[string]any {
	all := make(map[string]any, len(objects))
	for name, object := range objects {
		values, ok := object.(map[string]any)
		if !ok {
			all[name] = object
			continue
		}
		inputs := make(map[string]any)
		for key, value := range values {
			i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == key })
			if value != nil && (i < 0 || fields[i].Input) {
				inputs[key] = value
			}
		}
		all[name] = inputs
	}
	return all
}

// ownValues returns the values of an input of a tier that its VMs have of their own.
func ownValues(vms map[string]any, input string) []any {
	name := cmp.Or(map[string]string{"vm_size_gib": "size_gib"}[input], input)
	var own []any
	for _, vm := range vms {
		if values, ok := vm.(map[string]any); ok && values[name] != nil {
			own = append(own, values[name])
		}
	}
	return own
}
