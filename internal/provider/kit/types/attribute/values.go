// Values on their way between a model and plain Go.

package attribute

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Set overwrites a default with an argument that is given.
func Set(field *float64, argument types.Float64) {
	if !argument.IsNull() {
		*field = argument.ValueFloat64()
	}
}

// Strings makes a list of strings; none is an empty list, never null.
func Strings(elements []string) types.List {
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = types.StringValue(e)
	}
	return types.ListValueMust(types.StringType, values)
}

// Floats returns a map of numbers; null is an empty map.
func Floats(m types.Map) map[string]float64 {
	numbers := make(map[string]float64, len(m.Elements()))
	for key, e := range m.Elements() {
		if n, ok := e.(types.Float64); ok {
			numbers[key] = n.ValueFloat64()
		}
	}
	return numbers
}

// FloatMap makes a map of numbers.
func FloatMap(numbers map[string]float64) types.Map {
	values := make(map[string]attr.Value, len(numbers))
	for key, n := range numbers {
		values[key] = types.Float64Value(n)
	}
	return types.MapValueMust(types.Float64Type, values)
}

// StringMap makes a map of strings.
func StringMap(texts map[string]string) types.Map {
	values := make(map[string]attr.Value, len(texts))
	for key, text := range texts {
		values[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

// FloatList returns the numbers of a list; null is nil.
func FloatList(l types.List) []float64 {
	if l.IsNull() {
		return nil
	}
	numbers := make([]float64, 0, len(l.Elements()))
	for _, e := range l.Elements() {
		if n, ok := e.(types.Float64); ok {
			numbers = append(numbers, n.ValueFloat64())
		}
	}
	return numbers
}

// NumberList makes a list of numbers.
func NumberList(numbers []float64) types.List {
	values := make([]attr.Value, len(numbers))
	for i, n := range numbers {
		values[i] = types.Float64Value(n)
	}
	return types.ListValueMust(types.Float64Type, values)
}
