package report_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/report"
)

// TestBuild_providers verifies that the report accepts the same provider addresses as the gate.
func TestBuild_providers(t *testing.T) {
	t.Parallel()
	gate, err := os.ReadFile("../../examples/policy/gate.rego")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^providers := \{(.*)\}$`).FindSubmatch(gate)
	require.NotNil(t, line, "the gate has no list of providers")
	accepted := strings.Split(strings.ReplaceAll(string(line[1]), `"`, ""), ", ")
	for _, address := range append(slices.Clone(accepted), "registry.terraform.io/evil/vsla", "vsla", "") {
		resource := data("vsla_link_throughput", "wan", object{"throughput_mbps": 5})
		resource["provider_name"] = address
		sections := len(build(t, state(t, resource)).Sections)
		assert.Equal(t, slices.Contains(accepted, address), sections > 0, address)
	}
}

// TestBuild_deepMutations verifies that reading 200 mutations of a file with a deeply nested output allocates a limited
// amount of memory. Each mutation results in either a review or an error that states the position or the field.
//
//nolint:paralleltest // other tests would add to the measured allocations
func TestBuild_deepMutations(t *testing.T) {
	const levels, mutations, most = 9000, 200, 64 << 20
	base := `{"format_version":"1.2","planned_values":{"outputs":{"x":{"sensitive":false,"value":` +
		strings.Repeat(`{"a":`, levels) + `1` + strings.Repeat(`}`, levels) + `}}},"configuration":{}}`
	place := regexp.MustCompile(`line \d+, column \d+: |field |format_version`)
	random := rand.New(rand.NewPCG(1, 17))
	for n := range mutations {
		text := []byte(base)
		for range n % 4 {
			at := random.IntN(len(text))
			switch random.IntN(3) {
			case 0:
				text[at] = `{}[]",:0a`[random.IntN(9)]
			case 1:
				text = slices.Delete(text, at, min(len(text), at+1+random.IntN(100)))
			case 2:
				text = slices.Insert(text, at, slices.Clone(text[at:min(len(text), at+1+random.IntN(1000))])...)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := document.Read(bytes.NewReader(text))
		if err == nil {
			report.Cover{}.Build(t.Context(), d)
		}
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		assert.LessOrEqual(t, got, uint64(most), "mutation %d: got %d MiB allocated, want at most %d", n, got>>20,
			most>>20)
		if err == nil {
			continue
		}
		assert.LessOrEqual(t, len(err.Error()), 1000, "mutation %d", n)
		require.ErrorIs(t, err, document.ErrNotShowJSON, "mutation %d", n)
		assert.True(t, place.MatchString(err.Error()), "mutation %d: got %v, want ErrNotShowJSON and the place", n, err)
	}
}
