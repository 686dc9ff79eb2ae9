package assess

import (
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// Fact is an attribute of a result with its value.
type Fact struct {
	calculator.Field

	// Label is the readable name without the unit.
	Label string
	// Value is a number, a string or a bool; nil if the value is missing or has members.
	Value any
	// Texts contains the elements of a list of scalar values.
	Texts []string
	// Members contains the elements of a map or, if Listed is set, the numbered elements of a list of objects.
	Members []Member
	Listed  bool
	// Override, if set, replaces the text derived from the name and the value.
	Override string
}

// Member is an element of a map, a list or an object.
type Member struct {
	Key   string
	Facts []Fact
}

// Text formats the value with its unit.
func (f *Fact) Text() string {
	switch {
	case f.Override != "":
		return f.Override
	case f.Members != nil:
		return wording.Count(len(f.Members), "entry")
	case f.Texts != nil:
		list := make([]any, len(f.Texts))
		for i, text := range f.Texts {
			list[i] = text
		}
		return wording.Listed(list, wording.MaxListed)
	}
	return wording.Value(f.Name, f.Value)
}

// ObjectText formats the members of an object that have a value.
func (f *Fact) ObjectText() string {
	var parts []string
	for _, m := range f.Members {
		for _, one := range m.Facts {
			if one.HasValue() {
				parts = append(parts, wording.Lower(one.Label)+" "+one.Text())
			}
		}
	}
	return strings.Join(parts, ", ")
}

// HasValue reports whether the fact has a value.
func (f *Fact) HasValue() bool { return f.Value != nil || f.Texts != nil || f.Members != nil }
