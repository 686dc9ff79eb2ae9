package assess_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess"
)

func TestAssessment_Facts_downtime(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"dirty_rate_unknown": "at least 2s", "one_thread": "2s"} {
		values := map[string]any{"worst_downtime_seconds": 2.0, "reasons": []any{reason}}
		raw := assess.Raw{Type: "vsla_migration_plan", Address: "data.vsla_migration_plan.x", Values: values}
		facts := assess.List([]assess.Raw{raw})[0].Facts()
		i := slices.IndexFunc(facts, func(f assess.Fact) bool { return f.Name == "worst_downtime_seconds" })
		require.GreaterOrEqual(t, i, 0, reason)
		assert.Equal(t, want, facts[i].Text(), reason)
	}
}
