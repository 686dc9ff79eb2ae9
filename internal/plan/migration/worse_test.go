package migration_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
)

// TestPlan_worseInput checks that no worse input improves the verdict on a VM. With several VMs another order may, as
// in all list scheduling. Inputs whose absence is a risk of its own are given, and the promised downtime exceeds the
// stop of a vMotion.
func TestPlan_worseInput(t *testing.T) {
	t.Parallel()
	c := migration.PlanDefinition.Calculator()
	levels := []calculator.Level{calculator.Holds, calculator.AtRisk, calculator.Misses}
	compared, worsened := map[string]bool{}, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn := promised(t)
		for _, name := range slices.Sorted(maps.Keys(drawn.VMs))[1:] {
			delete(drawn.VMs, name)
		}
		drawn.ThreadsMbps, drawn.SyncIntervalMinutes = new(10000.0), new(rapid.Float64Range(5, 300).Draw(t, "interval"))
		drawn.MaxDowntimeMinutes = new(rapid.Float64Range(0.2, 60).Draw(t, "max_downtime_minutes"))
		drawn.RTTMs = min(drawn.RTTMs, 150)
		defaults := migration.PlanDefaults()
		in := migration.PlanDefinition.Inputs.Encode(&drawn, &defaults)
		worse, name, ok := plantest.Worse(t, c.Inputs(), in)
		require.True(t, ok)
		before, err := c.Evaluate(in)
		after, problem := c.Evaluate(worse)
		if err != nil || problem != nil {
			return
		}
		was, _ := c.Judge(before)
		is, _ := c.Judge(after)
		compared[name] = true
		if is != was {
			worsened++
		}
		assert.GreaterOrEqual(t, slices.Index(levels, is), slices.Index(levels, was),
			"worse %s: %s\n%s", name, before["summary"], after["summary"])
	})
	assert.Greater(t, len(compared), 5)
	assert.Positive(t, worsened)
}
