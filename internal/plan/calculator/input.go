package calculator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Input is an input of a calculator with input type I.
type Input[I any] struct {
	Field
	decode func(in *I, v any, at plan.Path, from source) plan.InputErrors
	check  func(in *I, at plan.Path) plan.InputErrors
	value  func(in *I) any
	// number returns the field of a numeric input, nil if it is not given.
	number func(in *I) *float64
	// clear makes it one that is not given; nil for one that always has a value.
	clear func(in *I)
}

// WithExample sets the value for examples.
func (row Input[I]) WithExample(v any) Input[I] {
	row.Example = v
	return row
}

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

var errRequired = errors.New("is required")

// source is the origin of the decoded values.
type source int

const (
	// fromUser rejects unknown names.
	fromUser source = iota
	// fromFile skips unknown names, because files contain results next to inputs.
	fromFile
)

// decode sets the inputs from the members of an object. Missing and null members keep their defaults.
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
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("must be given together with %s", row.With))
		}
		if row.Or == "" {
			continue
		}
		if other := values[row.Or]; v == nil && other == nil {
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("must be given, or %s instead", row.Or))
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

// Required is a required number.
func Required[I any](name string, r plan.Range, doc string, at func(*I) *float64) Input[I] {
	row := Optional(name, r, doc, at)
	row.Required = true
	return row
}

// Optional is an optional number. Its default is the field's value in Definition.Default.
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

// OrNone makes a required input optional.
func (row Input[I]) OrNone() Input[I] {
	row.Required = false
	return row
}

// Together requires this input and the other one to be given together.
func (row Input[I]) Together(other string) Input[I] {
	row.With = other
	return row
}

// KeyOf requires the value to be a key of a map among the inputs.
func (row Input[I]) KeyOf(input string) Input[I] {
	row.Field.KeyOf = input
	return row
}

// OrElse makes a required input an alternative to the other one; 0 counts as not given.
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

// Absent is an optional number without a default; its field is nil if omitted.
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
		clear:  func(in *I) { *at(in) = nil },
	}
}

// Switch is an optional boolean.
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

// Choice is a text, or one of the given values if there are any.
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
		clear: func(in *I) { *at(in) = "" },
	}
}

// Choices is an optional list of distinct values from the given ones.
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
		value: func(in *I) any { return listOf(*at(in)) },
		clear: func(in *I) { *at(in) = nil },
	}
}

func checkChoice(oneOf []string, v string) error {
	if len(oneOf) == 0 || slices.Contains(oneOf, v) {
		return nil
	}
	return fmt.Errorf("must be one of %s, got %q", strings.Join(oneOf, ", "), v)
}

// HourList is an optional list of 24 numbers, one for each hour from midnight.
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

// List is an optional list of numbers.
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
		value: func(in *I) any { return listOf(*at(in)) },
		clear: func(in *I) { *at(in) = nil },
	}
}

// HoursPerDay is the length of an HourList.
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

// Map is an optional map of numbers.
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
		value: func(in *I) any {
			return mapOf(*at(in), func(key string, v float64) (string, any) { return key, v })
		},
	}
}

// maxPoints is the largest number of points of a curve.
const maxPoints = 1000

// Points is an optional map of numbers to numbers, such as sizes by minutes, with a range for the keys.
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
					err = errors.New("duplicates another key")
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
		value: func(in *I) any {
			return mapOf(*at(in), func(key, v float64) (string, any) { return strconv.FormatFloat(key, 'f', -1, 64), v })
		},
		clear: func(in *I) { *at(in) = nil },
	}
}

// Nested is an optional object; its field is nil if omitted. fresh returns an element with its defaults.
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
		value: func(in *I) any {
			if *at(in) == nil {
				return nil
			}
			return rows.Encode(*at(in), &defaults)
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
		value: func(in *I) any {
			return mapOf(*at(in), func(key string, e E) (string, any) { return key, rows.Encode(&e, &defaults) })
		},
	}
}
