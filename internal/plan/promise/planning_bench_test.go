package promise_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// largeEstate returns an estate of VMs of lognormal sizes around 100 GiB, which belong to the tiers in turn. The tiers
// have ranges of change, and are distributed over the links.
func largeEstate(vms, links int, mbps float64, rpos ...float64) promise.Plan {
	r := rand.New(rand.NewPCG(7, 7))
	p := promise.Defaults()
	p.Links, p.Tiers = map[string]promise.Link{}, map[string]promise.Tier{}
	for i := range links {
		l := promise.LinkDefaults()
		l.ThroughputMbps, l.ThroughputBasis = &mbps, plan.BasisTransfer
		p.Links[fmt.Sprint("link-", i)] = l
	}
	for i, rpo := range rpos {
		t := tier(rpo, 5, nil)
		t.VirtualMachines, t.PeakFactor = map[string]promise.VM{}, new(3.0)
		t.Link = fmt.Sprint("link-", i%links)
		t.Ranges = map[string]promise.Ends{"daily_change_percent": {Low: 3, High: 8}}
		for v := i; v < vms; v += len(rpos) {
			t.VirtualMachines[fmt.Sprint("vm-", v)] = promise.VM{SizeGiB: new(100 * math.Exp(r.NormFloat64()))}
		}
		p.Tiers[fmt.Sprint("tier-", i)] = t
	}
	return p
}

func benchmark(b *testing.B, p promise.Plan, of func(context.Context, promise.Plan) (promise.Result, error)) {
	b.Helper()
	require.NoError(b, p.Check())
	for b.Loop() {
		_, err := of(b.Context(), p)
		require.NoError(b, err)
	}
}

// 400 VMs of 165 GiB on average change by 38 Mbit/s at 1%, so by 920 Mbit/s at 8% and a peak of 3.
func BenchmarkPlanning_verdict400(b *testing.B) {
	benchmark(b, largeEstate(400, 1, 1200, 15, 60, 240), promise.Judge)
}

func BenchmarkPlanning_all400(b *testing.B) {
	benchmark(b, largeEstate(400, 1, 1200, 15, 60, 240), promise.Compute)
}

func BenchmarkPlanning_all23(b *testing.B) {
	benchmark(b, largeEstate(23, 2, 40, 15, 15, 60, 240), promise.Compute)
}

func BenchmarkPlanning_all4000(b *testing.B) {
	p := largeEstate(4000, 3, 4000, 5, 5, 5)
	target := promise.TargetDefaults()
	target.WriteMbps = new(40000.0)
	p.Targets = map[string]promise.Target{"dr": target}
	for name, t := range p.Tiers {
		t.Target = "dr"
		p.Tiers[name] = t
	}
	benchmark(b, p, promise.Compute)
}

func BenchmarkPlanning_limited(b *testing.B) {
	p := largeEstate(4000, 1, 60_000, 15)
	p.MaxConcurrentSyncs = new(1000.0)
	benchmark(b, p, promise.Compute)
}

func BenchmarkPlanning_all100000(b *testing.B) {
	benchmark(b, largeEstate(100_000, 1, 300_000, 15), promise.Compute)
}
