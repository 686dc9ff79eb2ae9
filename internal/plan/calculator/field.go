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
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
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
	// NumberOrSpread is a number or an object { low, likely, high }. It occurs only in inputs.
	NumberOrSpread
)

// Field describes an input or a result of a calculator.
type Field struct {
	// Name is the name of the field in every interface. Its suffix denotes the unit: _gib, _mbps, _seconds, _minutes, _ms,
	// _percent.
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
	// Direction states which values are better. It is set for every input. Why gives the reason for the directions Either
	// and Neutral.
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
	if f.Kind == NumberOrSpread {
		doc += " Can be a number or a range, `{ low, likely, high }`."
	}
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

// Unit is the name suffix that denotes a unit.
type Unit string

// Units. Sizes are binary (2^30 and 2^10 bytes), and rates are decimal (10^6 bit/s).
const (
	GiB     Unit = "_gib"
	KiB     Unit = "_kib"
	Bytes   Unit = "_bytes"
	Mbps    Unit = "_mbps"
	Months  Unit = "_months"
	Hours   Unit = "_hours"
	Minutes Unit = "_minutes"
	Seconds Unit = "_seconds"
	Millis  Unit = "_ms"
	Percent Unit = "_percent"
)

var units = []Unit{GiB, KiB, Bytes, Mbps, Months, Hours, Minutes, Seconds, Millis, Percent}

// UnitOf splits a field name into the bare name and the unit, which is empty for a unitless number.
func UnitOf(name string) (string, Unit) {
	for _, u := range units {
		if bare, ok := strings.CutSuffix(name, string(u)); ok {
			return bare, u
		}
	}
	return name, ""
}

var withUnit = regexp.MustCompile(`^\s*[0-9][0-9.,eE+-]*\s*[A-Za-z%]`)

var parsers = map[Unit]func(string) (float64, error){
	GiB: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return size.GiB(), err
	},
	KiB: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return float64(size) / (1 << 10), err
	},
	Bytes: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return float64(size), err
	},
	Mbps: func(text string) (float64, error) {
		rate, err := quantity.ParseRate(text)
		return rate.Mbps(), err
	},
	Hours:   inSeconds(3600),
	Minutes: inSeconds(60),
	Seconds: inSeconds(1),
	Millis:  inSeconds(1e-3),
	Percent: func(text string) (float64, error) {
		number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
		percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if !ok || err != nil {
			return 0, fmt.Errorf("%q is not a percentage such as %q", text, "5%")
		}
		return percent, nil
	},
}

func inSeconds(unit float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		duration, err := quantity.ParseDuration(text)
		return float64(duration) / unit, err
	}
}

// WithUnit parses a text with a unit, such as "1 Gbit/s" or "4h", and converts the value to the unit of the named
// field. It returns false if the text or the field has no unit.
func WithUnit(name, text string) (float64, bool, error) {
	_, unit := UnitOf(name)
	parse := parsers[unit]
	if parse == nil || jsonNumber(strings.TrimSpace(text)) || !withUnit.MatchString(text) {
		return 0, false, nil
	}
	v, err := parse(text)
	return v, true, err
}

// Direction states which values are better.
type Direction string

// Directions, spelled as in the policies.
const (
	Lower  Direction = "low"
	Higher Direction = "high"
	// Either means that lower and higher values can both improve the verdict.
	Either Direction = "either"
	// Neutral means that no value changes the verdict.
	Neutral Direction = "no"
)

// Better sets the direction of an input, Lower or Higher. For a map of numbers, the direction applies to the elements.
// For an object or a map of objects, it applies to the number of elements.
func (row Input[I]) Better(d Direction) Input[I] {
	row.Direction = d
	return row
}

// Either marks an input for which both lower and higher values can improve the verdict. why states the reason.
func (row Input[I]) Either(why string) Input[I] {
	row.Direction, row.Why = Either, why
	return row
}

// Neutral marks an input that has no effect on the verdict. why states the reason.
func (row Input[I]) Neutral(why string) Input[I] {
	row.Direction, row.Why = Neutral, why
	return row
}

// WorstIfAbsent marks an input whose absence is the worst case.
func (row Input[I]) WorstIfAbsent() Input[I] {
	row.AbsentWorst = true
	return row
}

// Simulates marks an input that triggers a simulation.
func (row Input[I]) Simulates() Input[I] {
	row.Field.Simulates = true
	return row
}

// Boundary links a result to an input. If Input is set to the result, the boolean result Test is true; for the next
// worse value, Test is false. If the result is null, Test is the same for all values of Input.
type Boundary struct{ Input, Test string }

// BoundaryOf marks a result as the worst value of an input for which a boolean result is true.
func (row Output[R]) BoundaryOf(input, test string) Output[R] {
	row.Boundary = &Boundary{Input: input, Test: test}
	return row
}

// Better sets the direction of a result, Lower or Higher. A worse input never improves a result with a direction.
func (row Output[R]) Better(d Direction) Output[R] {
	row.Direction = d
	return row
}
