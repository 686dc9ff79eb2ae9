package attribute

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// OrNull returns a string, or null if it is empty.
func OrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Strings converts a slice to a list. A nil slice becomes an empty list.
func Strings(elements []string) types.List {
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = types.StringValue(e)
	}
	return types.ListValueMust(types.StringType, values)
}

// NumberList converts a slice to a list.
func NumberList(numbers []float64) types.List {
	values := make([]attr.Value, len(numbers))
	for i, n := range numbers {
		values[i] = types.Float64Value(n)
	}
	return types.ListValueMust(types.Float64Type, values)
}
