package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// StepKind is the kind of a Step.
type StepKind int

// Kinds of steps.
const (
	StepAttribute StepKind = iota
	StepKey
	StepIndex
)

// Step is one element of a Path: an attribute name or a map key (both in Name), or a list index.
type Step struct {
	Kind  StepKind
	Name  string
	Index int
}

// Path identifies the input that an error is about.
type Path []Step

// Attr returns a path to a top-level attribute.
func Attr(name string) Path { return Path{{Kind: StepAttribute, Name: name}} }

// Attr returns the path of an attribute of the object at p.
func (p Path) Attr(name string) Path { return p.with(Step{Kind: StepAttribute, Name: name}) }

// Key returns the path of an element of the map at p.
func (p Path) Key(key string) Path { return p.with(Step{Kind: StepKey, Name: key}) }

// Index returns the path of an element of the list at p, counted from 0.
func (p Path) Index(i int) Path { return p.with(Step{Kind: StepIndex, Index: i}) }

func (p Path) with(s Step) Path { return append(slices.Clip(p), s) }

// String returns the path in Terraform notation: groups["gold"].hourly_weights[3].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Kind == StepKey:
			b.WriteString("[" + strconv.Quote(s.Name) + "]")
		case s.Kind == StepIndex:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case i == 0:
			b.WriteString(s.Name)
		default:
			b.WriteString("." + s.Name)
		}
	}
	return b.String()
}

// InputError reports an invalid input.
type InputError struct {
	Path Path
	// Reason states the valid range and the actual value. It is printed after the path: "must be between 1 and 1,440
	// minutes, got 0".
	Reason string
}

// Error returns the path and the reason.
func (e *InputError) Error() string { return e.Path.String() + " " + e.Reason }

// InputErrors lists all errors of an input, in the order in which they were found.
type InputErrors []*InputError

// Error returns one line per error.
func (e InputErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// With appends err with its path, unless err is nil.
func (e InputErrors) With(at Path, err error) InputErrors {
	if err == nil {
		return e
	}
	return append(e, &InputError{Path: at, Reason: err.Error()})
}

// Err returns the list as an error, or nil if the list is empty.
func (e InputErrors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Range is the valid range of a number, including both Min and Max. Above excludes Min.
type Range struct {
	Min, Max float64
	// Above makes Min exclusive, for quantities that must be greater than 0.
	Above bool
	// Whole allows only whole numbers.
	Whole bool
	// Unit is printed after the bounds, for example "minutes". It is empty for a unitless number.
	Unit string
	// Zero is a hint, such as NoVMs, that is added to the error if 0 is out of range.
	Zero string
}

// InWhole returns the range restricted to whole numbers.
func (r Range) InWhole() Range {
	r.Whole = true
	return r
}

// NoVMs is the hint for a VM count of 0.
const NoVMs = "if the value is from vsla_virtual_machines, no VM matches its filters"

// Check returns an error if v is out of range, NaN or infinite.
func (r Range) Check(v float64) error {
	switch {
	case math.IsNaN(v) || v < r.Min || v > r.Max || (r.Above && v == r.Min):
		got := strconv.FormatFloat(v, 'g', -1, 64)
		switch {
		case math.IsInf(v, 0):
			got = "a number that is too large"
		case v == 0 && r.Zero != "":
			got += "; " + r.Zero
		}
		return fmt.Errorf("must be %s, got %s", r, got)
	case r.Whole && v != math.Trunc(v):
		return fmt.Errorf("must be a whole number (%s), got %s", r, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return nil
}

// String formats the range: "between 1 and 1,440 minutes" or "greater than 0 and at most 1,000,000 Mbit/s".
func (r Range) String() string {
	unit := r.Unit
	if unit != "" {
		unit = " " + unit
	}
	if r.Above {
		return "greater than " + Thousands(r.Min, -1) + " and at most " + Thousands(r.Max, -1) + unit
	}
	return "between " + Thousands(r.Min, -1) + " and " + Thousands(r.Max, -1) + unit
}

// technicalMax and larger upper bounds merely keep the arithmetic finite.
const technicalMax = 1e6

// Doc formats the range for documentation, for example "greater than 0" or "at least 1". It omits upper bounds that
// merely keep the arithmetic finite.
func (r Range) Doc() string {
	positive := r.Min == 0 && r.Above || r.Min > 0 && r.Min <= 1e-3
	switch {
	case r.Max < technicalMax && positive:
		return Range{Max: r.Max, Above: true, Unit: r.Unit}.String()
	case r.Max < technicalMax:
		return r.String()
	case positive:
		return "greater than 0"
	}
	return "at least " + Thousands(r.Min, -1)
}

// Thousands formats a number with the given number of decimals and with commas between groups of three digits. If
// decimals is -1, it prints as many decimals as needed.
func Thousands(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		whole = "-" + whole
	}
	return whole
}

// Percent formats a percentage with the given number of decimals. Values below 100 are never rounded up to 100:
// 99.99985 is printed as 99.99.
func Percent(v float64, decimals int) string {
	if rounding := math.Pow10(decimals); v < 100 && math.Round(v*rounding) >= 100*rounding {
		v = 100 - 1/rounding
	}
	return Thousands(v, decimals)
}

// Count formats a whole number with its noun, pluralized unless the number is 1: "1 VM", "2,000 VMs", "0 waves".
func Count(n float64, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return Thousands(n, 0) + " " + singular + "s"
}

// Number formats a number with as many decimals as needed.
func Number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
