package promise_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

func withTiers(p promise.Plan, change func(*promise.Tier)) promise.Plan {
	p.Tiers = maps.Clone(p.Tiers)
	for name, t := range p.Tiers {
		change(&t)
		p.Tiers[name] = t
	}
	return p
}

// TestJudge_directions checks that more throughput, less change, fewer VMs, less overhead and a later deadline never
// make a verdict worse, and that a shorter promise never makes one better.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestJudge_directions(t *testing.T) {
	t.Parallel()
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		faster := p
		for name, l := range p.Links {
			faster = faster.WithThroughput(name, 1.3*l.MeanMbps())
		}
		better := map[string]promise.Plan{
			"more throughput": faster,
			"less change": withTiers(p, func(one *promise.Tier) {
				one.DailyChangePercent = new(*one.DailyChangePercent * 0.8)
			}),
			"fewer VMs": withTiers(p, func(one *promise.Tier) {
				one.VirtualMachines = maps.Clone(one.VirtualMachines)
				if all := slices.Sorted(maps.Keys(one.VirtualMachines)); len(all) > 1 {
					delete(one.VirtualMachines, all[0])
				}
			}),
			"less overhead": withTiers(p, func(one *promise.Tier) { one.OverheadSeconds /= 2 }),
			"a later deadline": withTiers(p, func(one *promise.Tier) {
				if one.DeadlineHours != nil {
					one.DeadlineHours = new(*one.DeadlineHours * 1.5)
				}
			}),
		}
		before := judge(t, p)
		for what, better := range better {
			after := judge(t, better)
			for name := range p.Tiers {
				was, is := before.Promises[name], after.Promises[name]
				assert.Equal(
					t,
					was.Verdict,
					plan.Worse(was.Verdict, is.Verdict),
					"%s: %s: %s, then %s",
					what,
					name,
					was.Summary,
					is.Summary,
				)
			}
		}
		shorter := judge(t, withTiers(p, func(one *promise.Tier) {
			one.RPOMinutes = max(5, one.RPOMinutes/2)
		}))
		for name := range p.Tiers {
			was, is := before.Promises[name], shorter.Promises[name]
			assert.Equal(t, is.Verdict, plan.Worse(was.Verdict, is.Verdict), "shorter promise: %s: %s, then %s", name,
				was.Summary, is.Summary)
		}
	})
}

// TestCompute_remedies checks that a promise holds with each remedy typed in, and that the result does not depend on
// the order of maps.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_remedies(t *testing.T) {
	t.Parallel()
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		r := compute(t, p)
		assert.Equal(t, compute(t, p), r)
		for name, one := range r.Promises {
			for _, remedy := range one.Remedies {
				assert.Equal(t, plan.Meets, judge(t, p.WithRemedy(name, remedy)).Promises[name].Verdict,
					"%v, %v", name, remedy.Sentence)
			}
			if one.Verdict == plan.Meets {
				assert.Empty(t, one.Remedies, name)
			}
		}
	})
}

// TestCompute_needs checks that all promises of a link hold with the throughput that it needs and the settings that go
// with it.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_needs(t *testing.T) {
	t.Parallel()
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		r, err := promise.Needs(t.Context(), p)
		require.NoError(t, err)
		for name, link := range r.Links {
			if link.ThroughputNeededMbps == nil {
				continue
			}
			still := p
			still.Links = maps.Clone(p.Links)
			for other, l := range p.Links { // the need is that without migrations
				l.HourlyMovesPercent = nil
				still.Links[other] = l
			}
			typed := still.WithThroughput(name, *link.ThroughputNeededMbps)
			settings := promise.Remedy{
				Kind:                 promise.RemedySetting,
				ConfiguredRPOMinutes: link.NeededConfiguredRPOMinutes,
			}
			of := judge(t, typed.WithRemedy(link.Promises[0], settings))
			for _, tier := range link.Promises {
				assert.Equal(t, plan.Meets, of.Promises[tier].Verdict, "%v at %v: %v", tier, *link.ThroughputNeededMbps,
					of.Promises[tier].Summary)
			}
		}
	})
}
