package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_deadline checks deadlines and space. The initial sync of 5,200 GiB takes 24.8 h at 500 Mbit/s. The VMs of
// silver have 80 GiB each and are in sync when 60 * 80 GiB have been sent, after 22.9 h.
func TestCompute_deadline(t *testing.T) {
	t.Parallel()
	p := on(500, map[string]promise.Tier{"gold": identical(15, 20, 100, 1, 3), "silver": identical(60, 40, 80, 1, 3)})
	gold := p.Tiers["gold"]
	gold.DeadlineHours, gold.Target = new(20.0), "dr"
	p.Tiers["gold"] = gold
	p.Targets = map[string]promise.Target{"dr": {FreeGiB: new(2010.0), WriteFactor: 2}}
	r := compute(t, p)
	one := r.Promises["gold"]
	assert.Equal(t, plan.Misses, one.Verdict)
	assert.Equal(t, []string{"deadline_missed", "no_remedy", "target_nearly_full"}, plan.Codes(one.Findings))
	assert.InDelta(t, 22.9*60, *r.Promises["silver"].InitialSyncMinutes, 20)
	p.Targets["dr"] = promise.Target{FreeGiB: new(20000.0), WriteFactor: 2}
	kinds := []string{}
	for _, remedy := range compute(t, p).Promises["gold"].Remedies {
		kinds = append(kinds, remedy.Kind)
	}
	assert.Equal(t, []string{promise.RemedyThroughput, promise.RemedyDeadline}, kinds)
}

// TestCompute_deadlineAtWorseEnd checks that the reason names the deadline if only that is missed at the worse end. 100
// GiB take 2.386 h at 100 Mbit/s, and 9,793 s at the worse end of 100 / 1.14 Mbit/s.
func TestCompute_deadlineAtWorseEnd(t *testing.T) {
	t.Parallel()
	gold := identical(60, 1, 100, 1, 3)
	gold.DeadlineHours = new(2.5)
	p := on(100, map[string]promise.Tier{"gold": gold})
	link := p.Links["metro"]
	link.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: 100 / 1.14, High: 100}}
	p.Links["metro"] = link
	findings := compute(t, p).Promises["gold"].Findings
	require.Equal(t, []string{"not_at_worse_end"}, plan.Codes(findings))
	assert.Contains(t, findings[0].Sentence, "after 2h 43m 13s, but the deadline is 2h 30m 0s")
}
