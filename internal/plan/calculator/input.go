package calculator

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Input is an input of a calculator with input type I.
type Input[I any] struct {
	Field
	decode func(in *I, v any, at plan.Path, from source) plan.InputErrors
	check  func(in *I, at plan.Path) plan.InputErrors
	value  func(in *I) any
	// number returns a pointer to the field of a numeric input, or nil if the input is not given.
	number func(in *I) *float64
	// clear resets the input to "not given". It is nil for an input that always has a value.
	clear func(in *I)
}

// WithExample sets the value for use in examples.
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

type source int

const (
	// fromUser rejects unknown names.
	fromUser source = iota
	// fromFile skips unknown names, because documents contain results along with inputs.
	fromFile
)

// Missing and null members retain their defaults.
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
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("must be set together with %s", row.With))
		}
		if row.Or == "" {
			continue
		}
		if other := values[row.Or]; v == nil && other == nil {
			errs = errs.With(at.Attr(row.Name), fmt.Errorf("is required unless %s is set", row.Or))
		} else if v != nil && other != nil {
			errs = errs.With(at.Attr(row.Or), fmt.Errorf("must not be set together with %s", row.Name))
		}
	}
	if from == fromFile {
		return errs
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] != nil && !slices.ContainsFunc(rows, func(row Input[I]) bool { return row.Name == name }) {
			errs = errs.With(at.Attr(name), fmt.Errorf("is not a valid input; valid inputs are %s", rows.names()))
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

// Required returns a required numeric input.
func Required[I any](name string, r plan.Range, doc string, at func(*I) *float64) Input[I] {
	row := Optional(name, r, doc, at)
	row.Required = true
	return row
}

// Optional returns an optional numeric input. Its default is the value of the field in Definition.Default.
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

// Together requires this input and the other input to be given together.
func (row Input[I]) Together(other string) Input[I] {
	row.With = other
	return row
}

// KeyOf requires the value to be a key of the given map input.
func (row Input[I]) KeyOf(input string) Input[I] {
	row.Field.KeyOf = input
	return row
}

// OrElse makes a required input an alternative to another input. A value of 0 counts as not given.
func (row Input[I]) OrElse(other string) Input[I] {
	value, check := row.value, row.check
	row.check = func(in *I, path plan.Path) plan.InputErrors {
		if value != nil && value(in) == 0.0 {
			return nil
		}
		return check(in, path)
	}
	row.Required = false
	row.Or = other
	row.value = nil
	return row
}

// Absent returns an optional numeric input without a default. The field is nil if the input is omitted.
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

// Switch returns an optional boolean input.
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

func boolean(v any) (bool, error) {
	switch v {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	}
	return false, fmt.Errorf("must be true or false, got %s", kindOf(v))
}

// Choice returns a text input that accepts only the given values, or any text if oneOf is empty.
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

func checkChoice(oneOf []string, v string) error {
	if len(oneOf) == 0 || slices.Contains(oneOf, v) {
		return nil
	}
	return fmt.Errorf("must be one of %s, got %q", strings.Join(oneOf, ", "), v)
}

// Given returns the value of an input, or nil if the input is not given.
func (row Input[I]) Given(in *I) any {
	switch {
	case row.number != nil:
		if n := row.number(in); n != nil {
			return *n
		}
	case row.value != nil:
		return row.value(in)
	}
	return nil
}

// Put sets an input to a value, or to its default if the value is nil. The error is a plan.InputErrors.
func (row Input[I]) Put(in, defaults *I, v any) error {
	if v == nil {
		v = row.Given(defaults)
	}
	at := plan.Attr(row.Name)
	if v == nil {
		if row.clear == nil {
			return plan.InputErrors{}.With(at, errRequired).Err()
		}
		row.clear(in)
		return nil
	}
	if errs := row.decode(in, v, at, fromUser); len(errs) > 0 || row.check == nil {
		return errs.Err()
	}
	return row.check(in, at).Err()
}

// Encode returns the values from which decode restores an input, omitting those that equal the defaults.
func (rows Inputs[I]) Encode(in, defaults *I) map[string]any {
	values := make(map[string]any, len(rows))
	for _, row := range rows {
		if v := row.Given(in); v != nil && (row.Required || !reflect.DeepEqual(v, row.Given(defaults))) {
			values[row.Name] = v
		}
	}
	return values
}
