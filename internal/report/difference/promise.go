// Promises that ask for less: a verdict that stays, or gets better, because of them is no good news.

package difference

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/report"
)

// promised are the inputs that state a promise, and which of their values are easier to keep.
var promised = map[string]calculator.Direction{
	"compliance_percent":        calculator.Lower,
	"deadline_hours":            calculator.Higher,
	"horizon_months":            calculator.Lower,
	"max_response_ratio":        calculator.Higher,
	"rpo_minutes":               calculator.Higher,
	"switchover_goal_ms":        calculator.Higher,
	"target_compliance_percent": calculator.Lower,
	"tolerance_percent":         calculator.Higher,
}

// weaker returns the changes that ask for less: an easier value, a promise without its value, and a tier or group that
// is gone.
func (p pair) weaker() []Change {
	if p.before == nil || p.after == nil || p.managed() || p.before.Withheld || p.after.Withheld {
		return nil
	}
	var fields []calculator.Field
	if c, ok := registry.OfDataSource(p.after.Type); ok {
		fields = c.Fields
	}
	var less []Change
	for _, name := range p.after.Inputs {
		if !slices.Contains(p.before.Unknown, name) && !slices.Contains(p.after.Unknown, name) {
			less = append(less, weaker(name, fields, p.before.Values[name], p.after.Values[name])...)
		}
	}
	return less
}

// weaker compares an input, or the members of a map of tiers or groups.
func weaker(name string, fields []calculator.Field, was, is any) []Change {
	var field calculator.Field
	if i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == name }); i >= 0 {
		field = fields[i]
	}
	if tiers, ok := was.(map[string]any); ok {
		return weakerTiers(name, field.Fields, tiers, is)
	}
	easier := promised[name]
	if easier == "" || field.Name != "" && (!field.Input || field.Direction != easier) {
		return nil
	}
	c := Change{
		Name: name, Label: report.LabelOf(name), Input: true,
		Before: report.FormatValue(name, was), After: report.FormatValue(name, is), BeforeValue: was, AfterValue: is,
	}
	before, stated := number(was, field.Default)
	after, states := number(is, field.Default)
	if easier == calculator.Lower {
		before, after = -before, -after
	}
	if stated && (!states || after > before) {
		return []Change{c}
	}
	return nil
}

// weakerTiers compares the members of tiers or groups. No default stands for one that is gone.
func weakerTiers(name string, fields []calculator.Field, was map[string]any, now any) []Change {
	is, _ := now.(map[string]any)
	var less []Change
	for _, key := range slices.SortedFunc(maps.Keys(was), report.Natural) {
		before, _ := was[key].(map[string]any)
		after, ok := is[key].(map[string]any)
		known := slices.Clone(fields)
		for i := range known {
			if !ok {
				known[i].Default = nil
			}
		}
		for _, member := range slices.Sorted(maps.Keys(before)) {
			for _, c := range weaker(member, known, before[member], after[member]) {
				less = append(less, c.of(name, key, before))
			}
		}
	}
	return less
}

// number returns the value of an input, and whether there is one.
func number(v, otherwise any) (float64, bool) {
	if v == nil {
		v = otherwise
	}
	n, ok := v.(float64)
	return n, ok
}
