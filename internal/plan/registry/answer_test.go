package registry_test

import (
	"errors"
	"maps"
	"reflect"
	"testing"

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
	"terraform-provider-vsla/internal/plan/replication"
)

// TestCalculators_read checks that a document's answer has its input and all results, and that recomputation confirms
// it and detects a changed number.
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
				return // invalid input has no answer
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

// same reports whether all numbers of the results equal those in the document.
func same(results, document map[string]any) bool {
	for name, v := range results {
		if _, number := v.(float64); number && document[name] != v {
			return false
		}
	}
	return true
}
