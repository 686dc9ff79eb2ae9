// Values on their way between a model and plain Go.

package attribute

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// OrNull returns a text, null for an empty one.
func OrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Strings makes a list of strings; none is an empty list, never null.
func Strings(elements []string) types.List {
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = types.StringValue(e)
	}
	return types.ListValueMust(types.StringType, values)
}

// NumberList makes a list of numbers.
func NumberList(numbers []float64) types.List {
	values := make([]attr.Value, len(numbers))
	for i, n := range numbers {
		values[i] = types.Float64Value(n)
	}
	return types.ListValueMust(types.Float64Type, values)
}
