package promise_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/simulation"
)

// TestCompute_months checks growth of g a year. A factor f is reached after 12 * ln f / ln(1 + g) months:
//
//   - chosen: 122.17 Mbit/s may grow to 0.9 of 700 Mbit/s, at the worse end 614.0. 0.9 * 614.0 / 122.17 = 4.52 and 5.16
//     take 44.7 and 48.6 months at 50%.
//   - given: with 240 minutes configured, a sync may take half of them. 0.5 * 614.0 / 122.17 = 2.51 and 2.86 take 27.3
//     and 31.1 months at 50%.
//   - moved: migrations will have ended when growth matters, so that the months are those of the first case.
func TestCompute_months(t *testing.T) {
	t.Parallel()
	moved := only(240, 700, nil)
	l := moved.Links["metro"]
	l.HourlyMovesPercent = slices.Repeat([]float64{50}, 24)
	moved.Links["metro"] = l
	for name, test := range map[string]struct {
		plan         promise.Plan
		atRisk, miss int64
	}{
		"chosen": {only(240, 700, nil), 45, 49},
		"given":  {only(240, 700, configured(240)), 28, 32},
		"moved":  {moved, 45, 49},
	} {
		test.plan.GrowthPercentPerYear = new(50.0)
		test.plan.HorizonMonths = 60
		gold := compute(t, test.plan).Promises["gold"]
		assert.Equal(t, plan.Meets, gold.Verdict, name)
		assert.Equal(t, &test.atRisk, gold.MonthsUntilAtRisk, name)
		assert.Equal(t, &test.miss, gold.MonthsUntilMiss, name)
	}
}

// TestNeeds_months verifies that the months are left out of the needs.
func TestNeeds_months(t *testing.T) {
	t.Parallel()
	p := only(240, 700, nil)
	p.GrowthPercentPerYear = new(20.0)
	needs, err := promise.Needs(t.Context(), p)
	require.NoError(t, err)
	assert.NotNil(t, needs.Links["metro"].ThroughputNeededMbps)
	assert.Nil(t, needs.Promises["gold"].MonthsUntilMiss)
}

// TestCompute_monthsOfTiers verifies that each tier has its own months. Silver changes 5,000 GiB * 5% * 3 * 2^33 /
// 86,400 s = 74.6 Mbit/s in its busiest 8 hours. After 36 months at 30%, it is 163.8 Mbit/s, and what 100 Mbit/s cannot
// carry takes another (1.638 - 1) * 8 = 5.1 hours. Gold changes 0.3 Mbit/s then, and gets half of the link.
func TestCompute_monthsOfTiers(t *testing.T) {
	t.Parallel()
	p := only(240, 100, func(t *promise.Tier) { t.VMSizeGiB = new(10.0) })
	silver := p.Tiers["gold"]
	silver.VMSizeGiB = new(5000.0)
	p.Tiers["silver"] = silver
	p.GrowthPercentPerYear = new(30.0)
	r := compute(t, p)
	require.Equal(t, plan.Meets, r.Verdict)
	assert.Nil(t, r.Promises["gold"].MonthsUntilAtRisk)
	require.NotNil(t, r.Promises["silver"].MonthsUntilMiss)
	assert.Positive(t, *r.Promises["silver"].MonthsUntilMiss)
}

// grown returns a plan whose data has grown for the given number of months.
func grown(p promise.Plan, months int64) promise.Plan {
	factor := simulation.Growth(*p.GrowthPercentPerYear, months)
	return withTiers(p, func(one *promise.Tier) {
		one.VirtualMachines = maps.Clone(one.VirtualMachines)
		for name, vm := range one.VirtualMachines {
			vm.SizeGiB = new(*vm.SizeGiB * factor)
			one.VirtualMachines[name] = vm
		}
	})
}

// TestCompute_monthsByHand checks months against growth that is typed in: a promise holds in the month before, and does
// not hold in the month.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_monthsByHand(t *testing.T) {
	t.Parallel()
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		p = withTiers(p, func(one *promise.Tier) { one.DeadlineHours, one.Target = nil, "" })
		for name, l := range p.Links {
			l.HourlyMovesPercent = nil
			p.Links[name] = l
		}
		p.GrowthPercentPerYear = new(40.0)
		for name, one := range compute(t, p).Promises {
			for _, of := range []struct {
				month   *int64
				verdict func(promise.Promise) plan.Level
			}{
				{one.MonthsUntilAtRisk, func(one promise.Promise) plan.Level { return one.Verdict }},
				{one.MonthsUntilMiss, func(one promise.Promise) plan.Level { return one.LikelyVerdict }},
			} {
				if of.month == nil || *of.month == 0 {
					continue
				}
				before, then := judge(t, grown(p, *of.month-1)), judge(t, grown(p, *of.month))
				assert.Equal(t, plan.Meets, of.verdict(before.Promises[name]), "%s: before month %d", name, *of.month)
				assert.NotEqual(t, plan.Meets, of.verdict(then.Promises[name]), "%s: month %d", name, *of.month)
			}
		}
	})
}
