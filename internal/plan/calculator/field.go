// Fields: the description of one input or result.

package calculator

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Kind is the type of a field's value.
type Kind int

// The kinds. Whole numbers among the results are Integer; inputs are always Number, with a range that may admit whole
// numbers only.
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
	// NumberOrSpread is a number, or an object { low, likely, high }. Inputs only.
	NumberOrSpread
)

// Field describes one attribute of a calculator.
type Field struct {
	// Name is the name in every interface. Its suffix is the unit: _gib, _mbps, _seconds, _minutes, _ms, _percent.
	Name string
	// Doc is Markdown without the default and the range; Documentation adds them.
	Doc  string
	Kind Kind
	// Input: it may be given. Result: it is computed. A field that is both is computed unless it is given.
	Input, Result bool
	// Required inputs must be given.
	Required bool
	// Or names the input that is given in place of this one: exactly one of them is given.
	Or string
	// With names an input: this one is given if that one is, and only then.
	With string
	// KeyOf names a map among the inputs of the calculator: the text is one of its keys.
	KeyOf string
	// Range bounds a number, and each number of a list or a map; nil admits any.
	Range *plan.Range
	// OneOf are the values that a text, or the keys that a map of objects may have; empty admits any.
	OneOf []string
	// Default is the value of an input that is left out; nil without one.
	Default any
	// Example is a value for examples, of Default's types; nil leaves the choice to the interface.
	Example any
	// Direction reports which values are better; every input has one. Why is the reason where it is Either or Neutral.
	Direction Direction
	Why       string
	// AbsentWorst: no value of the input is worse than none.
	AbsentWorst bool
	// Simulates: the input asks for a simulation, whose verdicts are not monotone.
	Simulates bool
	// Lifted: the input is one of another calculator, whose examples prove its formula.
	Lifted bool
	// Hours: a list has 24 numbers, one for each hour from midnight.
	Hours bool
	// Keys bounds the keys of a map of numbers by numbers.
	Keys *plan.Range
	// Boundary is set where a result is the boundary value of an input.
	Boundary *Boundary
	// Fields are the members of an object.
	Fields []Field
}

// Documentation returns Doc with the default and the range of the field, as Markdown.
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
		doc += " Only with `" + f.With + "`, which needs it."
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

// RoundingOf returns how the number of a field is rounded where digits are left out: a least throughput and the space
// that replicas take up, the largest of something, months that are left and a share of time or of samples down.
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

// find returns the field of that name.
func find(fields []Field, name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
