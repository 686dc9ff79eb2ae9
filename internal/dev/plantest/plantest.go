// Package plantest generates random calculator inputs for property tests. It also evaluates the arithmetic expressions
// in examples and documentation.
package plantest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

const (
	// maxWhole is how far whole numbers (VMs, days, streams) may exceed their minimum. A small value keeps simulations
	// short.
	maxWhole = 3
	// Realistic numbers are between minNumber and maxNumber.
	maxNumber, minNumber = 1e5, 1e-2
	manyInputs           = 25
)

// Input generates an input that sets all required fields and some optional ones to realistic values. It may set fields
// that exclude each other, so not every input is valid.
func Input(t *rapid.T, c *calculator.Calculator) map[string]any {
	return (&drawing{t: t, keys: exampleKeys(c.Inputs())}).members("", c.Inputs())
}

// Corner is like Input, but draws numbers from the entire range of each field, including the limits, and does not
// request a simulation. For calculators that always simulate, it is the same as Input.
func Corner(t *rapid.T, c *calculator.Calculator) map[string]any {
	fields := c.Inputs()
	if Simulated(c, nil) {
		return Input(t, c)
	}
	plain := slices.DeleteFunc(slices.Clone(fields), func(f calculator.Field) bool { return f.Simulates })
	return (&drawing{t: t, keys: exampleKeys(fields), corners: true}).members("", plain)
}

// Simulated reports whether an input requests a simulation, whose results are not monotonic.
func Simulated(c *calculator.Calculator, in map[string]any) bool {
	return slices.ContainsFunc(c.Inputs(), func(f calculator.Field) bool {
		return f.Simulates && (f.Required || in[f.Name] != nil)
	})
}

func exampleKeys(fields []calculator.Field) []string {
	var keys []string
	for _, f := range fields {
		if example, ok := f.Example.(map[string]any); ok && f.Kind == calculator.NumberMap {
			keys = slices.AppendSeq(keys, maps.Keys(example))
		}
	}
	slices.Sort(keys)
	return keys
}

type drawing struct {
	t       *rapid.T
	keys    []string
	corners bool
}

func (d *drawing) bool(label string) bool { return rapid.Bool().Draw(d.t, label) }

func (d *drawing) members(path string, fields []calculator.Field) map[string]any {
	values := make(map[string]any)
	inPlace := make(map[string]bool)
	// A random combination of many optional fields is rarely valid, so set fewer of them.
	optional := func(at string) bool {
		return d.bool("with "+at) && (len(fields) <= manyInputs || d.bool("with it too "+at))
	}
	for _, f := range fields {
		at := path + f.Name
		if f.Or != "" {
			// Set exactly one of two alternatives. Several inputs may share the same alternative.
			if _, drawn := inPlace[f.Or]; !drawn {
				inPlace[f.Or] = d.bool(f.Or + " in place of " + at)
			}
			if !inPlace[f.Or] {
				values[f.Name] = d.value(at, f)
			}
			continue
		}
		if given, ok := inPlace[f.Name]; ok {
			if given {
				values[f.Name] = d.value(at, f)
			}
			continue
		}
		if d.given(at, f, values, optional) {
			values[f.Name] = d.value(at, f)
		}
	}
	return values
}

// given decides whether to set a field. It never sets maps keyed by input names, because their values depend on those
// inputs.
func (d *drawing) given(at string, f calculator.Field, values map[string]any, optional func(string) bool) bool {
	switch {
	case !f.Input, f.Kind == calculator.Objects && len(f.OneOf) > 0:
		return false
	case f.With != "":
		return values[f.With] != nil
	}
	return f.Required || optional(at)
}

func (d *drawing) value(at string, f calculator.Field) any {
	switch f.Kind {
	case calculator.Bool:
		return d.bool(at)
	case calculator.Text:
		return d.text(at, f)
	case calculator.Numbers:
		n := maxWhole
		if f.Hours {
			n = calculator.HoursPerDay
		}
		list := make([]any, n)
		for h := range list {
			list[h] = d.number(fmt.Sprint(at, h), *f.Range)
		}
		return list
	case calculator.Texts:
		return []any{rapid.SampledFrom(f.OneOf).Draw(d.t, at)}
	case calculator.NumberMap:
		return d.numberMap(at, f)
	case calculator.Object:
		return d.members(at+".", f.Fields)
	case calculator.Objects:
		all := make(map[string]any)
		for i := range rapid.IntRange(1, 3).Draw(d.t, at) {
			all[fmt.Sprint("element", i)] = d.members(fmt.Sprint(at, i, "."), f.Fields)
		}
		return all
	default:
		return d.number(at, *f.Range)
	}
}

func (d *drawing) text(at string, f calculator.Field) any {
	if f.KeyOf != "" {
		return "element0"
	}
	if example, ok := f.Example.(string); ok && len(f.OneOf) == 0 {
		return example
	}
	values := f.OneOf
	if len(values) == 0 {
		values = []string{"a", "b"}
	}
	return rapid.SampledFrom(values).Draw(d.t, at)
}

// numberMap generates a number for one of the example keys, or a curve with sublinear growth if the keys are numbers.
func (d *drawing) numberMap(at string, f calculator.Field) map[string]any {
	if f.Keys == nil {
		return map[string]any{rapid.SampledFrom(d.keys).Draw(d.t, at+" key"): d.number(at, *f.Range)}
	}
	curve := make(map[string]any)
	x, y := d.number(at+" key", plan.Range{Min: 1, Max: 60}), d.number(at, *f.Range)
	for range rapid.IntRange(1, 3).Draw(d.t, at+" points") {
		curve[strconv.FormatFloat(x, 'g', -1, 64)] = y
		factor := rapid.Float64Range(1.1, 5).Draw(d.t, at+" factor")
		x *= factor
		y = min(f.Range.Max, y*math.Pow(factor, rapid.Float64Range(0, 0.99).Draw(d.t, at+" slope")))
	}
	return curve
}

// number generates a log-uniform number in a range, or sometimes one of the limits.
func (d *drawing) number(at string, r plan.Range) float64 {
	low, high := min(r.Max, max(r.Min, minNumber)), min(r.Max, maxNumber)
	bound := rapid.IntRange(0, 9).Draw(d.t, at+" at its bound")
	switch {
	case bound == 0 && !r.Above:
		return r.Min
	case d.corners && bound == 1:
		return r.Max
	case d.corners && bound == 2 && !r.Whole:
		return max(r.Min, math.SmallestNonzeroFloat64)
	case d.corners && bound < 5:
		low, high = min(r.Max, max(r.Min, 1e-9)), r.Max
	case r.Whole:
		return float64(rapid.IntRange(int(r.Min), int(min(r.Max, r.Min+maxWhole))).Draw(d.t, at))
	}
	v := math.Pow(10, rapid.Float64Range(math.Log10(low), math.Log10(high)).Draw(d.t, at))
	if r.Whole {
		v = math.Trunc(v)
	}
	return max(r.Min, min(r.Max, v))
}
