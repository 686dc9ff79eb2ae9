// Package calculator defines how calculators are described: their names, inputs and results with documentation, units,
// ranges and defaults, and their verdicts and reason codes.
//
// A Definition is a table of inputs and a table of results. Each row has an accessor for a field of the calculator's
// own Go types. The provider's data sources and functions, the command line, the review, the policies and the
// documentation are generated from these tables.
//
// Values have the types of decoded JSON (package encoding/json): nil, bool, float64 (json.Number is accepted), string,
// []any and map[string]any.
package calculator

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Kind is the type of a field.
type Kind int

// Kinds of fields. A whole number is an Integer in results, but a Number with a whole-number range in inputs.
const (
	Number Kind = iota
	Integer
	Text
	Bool
	Numbers
	Texts
	NumberMap
	TextMap
	Object
	Objects
	ObjectList
)

// Field describes an input or a result of a calculator.
type Field struct {
	// Name is the name of the field in every interface. Its suffix denotes the unit: _gib, _mbps, _seconds, _minutes,
	// _ms, _percent.
	Name string
	// Doc is Markdown. The Documentation method adds the default and the range.
	Doc  string
	Kind Kind
	// Input and Result are both true for a field that is computed unless it is given as an input.
	Input, Result bool
	// Required marks an input that has no default.
	Required bool
	// Or is the name of the alternative input. Exactly one of the two must be given.
	Or string
	// With is the name of an input that must be given together with this one.
	With string
	// KeyOf is the name of a map input. The value must be one of that map's keys.
	KeyOf string
	// Range bounds a number, or each number in a list or map; nil for no bounds.
	Range *plan.Range
	// OneOf lists the valid texts, or the valid keys of a map of objects. If it is empty, any text is valid.
	OneOf []string
	// Default is the value of an omitted input; nil for no default.
	Default any
	// Example is a value for use in examples. If it is nil, each interface chooses a value.
	Example any
	// Direction states which values are better. It is set for every input. Why gives the reason for the directions
	// Either and Neutral.
	Direction Direction
	Why       string
	// AbsentWorst marks an input whose absence is the worst case.
	AbsentWorst bool
	// Simulates marks an input that triggers a simulation. The verdicts of simulations are not monotone.
	Simulates bool
	// Lifted marks an input that belongs to another calculator and is covered by that calculator's examples.
	Lifted bool
	// Hours marks a list of 24 numbers, one for each hour of the day, starting at midnight.
	Hours bool
	// Keys bounds the numeric keys of a map.
	Keys *plan.Range
	// Boundary is set if the result is the boundary value of an input.
	Boundary *Boundary
	// Fields lists the members of an object.
	Fields []Field
}

// Documentation returns Doc, followed by the default and the range, as Markdown.
func (f Field) Documentation() string {
	doc := f.Doc
	if f.Input && f.Default != nil {
		doc += " Defaults to " + formatDefault(f.Default) + "."
	}
	if f.Input && f.Range != nil {
		subject := " Must be "
		if f.Kind == Numbers || f.Kind == NumberMap {
			subject = " Each value must be "
		}
		doc += subject + f.Range.Doc() + "."
	}
	if f.Or != "" {
		doc += " Exactly one of this and `" + f.Or + "` is required."
	}
	if f.With != "" {
		doc += " Must be set together with `" + f.With + "`."
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

// HasResult reports whether the field or any of its members is computed.
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

// RoundingOf returns the rounding direction of a field: up for required throughput and replica space, down for maxima,
// remaining months, compliance and probabilities.
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
