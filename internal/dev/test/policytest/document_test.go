// Walking through and changing the JSON of a plan.

package policytest_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// document is the JSON of a plan.
type document = map[string]any

// as returns a value of the JSON as the type that it has to have.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	v, ok := value.(T)
	if !ok {
		t.Fatalf("%v is a %T", value, value)
	}
	return v
}

// clone copies a plan through its JSON.
func clone(t *testing.T, plan document) document {
	t.Helper()
	content, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var copied document
	if err := json.Unmarshal(content, &copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

// object walks down to an object.
func object(t *testing.T, from document, keys ...string) document {
	t.Helper()
	for _, key := range keys {
		from = as[document](t, from[key])
	}
	return from
}

func list(t *testing.T, from document, keys ...string) []any {
	t.Helper()
	last := len(keys) - 1
	return as[[]any](t, object(t, from, keys[:last]...)[keys[last]])
}

func grow(t *testing.T, from document, item document, keys ...string) {
	t.Helper()
	last := len(keys) - 1
	object(t, from, keys[:last]...)[keys[last]] = append(list(t, from, keys...), item)
}

func remove(t *testing.T, from document, i int, keys ...string) {
	t.Helper()
	last := len(keys) - 1
	object(t, from, keys[:last]...)[keys[last]] = slices.Delete(list(t, from, keys...), i, i+1)
}
