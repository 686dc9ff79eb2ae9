// Reading, walking through and changing the JSON of a plan.

package policytest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// testdata has the inputs of these tests, from the root of the repository.
const testdata = "internal/dev/test/policytest/testdata"

// document is the JSON of a plan.
type document = map[string]any

// as returns a value of the JSON as the type that it has to have.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	v, ok := value.(T)
	if !ok {
		t.Fatalf("%v is a %T, want a %T", value, value, v)
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

func grow(t *testing.T, from document, items []any, keys ...string) {
	t.Helper()
	last := len(keys) - 1
	object(t, from, keys[:last]...)[keys[last]] = append(list(t, from, keys...), items...)
}

func remove(t *testing.T, from document, i int, keys ...string) {
	t.Helper()
	last := len(keys) - 1
	object(t, from, keys[:last]...)[keys[last]] = slices.Delete(list(t, from, keys...), i, i+1)
}

// read returns a file of the repository.
func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{root(t)}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// load decodes a YAML file of the repository.
func load[T any](t *testing.T, path ...string) T {
	t.Helper()
	var into T
	if err := yaml.Unmarshal([]byte(read(t, path...)), &into); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
	return into
}

func write(t *testing.T, path string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
