package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_outage checks that an outage changes no verdict without a promise about it. During 120 minutes, a
// recovery point gets 120 minutes older than the configured RPO.
func TestCompute_outage(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	metro.OutageStartHours, metro.OutageMinutes = 2, new(120.0)
	p.Links["metro"] = metro
	gold := judge(t, p).Promises["gold"]
	assert.Equal(t, plan.Meets, gold.Verdict)
	assert.InDelta(t, *gold.SuggestedRPOMinutes+120, *gold.OutageOldestRecoveryPointMinutes, 1)
	for most, verdict := range map[float64]string{200: plan.Meets, 150: plan.Misses} {
		one := p.Tiers["gold"]
		one.MaxOutageRPOMinutes = &most
		p.Tiers["gold"] = one
		assert.Equal(t, verdict, judge(t, p).Promises["gold"].Verdict, most)
	}
}
