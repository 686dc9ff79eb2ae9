package promise_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/promise"
)

// TestPlan_Shares checks the shares at throughputs of a link. 10 * 100 GiB * 20% * 2^33 / 86,400 s = 19.88 Mbit/s
// change: at 10 Mbit/s syncs take ever longer, and at 19.88 / 0.9 = 22.1 Mbit/s none is late. The other link is no
// matter.
func TestPlan_Shares(t *testing.T) {
	t.Parallel()
	bronze := identical(60, 10, 100, 20, 1)
	p := on(100, map[string]promise.Tier{"gold": identical(60, 10, 100, 20, 1), "bronze": bronze})
	p.Links["other"] = p.Links["metro"]
	for name, link := range map[string]string{"gold": "metro", "bronze": "other"} {
		one := p.Tiers[name]
		one.Link = link
		p.Tiers[name] = one
	}
	shares, err := p.Shares(t.Context(), "metro", []float64{10, 22.1})
	require.NoError(t, err)
	require.Len(t, shares, 5, "three between the late and the timely one")
	moving := p.Links["metro"]
	moving.HourlyMovesPercent = slices.Repeat([]float64{90}, 24)
	p.Links["metro"] = moving
	still, err := p.Shares(t.Context(), "metro", []float64{10, 22.1})
	require.NoError(t, err)
	assert.Equal(t, shares, still, "migrations are left out")
	assert.Less(t, shares[0].Percent, 50.0)
	assert.Equal(t, promise.Share{Mbps: 22.1, Percent: 100, Tier: "gold"}, shares[4])
	bend := slices.IndexFunc(shares, func(s promise.Share) bool { return s.Percent == 100 })
	assert.Greater(t, shares[bend-1].Mbps, 0.9*shares[bend].Mbps)
	shares, err = p.Shares(t.Context(), "none", []float64{10})
	require.NoError(t, err)
	assert.Empty(t, shares)
}
