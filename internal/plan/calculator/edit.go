// Edits: an input read and changed by the names of its rows.

package calculator

import (
	"reflect"

	"terraform-provider-vsla/internal/plan"
)

// Given returns an input as a plain value; nil if it is not given.
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

// Put changes an input to a plain value, and to that of defaults for nil. The error is a plan.InputErrors.
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

// Encode returns an input as the plain values from which Decode makes it, without those that are the defaults.
func (rows Inputs[I]) Encode(in, defaults *I) map[string]any {
	values := make(map[string]any, len(rows))
	for _, row := range rows {
		if v := row.Given(in); v != nil && (row.Required || !reflect.DeepEqual(v, row.Given(defaults))) {
			values[row.Name] = v
		}
	}
	return values
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
