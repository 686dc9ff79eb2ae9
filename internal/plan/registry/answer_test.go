package registry_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/energy"
	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/plan/replication"
)

func TestCalculators_read(t *testing.T) {
	t.Parallel()
	reads(t, replication.EstimateDefinition)
	reads(t, calibration.Definition)
	reads(t, link.Definition)
	reads(t, migration.VMotionDefinition)
	reads(t, migration.PlanDefinition)
	reads(t, interactive.Definition)
	reads(t, limits.Definition)
	reads(t, energy.Definition)
}

func reads[I, R any](t *testing.T, d calculator.Definition[I, R]) {
	t.Helper()
	t.Run(d.Command, func(t *testing.T) {
		t.Parallel()
		c := d.Calculator()
		rapid.Check(t, func(t *rapid.T) {
			inputs := plantest.Input(t, c)
			results, err := c.Evaluate(inputs)
			if err != nil {
				return
			}
			document := maps.Clone(inputs)
			maps.Copy(document, results)
			read, err := c.Read(document)
			require.NoError(t, err)
			require.IsType(t, calculator.Answer[I, R]{}, read)
			answer, _ := read.(calculator.Answer[I, R])
			require.NoError(t, answer.NoInput)
			for name, got := range d.Values(&answer.Result) {
				f, _ := c.Field(name)
				if f.Kind != calculator.Objects {
					require.Equal(t, results[name], got, name)
				}
			}
			_, err = c.Again(document)
			require.NoError(t, err)
			for name, v := range results {
				if n, ok := v.(float64); ok && n > 1e-3 && !isInput(c, name) {
					document[name] = 2 * n
				}
			}
			again, err := c.Again(document)
			_, differs := errors.AsType[*calculator.DifferenceError](err)
			if again != nil && !differs {
				require.True(t, same(results, document), "got %v, want a figure that differs", err)
			}
		})
	})
}

func isInput(c *calculator.Calculator, name string) bool {
	f, _ := c.Field(name)
	return f.Input
}

func same(results, document map[string]any) bool {
	for name, v := range results {
		if _, number := v.(float64); number && document[name] != v {
			return false
		}
	}
	return true
}

// ask evaluates a calculator and returns one of the resulting numbers. If the input already contains that number, ask
// returns it unchanged.
func ask(t *testing.T, command string, in map[string]any, result string) float64 {
	t.Helper()
	c, ok := registry.OfCommand(command)
	require.True(t, ok, "there is no calculator %s", command)
	r, err := c.Evaluate(in)
	require.NoError(t, err, command)
	n, ok := r[result].(float64)
	require.True(t, ok, "%s has no number %s: %v", command, result, r[result])
	return n
}

// TestCalculators_sameAnswers checks that the calculators for replication estimates, vMotion and migration plans agree
// where they answer the same question: the duration of an initial sync and the migration of one VM.
func TestCalculators_sameAnswers(t *testing.T) {
	t.Parallel()
	for _, vms := range []float64{1, 15, 40} {
		for _, mbps := range []float64{440, 901, 10000} {
			onLink := func(with map[string]any) map[string]any {
				in := map[string]any{"throughput_mbps": mbps}
				maps.Copy(in, with)
				return in
			}
			group := onLink(map[string]any{
				"vm_count":             vms,
				"vm_size_gib":          100.0,
				"daily_change_percent": 0.0,
				"rpo_minutes":          60.0,
			})
			copies := map[string]any{}
			move := map[string]any{"memory_gib": 16.0, "memory_dirty_mbps": 100.0}
			for i := range int(vms) {
				copies[fmt.Sprint("vm-", i)] = map[string]any{
					"memory_gib": 0.0,
					"disk_gib":   100.0,
					"method":     "replication",
				}
			}
			duration := func(vms map[string]any) float64 {
				return ask(t, "migration", onLink(map[string]any{"virtual_machines": vms}), "duration_seconds")
			}
			// The link transfers all data: 100 GiB = 858,993.4592 Mbit
			want := vms * 858993.4592 / mbps
			assert.InEpsilon(t, want, ask(t, "replication", group, "initial_sync_seconds"), 1e-9, "%v, %v", vms, mbps)
			assert.InEpsilon(t, want, duration(copies), 1e-9, "%v, %v", vms, mbps)
			want = ask(t, "vmotion", onLink(move), "duration_seconds")
			assert.InEpsilon(t, want, duration(map[string]any{"one": move}), 1e-9, mbps)
		}
	}
}
