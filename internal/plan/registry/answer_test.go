package registry_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan"
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
	reads(t, replication.ConfidenceDefinition)
	reads(t, replication.ScheduleDefinition)
	reads(t, replication.StorageDefinition)
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
			answer, ok := read.(calculator.Answer[I, R])
			require.True(t, err == nil && ok && answer.NoInput == nil, "got %+v, %v, want an answer with its input", read, err)
			for name, got := range d.Values(&answer.Result) {
				f, _ := c.Field(name)
				require.False(t, f.Kind != calculator.Objects && !reflect.DeepEqual(got, results[name]),
					"%s: got %v, want %v", name, got, results[name])
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
			require.False(t, again != nil && !differs &&
				!same(results, document), "got %v, want a figure that differs", err)
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

type answer struct {
	who string
	is  float64
	// digits is the number of significant digits to compare; 0 for all digits.
	digits int
}

// TestCalculators_sameAnswers checks that the calculators for replication estimates, schedules, confidence, vMotion and
// migration plans agree where they answer the same question: the duration of an initial sync, the migration of one VM,
// and an estimate with exact inputs. Sync cycles differ by design, because the schedule starts syncs before they are
// due.
func TestCalculators_sameAnswers(t *testing.T) {
	t.Parallel()
	for _, vms := range []float64{1, 15, 40} {
		for _, mbps := range []float64{440, 901, 10000} {
			group := map[string]any{"vm_count": vms, "vm_size_gib": 100.0, "daily_change_percent": 0.0, "rpo_minutes": 60.0}
			onLink := func(with map[string]any) map[string]any {
				in := map[string]any{"throughput_mbps": mbps}
				maps.Copy(in, with)
				return in
			}
			copies, move := map[string]any{}, map[string]any{"memory_gib": 16.0, "memory_dirty_mbps": 100.0}
			for i := range int(vms) {
				copies[fmt.Sprint("vm-", i)] = map[string]any{"memory_gib": 0.0, "disk_gib": 100.0, "method": "replication"}
			}
			changing := map[string]any{
				"vm_count": vms, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "rpo_minutes": 60.0, "peak_factor": 3.0,
				"efficiency_percent": 70.0, "overhead_seconds": 20.0,
			}
			for _, question := range []struct {
				what    string
				want    float64
				answers []answer
			}{
				{
					// The link transfers all data: 100 GiB = 858,993.4592 Mbit
					"initial sync in seconds", vms * 858993.4592 / mbps,
					[]answer{
						{"estimate", ask(t, "replication", onLink(group), "initial_sync_seconds"), 0},
						{"confidence, median", ask(t, "confidence", onLink(group), "p50_initial_sync_seconds"), 6},
						{"confidence, 95th percentile", ask(t, "confidence", onLink(group), "p95_initial_sync_seconds"), 6},
						{"schedule", 60 * ask(t, "schedule", onLink(map[string]any{
							"groups": map[string]any{"all": group}, "start_in_sync": false, "days": 2.0, "jitter_percent": 0.0,
						}), "in_sync_after_minutes"), 0},
						{"migration plan", ask(t, "migration", onLink(map[string]any{"virtual_machines": copies}),
							"duration_seconds"), 0},
					},
				}, {
					"move of one VM in seconds", ask(t, "vmotion", onLink(move), "duration_seconds"),
					[]answer{{"migration plan", ask(t, "migration", onLink(map[string]any{
						"virtual_machines": map[string]any{"one": move},
					}), "duration_seconds"), 0}},
				}, {
					"cycle of plain numbers in seconds", ask(t, "replication", onLink(changing), "ongoing_sync_seconds"),
					[]answer{
						{"confidence, median", ask(t, "confidence", onLink(changing), "p50_ongoing_sync_seconds"), 6},
						{"confidence, 95th percentile", ask(t, "confidence", onLink(changing), "p95_ongoing_sync_seconds"), 6},
					},
				}, {
					"throughput that always holds", ask(t, "replication", onLink(changing), "throughput_violation_free_mbps"),
					[]answer{{"confidence", ask(t, "confidence", onLink(changing), "throughput_95_percent_confidence_mbps"), 6}},
				},
			} {
				for _, a := range question.answers {
					tolerance := 1e-9
					if a.digits > 0 {
						tolerance = math.Pow(10, 1-float64(a.digits)) / 2
					}
					assert.InDelta(t, question.want, a.is, tolerance*question.want, "%v, %v", plan.Count(vms, "VM"), mbps)
				}
			}
		}
	}
}
