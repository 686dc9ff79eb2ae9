package report_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBuild_providers: the report accepts the addresses that the gate accepts, and no other that ends alike.
func TestBuild_providers(t *testing.T) {
	t.Parallel()
	gate, err := os.ReadFile("../../examples/policy/rego/plan.rego")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^providers := \{(.*)\}$`).FindSubmatch(gate)
	if line == nil {
		t.Fatal("the gate has no list of providers")
	}
	accepted := strings.Split(strings.ReplaceAll(string(line[1]), `"`, ""), ", ")
	for _, address := range append(slices.Clone(accepted), "registry.terraform.io/evil/vsla", "vsla", "") {
		resource := data("vsla_link_throughput", "wan", object{"throughput_mbps": 5})
		resource["provider_name"] = address
		sections := len(build(t, state(t, resource)).Sections)
		if want := slices.Contains(accepted, address); (sections > 0) != want {
			t.Errorf("%q: %d sections, want it accepted: %v", address, sections, want)
		}
	}
}

// TestBuild_deep: an output that is nested 9,000 levels deep ends at the limit, with a note.
func TestBuild_deep(t *testing.T) {
	t.Parallel()
	const levels = 9000
	text := `{"format_version":"1.0","values":{"outputs":{"x":{"value":` + strings.Repeat(`{"a":`, levels) + "1" +
		strings.Repeat("}", levels) + `}},"root_module":{}}}`
	want := "An output is nested more than 100 levels deep; results below that are not read."
	if r := build(t, []byte(text)); !slices.Contains(r.Notes, want) {
		t.Errorf("notes %q, want %q", r.Notes, want)
	}
}
