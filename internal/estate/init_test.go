package estate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func TestWriteTiers(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"C0", "", "a: b\n- c", `"quoted" # & *`} {
		found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{})
		require.NoError(t, err)
		for i := range found.VMs {
			found.VMs[i].Cluster = fmt.Sprint(cluster, i)
		}
		var text strings.Builder
		require.NoError(t, estate.WriteTiers(&text, "a \"b\".csv", "t.yaml", found, estate.Grouping{}))
		r, err := newReview(t, text.String())
		require.NoError(t, err, "%v, %v", cluster, text.String())
		// Of the 8 VMs, vCLS-1 and one that is powered off are excluded.
		assert.Len(t, tierSizes(r, "estate"), 6)
	}
}

// TestNewReview_assumed verifies that a value of a tier is not assumed, even if the default that it replaces is.
func TestNewReview_assumed(t *testing.T) {
	t.Parallel()
	for own, want := range map[string][]any{
		"":                          {"daily_change_percent", "peak_factor"},
		", daily_change_percent: 2": {"peak_factor"},
		", peak_factor: 2, assumed_inputs: [peak_factor]":       {"peak_factor"},
		", hourly_weights: [" + strings.Repeat("1,", 23) + "1]": {"daily_change_percent"},
		", daily_change_percent: 2, peak_factor: 2":             nil,
	} {
		r, err := newReview(t, `throughput_mbps: 1000
defaults: {daily_change_percent: 5, peak_factor: 3, assumed_inputs: [daily_change_percent, peak_factor]}
tiers: [{name: gold, match: {}, rpo_minutes: 60`+own+`}]
`)
		require.NoError(t, err, own)
		tiers, _ := resultValues(t, r, "sla_plan", "estate")["tiers"].(map[string]any)
		gold, _ := tiers["gold"].(map[string]any)
		got, _ := gold["assumed_inputs"].([]any)
		assert.Equal(t, want, append([]any(nil), got...), own)
	}
}

// TestNewReview_assumedMisspelt verifies that a name that does not exist is refused in the defaults.
func TestNewReview_assumedMisspelt(t *testing.T) {
	t.Parallel()
	_, err := newReview(t, `throughput_mbps: 1000
defaults: {daily_change_percent: 5, peak_factor: 3, assumed_inputs: [daily_change_percent, peak_factr]}
tiers: [{name: gold, match: {}, rpo_minutes: 60}]
`)
	assert.ErrorContains(t, err, "peak_factr")
}
