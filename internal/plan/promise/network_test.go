package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_perSync checks a single sync that is limited to one of 16 streams. 1,024 KiB in flight at 50 ms allow
// 2^23 bit / 0.05 s = 167.77 Mbit/s. At its peak, the VM changes by 4,096 GiB * 10% * 4 * 2^33 / 86,400 s = 162.9
// Mbit/s. The remedy is a rate of one sync of at least this, and no throughput of the link.
func TestCompute_perSync(t *testing.T) {
	t.Parallel()
	network := link.Defaults()
	network.BandwidthMbps = 1000
	network.RTTMs = new(50.0)
	network.WindowKiB = new(1024.0)
	network.Streams = 16
	network.ThroughputBasis = plan.BasisTransfer
	p := on(1, map[string]promise.Tier{"gold": identical(15, 1, 4096, 10, 4)})
	metroLink := promise.LinkDefaults()
	metroLink.Network = &network
	p.Links["metro"] = metroLink
	r := compute(t, p)
	gold, metro := r.Promises["gold"], r.Links["metro"]
	assert.Equal(t, plan.AtRisk, gold.Verdict)
	require.NotNil(t, metro.NeededLimitedBy)
	assert.Equal(t, promise.LimitedByPerSync, *metro.NeededLimitedBy)
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyPerSync, gold.Remedies[0].Kind)
	assert.InEpsilon(t, 162.9, *gold.Remedies[0].Value, 0.08)
	assert.Contains(t, gold.Remedies[0].Sentence, "(now 167.77)")
}

// TestCompute_networkWithoutStreamLimit checks that a network whose streams have no limit is like a throughput: one VM
// changes by 100 GiB * 50% * 2^33 / 86,400 s = 4.97 Mbit/s, and a transfer was measured, so 4.97 * 1.14 / 0.9 = 6.3
// Mbit/s are needed.
func TestCompute_networkWithoutStreamLimit(t *testing.T) {
	t.Parallel()
	network := link.Defaults()
	network.BandwidthMbps, network.ThroughputBasis = 4, plan.BasisTransfer
	p := on(1, map[string]promise.Tier{"gold": identical(60, 1, 100, 50, 1)})
	metro := promise.LinkDefaults()
	metro.Network = &network
	p.Links["metro"] = metro
	r := compute(t, p)
	assert.Equal(t, plan.Misses, r.Verdict)
	require.NotNil(t, r.Links["metro"].ThroughputNeededMbps)
	assert.InEpsilon(t, 6.297, *r.Links["metro"].ThroughputNeededMbps, 0.001)
	require.NotEmpty(t, r.Promises["gold"].Remedies)
	assert.Equal(t, promise.RemedyThroughput, r.Promises["gold"].Remedies[0].Kind)
}

// TestCompute_networkRemedy checks the throughput of a network whose basis is unknown: 1,380 GiB * 8% * 2^33 bit * 96 /
// 86,400 s = 1,053.7 Mbit/s change within 15 minutes, and need 1,053.7 * 1.87 / 0.9 = 2,190 Mbit/s.
func TestCompute_networkRemedy(t *testing.T) {
	t.Parallel()
	one := identical(15, 1, 1380, 8, 0)
	one.PeakFactor, one.TargetCompliancePercent = nil, new(100.0)
	p := on(1, map[string]promise.Tier{"gold": one})
	network := link.Defaults()
	network.BandwidthMbps, network.EfficiencyPercent = 1000, 70
	metro := promise.LinkDefaults()
	metro.Network = &network
	p.Links["metro"] = metro
	gold := compute(t, p).Promises["gold"]
	require.NotEmpty(t, gold.Remedies)
	assert.Equal(t, promise.RemedyThroughput, gold.Remedies[0].Kind)
	assert.Equal(t, new(2190.0), gold.Remedies[0].Value)
	// 2,190 / 70% = 3,128.6
	assert.Contains(t, gold.Remedies[0].Sentence, "(now 700; a bandwidth of 3,129)")
}

// TestCompute_streamsAtWorseEnd verifies that the worse end of a nominal network does not depend on its efficiency if
// one stream is the limit: 50 Mbit/s are less than 70% of the bandwidth. Three VMs change 600 GiB * 9.5% * 4 * 2^33 /
// 86,400 s = 22.67 Mbit/s, which needs 22.67 * 1.87 / 0.9 = 47.1 Mbit/s.
func TestCompute_streamsAtWorseEnd(t *testing.T) {
	t.Parallel()
	for _, efficiency := range []float64{100, 70, 10} {
		network := link.Defaults()
		network.BandwidthMbps, network.ThroughputBasis = 1000, plan.BasisNominal
		network.RTTMs, network.WindowKiB, network.PerFlowLimitMbps = new(5.0), new(1024.0), new(50.0)
		network.EfficiencyPercent = efficiency
		p := on(1, map[string]promise.Tier{"gold": identical(60, 3, 200, 9.5, 4)})
		metro := promise.LinkDefaults()
		metro.Network = &network
		p.Links["metro"] = metro
		r := compute(t, p)
		assert.Equal(t, plan.Meets, r.Verdict, efficiency)
		require.NotNil(t, r.Links["metro"].ThroughputNeededMbps)
		assert.InEpsilon(t, 47.1, *r.Links["metro"].ThroughputNeededMbps, 0.001, efficiency)
	}
}

// TestSlow_invalid verifies that a network whose loss has no effect without a round-trip time is neither slow nor a
// panic: Terraform asks before it reports the error.
func TestSlow_invalid(t *testing.T) {
	t.Parallel()
	network := map[string]any{"bandwidth_mbps": 1000.0, "loss_percent": 0.01}
	assert.False(t, promise.Definition.Calculator().Slow(map[string]any{
		"links": map[string]any{"metro": map[string]any{"network": network}},
		"tiers": map[string]any{"gold": map[string]any{
			"vm_count": 15.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "rpo_minutes": 60.0,
		}},
	}))
}
