// Trees of plain values, and paths in them.

package whatif

import (
	"encoding/json"
	"maps"
)

// path leads to a value: a string is a key, an int an index.
type path []any

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// jsonOf writes a plain value; an infinite number is the text of the error.
func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// get returns the value at a path, nil without one.
func get(tree any, at path) any {
	for _, step := range at {
		switch step := step.(type) {
		case string:
			tree = object(tree)[step]
		case int:
			l := list(tree)
			if step < 0 || step >= len(l) {
				return nil
			}
			tree = l[step]
		}
	}
	return tree
}

// set returns a tree with a value at a path, and without it for nil. The tree that is passed stays as it is.
func set(tree any, at path, v any) any {
	if len(at) == 0 {
		return v
	}
	if index, ok := at[0].(int); ok {
		l := append([]any(nil), list(tree)...)
		if index >= 0 && index < len(l) {
			l[index] = set(l[index], at[1:], v)
		}
		return l
	}
	key, _ := at[0].(string)
	m := maps.Clone(object(tree))
	if m == nil {
		m = map[string]any{}
	}
	next := set(m[key], at[1:], v)
	if inner, ok := next.(map[string]any); next == nil || ok && len(inner) == 0 && v == nil {
		delete(m, key)
	} else {
		m[key] = next
	}
	return m
}
