package plantest

import (
	"maps"
	"math"
	"slices"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/calculator"
)

// Worse returns a copy of an input in which one value is worse, and the name of the changed field. It returns false if
// no value has a direction. The new input may be invalid.
func Worse(t *rapid.T, fields []calculator.Field, in map[string]any) (map[string]any, string, bool) {
	var directed []string
	for _, f := range fields {
		if in[f.Name] != nil && f.Input && (isDirected(f) || len(f.Fields) > 0) {
			directed = append(directed, f.Name)
		}
	}
	if len(directed) == 0 {
		return nil, "", false
	}
	name := rapid.SampledFrom(directed).Draw(t, "worse")
	f := fields[slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == name })]
	worse := maps.Clone(in)
	switch v := in[f.Name].(type) {
	case map[string]any:
		if len(f.Fields) == 0 {
			worse[f.Name] = worseNumbers(t, f, v)
			break
		}
		key, members := "", v
		if f.Kind == calculator.Objects {
			key = rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "worse element")
			members, _ = v[key].(map[string]any)
		}
		changed, member, ok := Worse(t, f.Fields, members)
		if !ok {
			return nil, "", false
		}
		name += "." + member
		worse[f.Name] = changed
		if f.Kind == calculator.Objects {
			all := maps.Clone(v)
			all[key] = changed
			worse[f.Name] = all
		}
	default:
		if f.AbsentWorst && rapid.IntRange(0, 3).Draw(t, "leave it out") == 0 {
			delete(worse, f.Name)
			break
		}
		worse[f.Name] = worseNumber(t, f, v)
	}
	return worse, name, true
}

func isDirected(f calculator.Field) bool {
	return f.Direction == calculator.Lower || f.Direction == calculator.Higher
}

// worseNumbers scales every number in a map or spread by the same factor, in the direction that makes it worse.
func worseNumbers(t *rapid.T, f calculator.Field, values map[string]any) map[string]any {
	scaled := make(map[string]any, len(values))
	factor := drawFactor(t)
	for key, v := range values {
		scaled[key] = scale(f, v, factor)
	}
	return scaled
}

func worseNumber(t *rapid.T, f calculator.Field, v any) any {
	factor := drawFactor(t)
	list, ok := v.([]any)
	if !ok {
		return scale(f, v, factor)
	}
	scaled := make([]any, len(list))
	for i, e := range list {
		scaled[i] = scale(f, e, factor)
	}
	return scaled
}

func drawFactor(t *rapid.T) float64 {
	return rapid.OneOf(rapid.Float64Range(1, 1.001), rapid.Float64Range(1, 10)).Draw(t, "worse by")
}

func scale(f calculator.Field, v any, factor float64) any {
	n, ok := v.(float64)
	if !ok {
		return v
	}
	switch {
	case f.Direction == calculator.Higher:
		n /= factor
	case n == 0:
		n = factor - 1
	default:
		n *= factor
	}
	if f.Range.Whole && f.Direction == calculator.Higher {
		n = math.Floor(n)
	} else if f.Range.Whole {
		n = math.Ceil(n)
	}
	return max(f.Range.Min, min(f.Range.Max, n))
}

// precision is the largest relative difference at which two results are considered equal.
const precision = 1e-9

// IsBetter reports whether a is better than b according to the field's direction. Null is neither better nor worse.
func IsBetter(f calculator.Field, a, b any) bool {
	x, isNumber := a.(float64)
	y, both := b.(float64)
	if !isNumber || !both || !isDirected(f) {
		return false
	}
	if f.Direction == calculator.Higher {
		x, y = y, x
	}
	return x < y-precision*max(math.Abs(x), math.Abs(y))
}
