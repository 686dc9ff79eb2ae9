package promise_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// only returns a plan with a tier of one VM of 8 TiB that changes 5% a day, 3 times as fast in its busiest time: by
// 8192 * 2^33 * 0.05 / 86400 * 3 = 122.17 Mbit/s.
func only(rpo, mbps float64, change func(*promise.Tier)) promise.Plan {
	p := promise.Defaults()
	l := promise.LinkDefaults()
	l.ThroughputMbps, l.ThroughputBasis = &mbps, plan.BasisTransfer
	p.Links = map[string]promise.Link{"metro": l}
	t := promise.TierDefaults()
	t.VMCount = new(1.0)
	t.VMSizeGiB = new(8192.0)
	t.DailyChangePercent = new(5.0)
	t.PeakFactor = new(3.0)
	t.RPOMinutes = rpo
	if change != nil {
		change(&t)
	}
	p.Tiers = map[string]promise.Tier{"gold": t}
	return p
}

func configured(minutes float64) func(*promise.Tier) {
	return func(t *promise.Tier) { t.ConfiguredRPOMinutes = &minutes }
}

func judged(t *testing.T, p promise.Plan) promise.Promise {
	t.Helper()
	r, err := promise.Judge(t.Context(), p)
	require.NoError(t, err)
	return r.Promises["gold"]
}

func message(one promise.Promise, code string) string {
	for _, f := range one.Findings {
		if f.Code == code {
			return f.Sentence
		}
	}
	return ""
}

// TestFindings_vendorRule checks the age at the worse end. With 240 minutes configured at 700 / 1.14 = 614.0 Mbit/s, a
// sync takes 240 * 122.17 / 614.0 = 47.75 minutes.
func TestFindings_vendorRule(t *testing.T) {
	t.Parallel()
	one := judged(t, only(240, 700, configured(240)))
	assert.Contains(t, message(one, "vendor_rule"), "a recovery point can get 4h 47m 45s old")
	assert.Empty(t, one.LateVirtualMachines)
	assert.Zero(t, one.LateVMCount)
}

// TestFindings_quiesced verifies that enhanced replication is no advice for quiesced VMs, whose least RPO is 15
// minutes.
func TestFindings_quiesced(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]bool{0: true, 30: false} {
		one := judged(t, only(15, 1000, func(t *promise.Tier) {
			t.QuiesceSeconds, t.MinConfiguredRPOMinutes = seconds, 15
		}))
		assert.Equal(t, want, slices.Contains(plan.Codes(one.Findings), "vendor_rule_only"), seconds)
	}
}

// TestFindings_wait checks a link that the busiest time fills to more than 90%: 60 * 122.17 / 125 = 58.64 minutes.
func TestFindings_wait(t *testing.T) {
	t.Parallel()
	one := judged(t, only(110, 125, configured(60)))
	assert.Contains(t, message(one, "syncs_wait"), "the change of the busiest 1 hour takes 58m 38")
	assert.Empty(t, message(one, "late"))
	assert.Contains(t, one.Summary, "In the simulated days, the oldest recovery point gets ")
}

// TestFindings_promiseBelowLeast checks that nothing is said about a configured RPO if none is given.
func TestFindings_promiseBelowLeast(t *testing.T) {
	t.Parallel()
	one := judged(t, only(2, 7000, nil))
	assert.NotEmpty(t, message(one, "rpo_below_minimum"))
	assert.Empty(t, message(one, "configured_above_promise"))
}

// TestSummary_wrongSetting checks a setting of 240 minutes at 214 / 1.14 = 187.7 Mbit/s: a sync takes 156.2 minutes,
// more than half of it. 240 / (1 + 122.17 / 187.7) = 145.4 is rounded down to 120 minutes.
func TestSummary_wrongSetting(t *testing.T) {
	t.Parallel()
	assert.Contains(t, judged(t, only(240, 214, configured(240))).Summary, "Configure 2 hours.")
	assert.NotContains(t, judged(t, only(240, 700, configured(240))).Summary, "Configure ")
}

func TestFindings_assumed(t *testing.T) {
	t.Parallel()
	for inputs, want := range map[string]string{
		"daily_change_percent":             "The value of daily_change_percent is not known, but",
		"peak_factor":                      "The value of peak_factor is not known, but",
		"daily_change_percent peak_factor": "The values of daily_change_percent and peak_factor are not known, but",
	} {
		r, err := promise.Compute(t.Context(), only(240, 700, func(t *promise.Tier) {
			t.AssumedInputs = strings.Fields(inputs)
		}))
		require.NoError(t, err)
		text := message(r.Promises["gold"], "inputs_assumed")
		assert.Contains(t, text, want)
		// 5 * 0.9 * 614.0 / 122.17 = 22.6, and a whole day's change of 409.6 GiB takes 95.5 minutes at any peak.
		assert.Equal(t, strings.Contains(inputs, "daily"), strings.Contains(text, "holds up to 22.6% a day"), inputs)
	}
}

// TestCompute_reserve checks a promise that holds although its busiest time uses more than 90% of the link. The 24 GiB
// that change in a day change within 1440 / 48 = 30 minutes, and take 24 * 2^33 * 1.14 / 140e6 = 1,679 s = 28.0 min.
// With 60 minutes configured, no recovery point gets older than 88 minutes. The busiest rate is
// 24 * 2^33 / 1800 = 114.5 Mbit/s, and 114.5 * 1.14 / 0.9 = 145.1.
func TestCompute_reserve(t *testing.T) {
	t.Parallel()
	p := only(90, 140, func(t *promise.Tier) { t.VMSizeGiB, t.PeakFactor = new(480.0), new(48.0) })
	tiny := p.Tiers["gold"]
	tiny.VMSizeGiB = new(1e-3)
	p.Tiers["tiny"] = tiny
	r, err := promise.Compute(t.Context(), p)
	require.NoError(t, err)
	gold := r.Promises["gold"]
	assert.Equal(t, plan.Meets, gold.Verdict)
	assert.Contains(t, r.Summary, "needs 145.1 Mbit/s to have a tenth left at its busiest time and provides 140.")
	require.NotNil(t, gold.MaxDailyChangePercent)
	assert.Greater(t, *gold.MaxDailyChangePercent, 5.0)
}

// TestCompute_monthsBesideMiss checks that a promise that holds beside one that does not has months of its own: the
// VM of gold is 10 GiB, and that of silver changes more than the link carries.
func TestCompute_monthsBesideMiss(t *testing.T) {
	t.Parallel()
	p := only(240, 100, func(t *promise.Tier) { t.VMSizeGiB = new(10.0) })
	silver := p.Tiers["gold"]
	silver.VMSizeGiB = new(20_000.0)
	p.Tiers["silver"] = silver
	p.GrowthPercentPerYear = new(10.0)
	r, err := promise.Compute(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, plan.Meets, r.Promises["gold"].LikelyVerdict)
	require.Equal(t, plan.Misses, r.Promises["silver"].LikelyVerdict)
	assert.NotEqual(t, new(int64), r.Promises["gold"].MonthsUntilMiss)
	assert.NotNil(t, r.Promises["gold"].SuggestedRPOMinutes)
	assert.Equal(t, new(int64), r.Promises["silver"].MonthsUntilMiss)
}

// TestSummary_simulated verifies that the ages of a late tier that is simulated are no limits. Two VMs change 100 GiB *
// 20% * 2^33 / 86,400 s = 1.99 Mbit/s on a link of 1 Mbit/s, so that the ages grow for ever.
func TestSummary_simulated(t *testing.T) {
	t.Parallel()
	r := judge(t, on(1, map[string]promise.Tier{
		"gold":   identical(60, 1, 50, 20, 3),
		"silver": identical(120, 1, 50, 20, 3),
	}))
	gold := r.Promises["gold"]
	assert.Contains(t, gold.Summary, "In the simulated days, the oldest recovery point gets")
	assert.Contains(t, message(gold, "late"), "more than the promised 1 hour, in the simulated days.")
}

// TestSummary_howItHolds verifies that a summary names the rule by which a promise holds that is not bounded: with 240
// minutes configured, a sync takes 240 * 122.17 / 614.0 = 47.75 minutes.
func TestSummary_howItHolds(t *testing.T) {
	t.Parallel()
	assert.Contains(t, judged(t, only(240, 700, configured(240))).Summary, "of 4 hours holds by the vendor's rule.")
	assert.Contains(t, judged(t, only(240, 700, nil)).Summary, "of 4 hours holds.")
}

// TestSuggestion_besideGiven verifies that a tier has the same suggestion with a given setting as without one, although
// the other tier keeps its promise with no setting.
func TestSuggestion_besideGiven(t *testing.T) {
	t.Parallel()
	suggested := func(given *float64) *float64 {
		gold, silver := identical(600, 2, 100, 683, 6), identical(240, 2, 1000, 427, 1.5)
		gold.ConfiguredRPOMinutes, silver.ConfiguredRPOMinutes = given, new(5.0)
		r := judge(t, on(1000, map[string]promise.Tier{"gold": gold, "silver": silver}))
		return r.Promises["gold"].SuggestedRPOMinutes
	}
	require.NotNil(t, suggested(nil))
	assert.Equal(t, suggested(nil), suggested(new(60.0)))
}

// TestRemedy_assumed verifies that a remedy says that the promise is still at risk if an input is assumed.
func TestRemedy_assumed(t *testing.T) {
	t.Parallel()
	p := only(240, 100, func(one *promise.Tier) { one.AssumedInputs = []string{"peak_factor"} })
	gold := compute(t, p).Promises["gold"]
	require.NotEmpty(t, gold.Remedies)
	first := gold.Remedies[0]
	assert.Equal(t, promise.RemedyThroughput, first.Kind)
	assert.Contains(t, first.Sentence, "; the promise is then at risk only because inputs are assumed.")
	assert.Equal(t, plan.AtRisk, judge(t, p.WithRemedy("gold", first)).Verdict)
}
