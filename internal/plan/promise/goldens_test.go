package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_goldens checks the closed form for plans of one tier:
//
//   - seed: 15 * 95.367 GiB * 5% * 2^33 bit = 614.4 Gbit a day, 7.111 Mbit/s. At 901 / 1.14 = 790.4 Mbit/s, a whole day
//     takes 777.4 s, 0.8638 of 15 minutes, and 15 / 1.8638 = 8.05 minutes. The need is 614.4 Gbit / 900 s * 1.14 / 0.9
//     = 864.7 Mbit/s, and the largest change is 5% * 901 / 864.7 = 5.21%.
//   - slow seed: at 440 Mbit/s with a peak of 3, 15 / (1 + 21.33 / 440) = 14.3 minutes. The largest peak is 0.9 * 440 /
//     1.14 / 7.111 = 48.8, with 15 / 1.9 = 7.9 minutes.
//   - large: 8,192 GiB * 5% * 2^33 / 86,400 s * 3 = 122.17 Mbit/s. At 700 / 1.14 = 614.0 Mbit/s, 240 / (1 + 0.199) =
//     200.2 minutes. The need is 122.17 * 1.14 / 0.9 = 154.7 Mbit/s with 240 / 1.9 = 126.3 minutes, the largest change
//     5% * 700 / 154.7 = 22.6%, and the largest peak 3 * 700 / 154.7 = 13.6 if a whole day takes longer than a setting.
//   - configured: a sync of 240 minutes of change takes 240 * 0.199 = 47.8 minutes, less than 120.
//   - assumed: 8,392 GiB change by 125.15 Mbit/s at the peak. At 1,000 * 0.7 / 1.87 = 374.3 Mbit/s, 240 / 1.3344 =
//     179.9 minutes. The need is 125.15 * 1.87 / 0.7 / 0.9 = 371.5 Mbit/s, and the largest change 5% * 1,000 / 371.5 =
//     13.46%.
//   - least: 10 * 300 GiB * 10% * 2.94 change by 87.7 Mbit/s, 0.1 of 1,000 / 1.14 Mbit/s. A sync takes 0.5 minutes.
func TestCompute_goldens(t *testing.T) {
	t.Parallel()
	configured := identical(240, 1, 8192, 5, 3)
	configured.ConfiguredRPOMinutes = new(240.0)
	assumed := tier(240, 5, map[string]float64{"a": 100, "b": 100, "c": 8192})
	assumed.PeakFactor = new(3.0)
	assumed.AssumedInputs = []string{"daily_change_percent", "peak_factor"}
	known := assumed
	known.AssumedInputs = nil
	for name, test := range map[string]struct {
		mbps      float64
		basis     string
		tier      promise.Tier
		verdict   string
		holds     string
		reasons   []string
		suggested float64
		need      float64
		change    float64
		changeRPO float64
	}{
		"seed": {
			mbps:      901,
			basis:     plan.BasisNetwork,
			tier:      identical(15, 15, 95.367, 5, 0),
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 8,
			need:      864.7,
			change:    5.21,
			changeRPO: 6,
		},
		"slow seed": {
			mbps:      440,
			basis:     plan.BasisNetwork,
			tier:      identical(15, 15, 95.367, 5, 0),
			verdict:   plan.AtRisk,
			holds:     promise.ByBound,
			reasons:   []string{"peak_unknown"},
			suggested: 12,
			need:      864.7,
			change:    5 * 440 / 864.7,
			changeRPO: 6,
		},
		"large": {
			mbps:      700,
			basis:     plan.BasisNetwork,
			tier:      identical(240, 1, 8192, 5, 3),
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 180,
			need:      154.7,
			change:    22.6,
			changeRPO: 120,
		},
		"configured": {
			mbps:      700,
			basis:     plan.BasisNetwork,
			tier:      configured,
			verdict:   plan.Meets,
			holds:     promise.ByVendorRule,
			reasons:   []string{"vendor_rule"},
			suggested: 180,
			need:      154.7,
			change:    22.6,
			changeRPO: 120,
		},
		"assumed": {
			mbps:      1000,
			basis:     plan.BasisNominal,
			tier:      assumed,
			verdict:   plan.AtRisk,
			holds:     promise.ByBound,
			reasons:   []string{"inputs_assumed"},
			suggested: 150,
			need:      371.5,
			change:    13.46,
			changeRPO: 120,
		},
		"known": {
			mbps:      1000,
			basis:     plan.BasisNominal,
			tier:      known,
			verdict:   plan.Meets,
			holds:     promise.ByBound,
			suggested: 150,
			need:      371.5,
			change:    13.46,
			changeRPO: 120,
		},
		"least": {
			mbps:      1000,
			basis:     plan.BasisNetwork,
			tier:      identical(5, 10, 300, 10, 2.94),
			verdict:   plan.Meets,
			holds:     promise.ByVendorRule,
			reasons:   []string{"vendor_rule_only"},
			suggested: 5,
			need:      87.7 * 1.14 / 0.5,
			change:    10 * 1000 / (87.7 * 1.14 / 0.5),
			changeRPO: 5,
		},
	} {
		r := compute(t, onBasis(test.mbps, test.basis, map[string]promise.Tier{"gold": test.tier}))
		gold := r.Promises["gold"]
		assert.Equal(t, test.verdict, gold.Verdict, name)
		assert.ElementsMatch(t, test.reasons, plan.Codes(gold.Findings), name)
		require.NotNil(t, gold.HoldsBy, name)
		assert.Equal(t, test.holds, *gold.HoldsBy, name)
		assert.InDelta(t, test.suggested, *gold.SuggestedRPOMinutes, 0, name)
		assert.InEpsilon(t, test.need, *r.Links["metro"].ThroughputNeededMbps, 0.01, name)
		assert.InEpsilon(t, test.change, *gold.MaxDailyChangePercent, 0.01, name)
		assert.InDelta(t, test.changeRPO, *gold.MaxDailyChangeRPOMinutes, 0, name)
	}
}

// TestJudge_othersAtWorseEnd checks that a tier keeps its promise at the worse end although another one cannot. On 12
// Mbit/s, 9.94 Mbit/s of heavy and 0.05 of light change. At the worse end, the link carries 12 / 1.87 * 0.7 = 4.5
// Mbit/s, and each of 61 syncs 0.074: with 45 minutes, light's sync takes 30 minutes, but with 30, 20.
func TestJudge_othersAtWorseEnd(t *testing.T) {
	t.Parallel()
	r := judge(t, onBasis(12, "", map[string]promise.Tier{
		"heavy": identical(60, 60, 100./3, 5, 1),
		"light": identical(60, 1, 2.5, 20, 1),
	}))
	assert.Equal(t, plan.AtRisk, r.Promises["heavy"].Verdict)
	assert.Equal(t, plan.Meets, r.Promises["light"].Verdict)
}
