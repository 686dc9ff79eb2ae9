// Inputs: rows that decode a plain value into a field of the calculator's input, and check it.

package calculator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Input is one input of a calculator whose input type is I.
type Input[I any] struct {
	Field
	decode func(in *I, v any, at plan.Path, from source) plan.InputErrors
	check  func(in *I, at plan.Path) plan.InputErrors
	value  func(in *I) any
	// number is the field of a number, nil if it is not given.
	number func(in *I) *float64
}

// WithExample returns the input with a value for examples.
func (row Input[I]) WithExample(v any) Input[I] {
	row.Example = v
	return row
}

// fields returns the rows without their accessors, with the defaults of an input.
func (rows Inputs[I]) fields(defaults *I) []Field {
	list := make([]Field, len(rows))
	for i, row := range rows {
		list[i] = row.Field
		if !row.Required && row.value != nil {
			list[i].Default = row.value(defaults)
		}
	}
	return list
}

// errRequired is the reason of an input that is missing.
var errRequired = errors.New("is required")

// source is the origin of an object's members.
type source int

const (
	// fromUser: a name that is no input is an error.
	fromUser source = iota
	// fromFile: results are next to the inputs and are skipped.
	fromFile
)

// decode fills in from the members of an object. Members that are left out or nil keep their default.
func (rows Inputs[I]) decode(in *I, values map[string]any, at plan.Path, from source) plan.InputErrors {
	var errs plan.InputErrors
	for _, row := range rows {
		v := values[row.Name]
		switch {
		case v != nil:
			errs = append(errs, row.decode(in, v, at.Attr(row.Name), from)...)
		case row.Required:
			errs = errs.With(at.Attr(row.Name), errRequired)
		}
		if row.With != "" && (v == nil) != (values[row.With] == nil) {
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("must be given together with %s, and only with it", row.With))
		}
		if row.Or == "" {
			continue
		}
		if other := values[row.Or]; v == nil && other == nil {
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("must be given, or %s in its place", row.Or))
		} else if v != nil && other != nil {
			errs = errs.With(at.Attr(row.Or), fmt.Errorf("must not be given together with %s", row.Name))
		}
	}
	if from == fromFile {
		return errs
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] != nil && !slices.ContainsFunc(rows, func(row Input[I]) bool { return row.Name == name }) {
			errs = errs.With(at.Attr(name), fmt.Errorf("is not an input; the inputs are %s", rows.names()))
		}
	}
	return errs
}

func (rows Inputs[I]) names() string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Required is a number that must be given.
func Required[I any](name string, r plan.Range, doc string, at func(*I) *float64) Input[I] {
	row := Optional(name, r, doc, at)
	row.Required = true
	return row
}

// Optional is a number that may be left out. Its default is the field of the calculator's Default.
func Optional[I any](name string, r plan.Range, doc string, at func(*I) *float64) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Number, Input: true, Range: &r},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			n, err := number(v)
			*at(in) = n
			return plan.InputErrors{}.With(path, err)
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			return plan.InputErrors{}.With(path, r.Check(*at(in)))
		},
		value:  func(in *I) any { return *at(in) },
		number: at,
	}
}

// OrNone makes a required input one that may be left out.
func (row Input[I]) OrNone() Input[I] {
	row.Required = false
	return row
}

// Together states that the input is given if the other one is, and only then.
func (row Input[I]) Together(other string) Input[I] {
	row.With = other
	return row
}

// KeyOf states that a text is a key of a map that the calculator has as input.
func (row Input[I]) KeyOf(input string) Input[I] {
	row.Field.KeyOf = input
	return row
}

// OrElse makes a required input one that is given unless the other one is; 0 counts as not given.
func (row Input[I]) OrElse(other string) Input[I] {
	value, check := row.value, row.check
	row.check = func(in *I, path plan.Path) plan.InputErrors {
		if value != nil && value(in) == 0.0 {
			return nil
		}
		return check(in, path)
	}
	row.Required, row.Or, row.value = false, other, nil
	return row
}

// Absent is a number that may be left out and has no default: the field is nil then.
func Absent[I any](name string, r plan.Range, doc string, at func(*I) **float64) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Number, Input: true, Range: &r},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			n, err := number(v)
			*at(in) = &n
			return plan.InputErrors{}.With(path, err)
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			if *at(in) == nil {
				return nil
			}
			return plan.InputErrors{}.With(path, r.Check(**at(in)))
		},
		number: func(in *I) *float64 { return *at(in) },
	}
}

// Switch is a boolean that may be left out.
func Switch[I any](name, doc string, at func(*I) *bool) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Bool, Input: true},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			b, err := boolean(v)
			*at(in) = b
			return plan.InputErrors{}.With(path, err)
		},
		value: func(in *I) any { return *at(in) },
	}
}

// Choice is a text; with values, one of them. Without a default, that is when Default leaves the field empty, it is
// either required or may be left out.
func Choice[I any](name string, required bool, oneOf []string, doc string, at func(*I) *string) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Text, Input: true, Required: required, OneOf: oneOf},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			s, err := text(v)
			if err == nil && s == "" {
				err = checkChoice(oneOf, s)
			}
			*at(in) = s
			return plan.InputErrors{}.With(path, err)
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			if *at(in) == "" && !required {
				return nil
			}
			return plan.InputErrors{}.With(path, checkChoice(oneOf, *at(in)))
		},
		value: func(in *I) any {
			if *at(in) == "" {
				return nil
			}
			return *at(in)
		},
	}
}

// Choices is a list of texts that may be left out, each one of the given values and none of them twice.
func Choices[I any](name string, oneOf []string, doc string, at func(*I) *[]string) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Texts, Input: true, OneOf: oneOf},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			list, errs := texts(v, path)
			*at(in) = list
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			var errs plan.InputErrors
			list := *at(in)
			for i, v := range list {
				err := checkChoice(oneOf, v)
				if err == nil && slices.Contains(list[:i], v) {
					err = fmt.Errorf("must not be listed twice, got %q", v)
				}
				errs = errs.With(path.Index(i), err)
			}
			if list != nil && len(list) == 0 {
				errs = errs.With(path, errors.New("must not be empty"))
			}
			return errs
		},
	}
}

func checkChoice(oneOf []string, v string) error {
	if len(oneOf) == 0 || slices.Contains(oneOf, v) {
		return nil
	}
	return fmt.Errorf("must be one of %s, got %q", strings.Join(oneOf, ", "), v)
}

// HourList is a list of 24 numbers, one for each hour from midnight, that may be left out.
func HourList[I any](name string, r plan.Range, doc string, at func(*I) *[]float64) Input[I] {
	row := List(name, r, doc+" 24 numbers, one for each hour from midnight.", at)
	row.Hours = true
	row.check = func(in *I, path plan.Path) plan.InputErrors {
		if *at(in) == nil {
			return nil
		}
		return checkHours(path, *at(in), r)
	}
	return row
}

// List is a list of numbers that may be left out.
func List[I any](name string, r plan.Range, doc string, at func(*I) *[]float64) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Numbers, Input: true, Range: &r},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			list, errs := numbers(v, path)
			*at(in) = list
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			var errs plan.InputErrors
			for i, v := range *at(in) {
				errs = errs.With(path.Index(i), r.Check(v))
			}
			if *at(in) != nil && len(*at(in)) == 0 {
				errs = errs.With(path, errors.New("must not be empty"))
			}
			return errs
		},
	}
}

// HoursPerDay is the length of a list with a number for each hour.
const HoursPerDay = 24

func checkHours(at plan.Path, hours []float64, r plan.Range) plan.InputErrors {
	var errs plan.InputErrors
	if len(hours) != HoursPerDay {
		return errs.With(at, fmt.Errorf("must have 24 numbers, one for each hour from midnight, got %d", len(hours)))
	}
	sum := 0.0
	for h, v := range hours {
		errs = errs.With(at.Index(h), r.Check(v))
		sum += v
	}
	if len(errs) == 0 && sum == 0 {
		errs = errs.With(at, errors.New("must not be 0 in every hour"))
	}
	return errs
}

// Map is a map of numbers that may be left out.
func Map[I any](name string, r plan.Range, doc string, at func(*I) *map[string]float64) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: NumberMap, Input: true, Range: &r},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			values, err := object(v)
			if err != nil {
				return plan.InputErrors{}.With(path, err)
			}
			var errs plan.InputErrors
			m := make(map[string]float64, len(values))
			for _, key := range slices.Sorted(maps.Keys(values)) {
				m[key], err = number(values[key])
				errs = errs.With(path.Key(key), err)
			}
			*at(in) = m
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			var errs plan.InputErrors
			for _, key := range slices.Sorted(maps.Keys(*at(in))) {
				errs = errs.With(path.Key(key), r.Check((*at(in))[key]))
			}
			return errs
		},
	}
}

// maxPoints is the most points of a curve.
const maxPoints = 1000

// Points is a map of numbers by numbers that may be left out, such as sizes by minutes; keys is the range of the keys.
func Points[I any](name string, keys, r plan.Range, doc string, at func(*I) *map[float64]float64) Input[I] {
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: NumberMap, Input: true, Range: &r, Keys: &keys},
		decode: func(in *I, v any, path plan.Path, _ source) plan.InputErrors {
			values, err := object(v)
			if err != nil {
				return plan.InputErrors{}.With(path, err)
			}
			var errs plan.InputErrors
			m := make(map[float64]float64, len(values))
			for _, key := range slices.Sorted(maps.Keys(values)) {
				x, err := parse(key)
				if _, twice := m[x]; err == nil && twice {
					err = errors.New("must be a key of its own")
				}
				errs = errs.With(path.Key(key), err)
				m[x], err = number(values[key])
				errs = errs.With(path.Key(key), err)
			}
			*at(in) = m
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			var errs plan.InputErrors
			if n := len(*at(in)); n > maxPoints {
				return errs.With(path, fmt.Errorf("must have at most %s points, got %s", plan.Thousands(maxPoints, 0),
					plan.Thousands(float64(n), 0)))
			}
			for _, x := range slices.Sorted(maps.Keys(*at(in))) {
				key := path.Key(plan.Number(x))
				if err := keys.Check(x); err != nil {
					errs = errs.With(key, fmt.Errorf("has a key that %w", err))
				}
				errs = errs.With(key, r.Check((*at(in))[x]))
			}
			return errs
		},
	}
}

// Nested is an object that may be left out: the field is nil then. fresh returns an element with its defaults.
func Nested[I, E any](name, doc string, rows Inputs[E], fresh func() E, at func(*I) **E) Input[I] {
	defaults := fresh()
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Object, Input: true, Fields: rows.fields(&defaults)},
		decode: func(in *I, v any, path plan.Path, from source) plan.InputErrors {
			values, err := object(v)
			if err != nil {
				return plan.InputErrors{}.With(path, err)
			}
			e := fresh()
			errs := rows.decode(&e, values, path, from)
			*at(in) = &e
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			if *at(in) == nil {
				return nil
			}
			return rows.Check(*at(in), path)
		},
	}
}

// Each is a required map of objects. fresh returns an element with its defaults.
func Each[I, E any](name, doc string, rows Inputs[E], fresh func() E, at func(*I) *map[string]E) Input[I] {
	defaults := fresh()
	return Input[I]{
		Field: Field{
			Name: name, Doc: doc, Kind: Objects, Input: true, Required: true, Fields: rows.fields(&defaults),
		},
		decode: func(in *I, v any, path plan.Path, from source) plan.InputErrors {
			values, err := object(v)
			if err != nil {
				return plan.InputErrors{}.With(path, err)
			}
			var errs plan.InputErrors
			m := make(map[string]E, len(values))
			for _, key := range slices.Sorted(maps.Keys(values)) {
				members, err := object(values[key])
				if err != nil {
					errs = errs.With(path.Key(key), err)
					continue
				}
				e := fresh()
				errs = append(errs, rows.decode(&e, members, path.Key(key), from)...)
				m[key] = e
			}
			*at(in) = m
			return errs
		},
		check: func(in *I, path plan.Path) plan.InputErrors {
			var errs plan.InputErrors
			for _, key := range slices.Sorted(maps.Keys(*at(in))) {
				e := (*at(in))[key]
				errs = append(errs, rows.Check(&e, path.Key(key))...)
			}
			return errs
		},
	}
}
