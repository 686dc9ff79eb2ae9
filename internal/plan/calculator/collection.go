package calculator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan"
)

// Choices returns an optional input that is a list of distinct values from oneOf.
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
			return errs
		},
		value: func(in *I) any { return listOf(*at(in)) },
		clear: func(in *I) { *at(in) = nil },
	}
}

// HourList returns an optional input that is a list of 24 numbers, one for each hour of the day, starting at midnight.
func HourList[I any](name string, r plan.Range, doc string, at func(*I) *[]float64) Input[I] {
	row := List(name, r, doc+" List of 24 numbers, one for each hour from midnight.", at)
	row.Hours = true
	row.check = func(in *I, path plan.Path) plan.InputErrors {
		if *at(in) == nil {
			return nil
		}
		return checkHours(path, *at(in), r)
	}
	return row
}

// List returns an optional input that is a list of numbers.
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

func numbers(v any, at plan.Path) ([]float64, plan.InputErrors) {
	elements, ok := v.([]any)
	if !ok {
		return nil, plan.InputErrors{}.With(at, fmt.Errorf("must be a list of numbers, got %s", kindOf(v)))
	}
	var errs plan.InputErrors
	list := make([]float64, len(elements))
	for i, e := range elements {
		var err error
		list[i], err = number(e)
		errs = errs.With(at.Index(i), err)
	}
	return list, errs
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

// Map returns an optional input that is a map of numbers.
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

const maxPoints = 1000

// Points returns an optional input that maps numbers to numbers, such as minutes to sizes. keys is the range of the
// keys.
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
					errs = errs.With(key, fmt.Errorf("has an invalid key: it %w", err))
				}
				errs = errs.With(key, r.Check((*at(in))[x]))
			}
			return errs
		},
		value: func(in *I) any {
			return mapOf(
				*at(in),
				func(key, v float64) (string, any) { return strconv.FormatFloat(key, 'f', -1, 64), v },
			)
		},
		clear: func(in *I) { *at(in) = nil },
	}
}

// Nested returns an optional input that is an object. The field is nil if the input is omitted. fresh returns an object
// with the default values.
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

// Each returns a required input that is a map of objects. fresh returns an element with the default values.
func Each[I, E any](name, doc string, rows Inputs[E], fresh func() E, at func(*I) *map[string]E) Input[I] {
	defaults := fresh()
	return Input[I]{
		Field: Field{Name: name, Doc: doc, Kind: Objects, Input: true, Required: true, Fields: rows.fields(&defaults)},
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

func listOf[E any](list []E) any {
	if list == nil {
		return nil
	}
	values := make([]any, len(list))
	for i, e := range list {
		values[i] = e
	}
	return values
}

func mapOf[K comparable, E any](elements map[K]E, encode func(K, E) (string, any)) any {
	if elements == nil {
		return nil
	}
	values := make(map[string]any, len(elements))
	for key, e := range elements {
		name, v := encode(key, e)
		values[name] = v
	}
	return values
}
