package promise_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
)

func TestCompute_refuses(t *testing.T) {
	t.Parallel()
	gold := func(change func(*promise.Tier)) promise.Plan {
		one := tier(15, 5, map[string]float64{"db": 100})
		change(&one)
		return on(1000, map[string]promise.Tier{"gold": one})
	}
	ranged := func(low, high float64) promise.Plan {
		return gold(func(t *promise.Tier) {
			t.Ranges = map[string]calculator.Ends{"daily_change_percent": {Low: low, High: high}}
		})
	}
	_, err := promise.Compute(t.Context(), on(1, nil))
	require.Error(t, err)
	for at, p := range map[string]promise.Plan{
		`tiers["gold"].link`:                                gold(func(t *promise.Tier) { t.Link = "none" }),
		`tiers["gold"].target`:                              gold(func(t *promise.Tier) { t.Target = "none" }),
		`tiers["gold"].ranges["daily_change_percent"].low`:  ranged(6, 4),
		`tiers["gold"].ranges["daily_change_percent"].high`: ranged(1, 4),
		`tiers["gold"].ranges["rpo_minutes"]`: gold(func(t *promise.Tier) {
			t.Ranges = map[string]calculator.Ends{"rpo_minutes": {Low: 10, High: 20}}
		}),
		`tiers["gold"].vm_count`: gold(func(t *promise.Tier) {
			t.VirtualMachines = nil
			t.VMCount = new(100001.0)
			t.VMSizeGiB = new(1.0)
		}),
		`tiers["gold"].daily_change_percent`: gold(func(t *promise.Tier) { t.DailyChangePercent = nil }),
		`tiers["gold"].assumed_inputs[0]`: gold(func(t *promise.Tier) {
			t.PeakFactor, t.AssumedInputs = nil, []string{"peak_factor"}
		}),
		`tiers["gold"].point_in_time`: gold(func(t *promise.Tier) {
			t.PointInTime = &promise.PointInTime{InstancesPerDay: 5, Days: 5}
		}),
		`tiers["gold"].point_in_time.instances_per_day`: gold(func(t *promise.Tier) {
			t.RPOMinutes, t.PointInTime = 240, &promise.PointInTime{InstancesPerDay: 7, Days: 1}
		}),
		`tiers`: gold(func(t *promise.Tier) { // 100,000 VMs * 1,440 syncs * 9 days / 0.9
			t.VirtualMachines = nil
			t.VMCount = new(100000.0)
			t.VMSizeGiB = new(1.0)
			t.RPOMinutes = 1
		}),
		`links["metro"].throughput_mbps`: on(0, nil),
	} {
		_, err := promise.Compute(t.Context(), p)
		problems, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "got %v, want an error at %s", err, at)
		assert.True(t, slices.ContainsFunc(problems, func(e *plan.InputError) bool { return e.Path.String() == at }),
			"got %v, want an error at %s", err, at)
	}
}
