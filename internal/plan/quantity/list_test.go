package quantity_test

import (
	"slices"
	"testing"

	"terraform-provider-vsla/internal/plan/quantity"
)

func TestList(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"": nil, "a": {"a"}, "a, b": {"a", "b"}, "a, b and 1 more": {"a", "b", "c"},
		"x, x and 1,234 more": slices.Repeat([]string{"x"}, 1236),
	} {
		if got := quantity.List(names, 2); got != want {
			t.Errorf("List of %d names: got %q, want %q", len(names), got, want)
		}
	}
}
