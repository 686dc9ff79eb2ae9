package estate

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// fractions returns a note for each value of the file that looks like a fraction.
func (d *document) fractions(v any, at plan.Path, name string) (notes []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			notes = append(notes, d.fractions(v[key], at.Attr(key), key)...)
		}
	case []any:
		for i, element := range v {
			notes = append(notes, d.fractions(element, at.Index(i), name)...)
		}
	case float64:
		if says := wording.Fraction(name, v); says != "" {
			notes = append(notes, d.problem(at, "looks like a fraction. %s", says).Error())
		}
	}
	return notes
}
