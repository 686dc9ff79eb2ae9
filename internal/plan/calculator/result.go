// Results: rows that read a plain value from the calculator's result.

package calculator

// Output is one result of a calculator whose result type is R.
type Output[R any] struct {
	Field
	value func(*R) any
}

// Outputs are the results of a calculator.
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

// Value lists the types that a result may have. A nil pointer is null.
type Value interface {
	float64 | *float64 | int64 | *int64 | string | bool | *bool | []string | map[string]float64 | map[string]string
}

// Result is a field of the result.
func Result[R any, V Value](name, doc string, at func(*R) V) Output[R] {
	var zero V
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: kindOfValue(any(zero)), Result: true},
		value: func(r *R) any { return plain(any(at(r))) },
	}
}

// ResultOf is a text that has one of the given values.
func ResultOf[R any](name, doc string, oneOf []string, at func(*R) string) Output[R] {
	row := Result(name, doc, at)
	row.OneOf = oneOf
	return row
}

// ResultEach is a map of objects in the result.
func ResultEach[R, E any](name, doc string, rows Outputs[E], at func(*R) map[string]E) Output[R] {
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: Objects, Result: true, Fields: rows.fields()},
		value: func(r *R) any {
			elements := at(r)
			m := make(map[string]any, len(elements))
			for key := range elements {
				e := elements[key]
				m[key] = rows.values(&e)
			}
			return m
		},
	}
}

// ResultList is a list of objects in the result.
func ResultList[R, E any](name, doc string, rows Outputs[E], at func(*R) []E) Output[R] {
	return Output[R]{
		Field: Field{Name: name, Doc: doc, Kind: ObjectList, Result: true, Fields: rows.fields()},
		value: func(r *R) any {
			elements := at(r)
			list := make([]any, len(elements))
			for i := range elements {
				list[i] = rows.values(&elements[i])
			}
			return list
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
	case map[string]float64:
		return NumberMap
	case map[string]string:
		return TextMap
	}
	return Text
}

// plain returns a value of the calculator as a plain one.
func plain(v any) any {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	case int64:
		return float64(v)
	case *int64:
		if v == nil {
			return nil
		}
		return float64(*v)
	case *bool:
		if v == nil {
			return nil
		}
		return *v
	case []string:
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

func plainMap[V any](m map[string]V) map[string]any {
	all := make(map[string]any, len(m))
	for key, e := range m {
		all[key] = e
	}
	return all
}
