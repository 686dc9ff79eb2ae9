package whatif_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/whatif"
)

// TestPage_growth checks for how long a promise holds at growth of 50% a year. 8,192 GiB * 5% * 3 * 2^33 / 86,400 s =
// 122.17 Mbit/s, and 0.9 of 700 / 1.14 Mbit/s suffice for 12 * ln(552.6 / 122.17) / ln 1.5 = 44.7 months, but those of
// 155 for 12 * ln(122.37 / 122.17) / ln 1.5 = 0.05.
func TestPage_growth(t *testing.T) {
	t.Parallel()
	for mbps, want := range map[float64]string{700: "44 months", 155: "less than 1 month", 100: "not today"} {
		p := opened(t, &whatif.Model{Plan: map[string]any{
			"growth_percent_per_year": 50.0,
			"horizon_months":          60.0,
			"links": map[string]any{"metro": map[string]any{
				"throughput_mbps":  mbps,
				"throughput_basis": "transfer",
			}},
			"tiers": map[string]any{"gold": map[string]any{
				"rpo_minutes":          240.0,
				"daily_change_percent": 5.0,
				"peak_factor":          3.0,
				"vm_count":             1.0,
				"vm_size_gib":          8192.0,
			}},
		}})
		var partial string
		view, err := p.Compute(t.Context(), nil, whatif.Callbacks{View: func(v *whatif.View) {
			partial = v.Promises[0].Until
		}})
		require.NoError(t, err)
		assert.Equal(t, "…", partial, mbps)
		assert.NotEqual(t, "…", view.Promises[0].Until, mbps)
		figures := view.Figures
		at := slices.IndexFunc(figures, func(f whatif.Figure) bool { return f.ID == "until" })
		assert.Equal(t, want, figures[at].Text, mbps)
	}
}
