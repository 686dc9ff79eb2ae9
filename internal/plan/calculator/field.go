// Package calculator describes calculators: their names, inputs and results with documentation, units, ranges and
// defaults, verdicts and reason codes.
//
// A Definition is a table of inputs and a table of results, each row with an accessor into the calculator's own Go
// types. The data sources and functions of the provider, the command line, the review, the policies and the
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

// The kinds. A whole number is an Integer in results and a Number with a whole range in inputs.
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
	// NumberOrSpread is a number or an object { low, likely, high }. It is used for inputs only.
	NumberOrSpread
)

// Field describes an input or a result of a calculator.
type Field struct {
	// Name is the name in every interface. Its suffix is the unit: _gib, _mbps, _seconds, _minutes, _ms, _percent.
	Name string
	// Doc is Markdown. Documentation adds the default and the range.
	Doc  string
	Kind Kind
	// Input and Result are both set for a field that is computed unless given.
	Input, Result bool
	// Required inputs have no default.
	Required bool
	// Or names the alternative input: exactly one of the two must be given.
	Or string
	// With names an input that must be given together with this one.
	With string
	// KeyOf names an input that is a map. The value must be one of its keys.
	KeyOf string
	// Range bounds a number, or each number of a list or map; nil allows any.
	Range *plan.Range
	// OneOf lists the valid texts, or the valid keys of a map of objects; empty allows any.
	OneOf []string
	// Default is the value of an omitted input; nil if there is none.
	Default any
	// Example is a value for examples. If it is nil, each interface chooses one.
	Example any
	// Direction states which values are better, and is set for every input. Why gives the reason for Either and
	// Neutral.
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
		doc += " Can be a number or a range, `{ low, likely, high }`."
	}
	if f.Input && f.Default != nil {
		doc += " Defaults to " + formatDefault(f.Default) + "."
	}
	if f.Input && f.Range != nil {
		doc += " Must be " + f.Range.String() + "."
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

// Unit is the suffix of a name that denotes its unit.
type Unit string

// The units. Sizes are binary (2^30 and 2^10 bytes), rates decimal (10^6 bit/s).
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

// UnitOf splits a field name into the bare name and its unit, which is empty for a plain number.
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
			return 0, fmt.Errorf("%q is not a percentage, as in %q", text, "5%")
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

// WithUnit parses a text with a unit, such as "1 Gbit/s" or "4h", into the unit of the named field. It returns false
// if the text or the field has no unit.
func WithUnit(name, text string) (float64, bool, error) {
	_, unit := UnitOf(name)
	parse := parsers[unit]
	plain := jsonNumber(strings.TrimSpace(text))
	if parse == nil || plain || !withUnit.MatchString(text) {
		return 0, false, nil
	}
	v, err := parse(text)
	return v, true, err
}

// Direction states which values are better.
type Direction string

// The directions, spelled as in the policies.
const (
	Lower  Direction = "low"
	Higher Direction = "high"
	// Either means that lower and higher values can both improve the verdict.
	Either Direction = "either"
	// Neutral means that no value changes the verdict.
	Neutral Direction = "no"
)

// Better sets the direction of an input, Lower or Higher. For a map of numbers the direction applies to the elements,
// for a map or an object of inputs to the number of its elements.
func (row Input[I]) Better(d Direction) Input[I] {
	row.Direction = d
	return row
}

// Either marks an input for which lower and higher values can both improve the verdict. why gives the reason.
func (row Input[I]) Either(why string) Input[I] {
	row.Direction, row.Why = Either, why
	return row
}

// Neutral marks an input without effect on the verdict. why gives the reason.
func (row Input[I]) Neutral(why string) Input[I] {
	row.Direction, row.Why = Neutral, why
	return row
}

// WorstIfAbsent marks an input whose absence is the worst case.
func (row Input[I]) WorstIfAbsent() Input[I] {
	row.AbsentWorst = true
	return row
}

// Simulates marks an input that requests a simulation.
func (row Input[I]) Simulates() Input[I] {
	row.Field.Simulates = true
	return row
}

// Boundary ties a result to an input. If Input is set to the result, the boolean result Test is true. With the next
// worse value it is false. If the result is null, no value of Input changes Test.
type Boundary struct{ Input, Test string }

// BoundaryOf marks a result as the worst value of an input for which a boolean result is true.
func (row Output[R]) BoundaryOf(input, test string) Output[R] {
	row.Boundary = &Boundary{Input: input, Test: test}
	return row
}

// Better sets the direction of a result, Lower or Higher. A worse input never improves the result.
func (row Output[R]) Better(d Direction) Output[R] {
	row.Direction = d
	return row
}
