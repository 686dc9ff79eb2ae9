package tfplan

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Value is an attribute: a value, null, or known only after apply.
type Value[T any] struct {
	V T
	// Set reports whether V is the value. If neither Set nor Unknown is true, the attribute is null or missing.
	Set, Unknown bool
}

// unknownText stands for a value that is known only after apply. No attribute contains a zero byte.
const unknownText = "\x00unknown"

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value[T]) UnmarshalJSON(text []byte) error {
	*v = Value[T]{}
	switch {
	case bytes.Equal(text, []byte("null")):
		return nil
	case bytes.Equal(text, []byte(`"\u0000unknown"`)):
		v.Unknown = true
		return nil
	}
	v.Set = true
	return json.Unmarshal(text, &v.V)
}

// Given returns a known value.
func Given[T any](v T) Value[T] { return Value[T]{V: v, Set: true} }

// Is reports whether the value is known and equal to want.
func Is[T comparable](v Value[T], want T) bool { return v.Set && v.V == want }

// overlay replaces the values that are marked as unknown.
func overlay(values, unknown any) any {
	switch u := unknown.(type) {
	case bool:
		if u {
			return unknownText
		}
	case map[string]any:
		inner, isMap := values.(map[string]any)
		if !isMap && values != nil {
			return values
		}
		merged := make(map[string]any, len(inner)+len(u))
		maps.Copy(merged, inner)
		changed := false
		for key, mark := range u {
			was, had := merged[key]
			now := overlay(was, mark)
			if had || now != nil {
				merged[key], changed = now, true
			}
		}
		if !changed {
			return values
		}
		return merged
	case []any:
		return overlayList(values, u)
	}
	return values
}

func overlayList(values any, unknown []any) any {
	list, ok := values.([]any)
	if !ok {
		return values
	}
	merged := append([]any{}, list...)
	for i, mark := range unknown {
		if i < len(merged) {
			merged[i] = overlay(merged[i], mark)
		} else if mark == true {
			merged = append(merged, unknownText)
		}
	}
	return merged
}

// Decode decodes the values of a resource or a result into a struct.
func Decode[T any](values any) (T, error) {
	var into T
	text, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(text, &into)
	}
	return into, err
}
