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

// matches reports whether a value is what the settings state.
func matches(want, is any) bool { return len(differences("", want, is)) == 0 }

// difference is a part of a value that the settings do not allow.
type difference struct {
	path string
	is   any
	must string
	// isUnlisted reports whether it is a member that the settings do not have.
	isUnlisted bool
}

// differences compares a value with what the settings state. Null and what is left out are the same. A map of the
// settings may contain min_NAME and max_NAME for its elements.
func differences(path string, want, is any) []difference {
	wanted, wantsMap := want.(map[string]any)
	given, isMap := is.(map[string]any)
	list, wantsList := want.([]any)
	elements, isList := is.([]any)
	switch {
	case wantsMap && isMap:
		return differencesOfMaps(path, wanted, given)
	case wantsMap && is == nil && len(differencesOfMaps(path, wanted, nil)) == 0:
		return nil
	case wantsList && isList && len(list) == len(elements):
		var all []difference
		for i := range list {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), list[i], elements[i])...)
		}
		return all
	case reflect.DeepEqual(want, is):
		return nil
	}
	return []difference{{path: path, is: is, must: must(settings.Limit{Op: settings.Equal, Value: want})}}
}

func differencesOfMaps(path string, wanted, given map[string]any) []difference {
	var all []difference
	bounded := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		bounded[name] = true
		if _, of, _ := strings.Cut(name, "_"); isLimit(name, wanted[name], given) {
			bounded[of] = true
		}
		all = append(all, differencesOfMember(path, name, wanted[name], given)...)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] != nil && !bounded[name] {
			all = append(all, difference{path + "." + name, given[name], "not listed", true})
		}
	}
	return all
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

// differencesOfMember compares a member of a map with one line of a map of the settings.
func differencesOfMember(path, name string, want any, given map[string]any) []difference {
	op, rest, _ := strings.Cut(name, "_")
	if isLimit(name, want, given) {
		return outside(path+"."+rest, settings.Limit{Op: settings.Op(op), Value: want}, given[rest])
	}
	bounds, isMap := want.(map[string]any)
	if !isMap || !isLimits(bounds) {
		return differences(path+"."+name, want, given[name])
	}
	var all []difference
	for _, op := range slices.Sorted(maps.Keys(bounds)) {
		all = append(all,
			outside(path+"."+name, settings.Limit{Op: settings.Op(op), Value: bounds[op]}, given[name])...)
	}
	return all
}

// outside returns the difference of a value that a limit does not allow.
func outside(path string, limit settings.Limit, is any) []difference {
	if allows(limit, is, calculator.Field{}) {
		return nil
	}
	return []difference{{path: path, is: is, must: must(limit)}}
}

// explain states what the settings allow instead of a value. Of several differences, it lists the first.
func explain(all []difference) string {
	switch {
	case len(all) == 1 && all[0].isUnlisted:
		return fmt.Sprintf("%s = %s, which the settings do not list", all[0].path, show(all[0].is))
	case len(all) == 1:
		return fmt.Sprintf("%s = %s; the settings allow %s", all[0].path, show(all[0].is), all[0].must)
	}
	const most = 3
	return quantity.ListOf(all, most, func(d difference) string {
		return fmt.Sprintf("%s = %s (%s)", d.path, show(d.is), d.must)
	}) + "; the settings allow what is in parentheses"
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
	for _, vm := range slices.Sorted(maps.Keys(vms)) {
		if values, ok := vms[vm].(map[string]any); ok && values[name] != nil {
			own = append(own, values[name])
		}
	}
	return own
}
