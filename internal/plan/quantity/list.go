// Lists in messages.

package quantity

import (
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// List writes the first names of a list and the number of the others: "a, b and 3 more".
func List(names []string, most int) string {
	return ListOf(names, most, func(name string) string { return name })
}

// ListOf is List for elements that have a name.
func ListOf[E any](all []E, most int, name func(E) string) string {
	names := make([]string, 0, min(len(all), most))
	for _, e := range all[:min(len(all), most)] {
		names = append(names, name(e))
	}
	text := strings.Join(names, ", ")
	if more := len(all) - most; more > 0 {
		text += " and " + plan.Thousands(float64(more), 0) + " more"
	}
	return text
}
