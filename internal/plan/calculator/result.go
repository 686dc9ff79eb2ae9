package calculator

import (
	"encoding/json"
	"fmt"

	"terraform-provider-vsla/internal/plan"
)

// Output is a result of a calculator with result type R.
type Output[R any] struct {
	Field
	value func(*R) any
	read  func(r *R, v any, at plan.Path) error
}

// Outputs lists the results of a calculator.
type Outputs[R any] []Output[R]

func (rows Outputs[R]) fields() []Field {
	list := make([]Field, len(rows))
	for i, row := range rows {
		list[i] = row.Field
	}
	return list
}

func (rows Outputs[R]) values(r *R) map[string]any {
	all := make(map[string]any, len(rows))
	for _, row := range rows {
		all[row.Name] = row.value(r)
	}
	return all
}

// Missing values are skipped.
func (rows Outputs[R]) read(r *R, values map[string]any, at plan.Path) error {
	for _, row := range rows {
		if v := values[row.Name]; v != nil {
			if err := row.read(r, v, at.Attr(row.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func readInto(to, v any, at plan.Path) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("%s has a wrong type: %w", at, err)
	}
	return nil
}

// Value lists the possible types of a result. A nil pointer is null.
type Value interface {
	float64 | *float64 | int64 | *int64 | string | *string | bool | *bool | []string | []float64 |
		map[string]float64 | map[string]string
}

// Result returns a result of a basic type.
func Result[R any, V Value](name, doc string, at func(*R) *V) Output[R] {
	var zero V
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: kindOfValue(any(zero)), Result: true},
		value: func(r *R) any { return plain(any(*at(r))) },
		read:  func(r *R, v any, path plan.Path) error { return readInto(at(r), v, path) },
	}
}

// ResultOf returns a text result that has one of the given values.
func ResultOf[R any, V string | *string](name, doc string, oneOf []string, at func(*R) *V) Output[R] {
	row := Result(name, doc, at)
	row.OneOf = oneOf
	return row
}

// ResultEach returns a result that is a map of objects.
func ResultEach[R, E any](name, doc string, rows Outputs[E], at func(*R) *map[string]E) Output[R] {
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: Objects, Result: true, Fields: rows.fields()},
		value: func(r *R) any {
			elements := *at(r)
			m := make(map[string]any, len(elements))
			for key := range elements {
				e := elements[key]
				m[key] = rows.values(&e)
			}
			return m
		},
		read: func(r *R, v any, path plan.Path) error {
			elements, err := object(v)
			if err != nil {
				return plan.InputErrors{}.With(path, err)
			}
			m := make(map[string]E, len(elements))
			for key, members := range elements {
				var e E
				values, _ := members.(map[string]any)
				if err := rows.read(&e, values, path.Key(key)); err != nil {
					return err
				}
				m[key] = e
			}
			*at(r) = m
			return nil
		},
	}
}

// ResultList returns a result that is a list of objects.
func ResultList[R, E any](name, doc string, rows Outputs[E], at func(*R) *[]E) Output[R] {
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: ObjectList, Result: true, Fields: rows.fields()},
		value: func(r *R) any {
			elements := *at(r)
			list := make([]any, len(elements))
			for i := range elements {
				list[i] = rows.values(&elements[i])
			}
			return list
		},
		read: func(r *R, v any, path plan.Path) error {
			elements, _ := v.([]any)
			list := make([]E, len(elements))
			for i, members := range elements {
				values, _ := members.(map[string]any)
				if err := rows.read(&list[i], values, path.Index(i)); err != nil {
					return err
				}
			}
			*at(r) = list
			return nil
		},
	}
}

func kindOfValue(v any) Kind {
	switch v.(type) {
	case float64, *float64:
		return Number
	case int64, *int64:
		return Integer
	case bool, *bool:
		return Bool
	case []string:
		return Texts
	case []float64:
		return Numbers
	case map[string]float64:
		return NumberMap
	case map[string]string:
		return TextMap
	}
	return Text
}

func plain(v any) any {
	switch v := v.(type) {
	case *float64:
		return pointee(v)
	case int64:
		return float64(v)
	case *int64:
		if v == nil {
			return nil
		}
		return float64(*v)
	case *bool:
		return pointee(v)
	case *string:
		return pointee(v)
	case []string:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = e
		}
		return list
	case []float64:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = e
		}
		return list
	case map[string]float64:
		return plainMap(v)
	case map[string]string:
		return plainMap(v)
	}
	return v
}

func pointee[V any](v *V) any {
	if v == nil {
		return nil
	}
	return *v
}

func plainMap[V any](m map[string]V) map[string]any {
	all := make(map[string]any, len(m))
	for key, e := range m {
		all[key] = e
	}
	return all
}
