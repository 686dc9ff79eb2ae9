package calculator

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Kind is the type of a field.
type Kind int

// The kinds. Whole numbers are Integer in results and Number with a whole range in inputs.
const (
	Number Kind = iota
	Integer
	Text
	Bool
	Numbers   // list of numbers
	Texts     // list of strings
	NumberMap // map of numbers
	TextMap   // map of strings
	Object    // object with Fields
	Objects   // map of objects with Fields
	ObjectList
	// NumberOrSpread is a number or an object { low, likely, high }, for inputs only.
	NumberOrSpread
)

// Field describes an input or a result of a calculator.
type Field struct {
	// Name is the name in every interface. Its suffix is the unit: _gib, _mbps, _seconds, _minutes, _ms, _percent.
	Name string
	// Doc is Markdown; Documentation adds the default and the range.
	Doc  string
	Kind Kind
	// Input and Result may both be set: such a field is computed unless given.
	Input, Result bool
	// Required inputs have no default.
	Required bool
	// Or names the alternative input: exactly one of the two must be given.
	Or string
	// With names an input that must be given together with this one.
	With string
	// KeyOf names a map among the inputs; the value must be one of its keys.
	KeyOf string
	// Range bounds a number, or each number of a list or map; nil allows any.
	Range *plan.Range
	// OneOf lists the valid texts, or the valid keys of a map of objects; empty allows any.
	OneOf []string
	// Default is the value of an omitted input; nil if there is none.
	Default any
	// Example is a value for examples; nil leaves the choice to the interface.
	Example any
	// Direction states which values are better; every input has one. Why explains Either and Neutral.
	Direction Direction
	Why       string
	// AbsentWorst marks an input whose absence is the worst case.
	AbsentWorst bool
	// Simulates marks an input that requests a simulation, whose verdicts are not monotone.
	Simulates bool
	// Lifted marks an input of another calculator, whose examples cover it.
	Lifted bool
	// Hours marks a list of 24 numbers, one for each hour from midnight.
	Hours bool
	// Keys bounds the numeric keys of a map.
	Keys *plan.Range
	// Boundary is set if the result is the boundary value of an input.
	Boundary *Boundary
	// Fields are the members of an object.
	Fields []Field
}

// Documentation returns Doc with the default and the range, as Markdown.
func (f Field) Documentation() string {
	doc := f.Doc
	if f.Kind == NumberOrSpread {
		doc += " A number, or a range: `{ low, likely, high }`."
	}
	if f.Input && f.Default != nil {
		doc += " Default " + formatDefault(f.Default) + "."
	}
	if f.Input && f.Range != nil {
		doc += " Must be " + f.Range.String() + "."
	}
	if f.Or != "" {
		doc += " Exactly one of this and `" + f.Or + "` must be given."
	}
	if f.With != "" {
		doc += " Must be given together with `" + f.With + "`."
	}
	return doc
}

func formatDefault(v any) string {
	switch v := v.(type) {
	case float64:
		return plan.Thousands(v, -1)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case string:
		return "`" + v + "`"
	}
	return ""
}

// HasResult reports whether the field or a member of it is computed.
func (f Field) HasResult() bool {
	if f.Result {
		return true
	}
	for _, member := range f.Fields {
		if member.HasResult() {
			return true
		}
	}
	return false
}

// RoundingOf returns the rounding direction for a field: up for a required throughput and the space of replicas, down
// for maxima, remaining months, compliance and probabilities.
func RoundingOf(name string) plan.Rounding {
	bare, unit := UnitOf(name)
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(bare, prefix) })
	}
	switch {
	case unit == Mbps && has("throughput_", "min_throughput"), name == "target_gib":
		return plan.Up
	case has("max_", "months_until_", "probability_", "guest_speed"), strings.Contains(name, "compliance_percent"),
		strings.HasSuffix(name, "within_rpo_percent"):
		return plan.Down
	}
	return plan.Nearest
}

func find(fields []Field, name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
