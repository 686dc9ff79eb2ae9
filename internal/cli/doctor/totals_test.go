package doctor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAppliance_totals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta map[string]any
		want doctor.Result
	}{
		"text":              {map[string]any{"total": "1"}, doctor.Differs},
		"text, with links":  {map[string]any{"total": "1", "links": map[string]any{}}, doctor.Differs},
		"fraction":          {map[string]any{"total": 1.5}, doctor.Differs},
		"neither":           {map[string]any{}, doctor.Differs},
		"null, with links":  {map[string]any{"total": nil, "links": map[string]any{}}, doctor.OK},
		"number, no links":  {map[string]any{"total": 1}, doctor.OK},
		"links and no more": {map[string]any{"links": map[string]any{}}, doctor.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{})
			g := l.withAppliance(t, gateway.Switches{})
			require.NoError(t, g.AddReplications(15, l.VMs()[0].ID))
			g.Spoil("getAllReplications", 0, func(answer map[string]any) { answer["_meta"] = test.meta })
			report, text := l.run(t.Context(), t)
			assert.Equal(t, test.want, applianceResults(t, report)["list-totals"], text)
		})
	}
}

func TestRun_count(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	var counts []int
	l.options.Count = func(done, all int) {
		counts = append(counts, done)
		assert.Equal(t, 27, all) // 20 checks, 5 questions about replication, 2 appliances
	}
	l.run(t.Context(), t)
	require.Len(t, counts, 27)
	assert.IsIncreasing(t, counts)
}
