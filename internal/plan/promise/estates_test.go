package promise_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

func tier(rpo, change float64, sizes map[string]float64) promise.Tier {
	t := promise.TierDefaults()
	t.RPOMinutes = rpo
	t.DailyChangePercent = &change
	t.PeakFactor = new(1.0)
	t.VirtualMachines = make(map[string]promise.VM, len(sizes))
	for name, size := range sizes {
		t.VirtualMachines[name] = promise.VM{SizeGiB: &size}
	}
	return t
}

// on returns a plan with a link named metro, whose throughput has no worse end.
func on(mbps float64, tiers map[string]promise.Tier) promise.Plan {
	p, l := promise.Defaults(), promise.LinkDefaults()
	l.ThroughputMbps = &mbps
	l.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: mbps, High: mbps}}
	p.Links, p.Tiers = map[string]promise.Link{"metro": l}, tiers
	return p
}

func compute(t *testing.T, p promise.Plan) promise.Result {
	t.Helper()
	r, err := promise.Compute(t.Context(), p)
	require.NoError(t, err)
	return r
}

func judge(t *testing.T, p promise.Plan) promise.Result {
	t.Helper()
	r, err := promise.Judge(t.Context(), p)
	require.NoError(t, err)
	return r
}

// drawn generates an estate from a seed: 1 to 3 tiers of 1 to 4 VMs on 1 or 2 links near their capacity, some with
// migrations, limits, targets, deadlines and unknown inputs.
func drawn(seed uint64) promise.Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	some := func(part float64) bool { return r.Float64() < part }
	p := promise.Defaults()
	p.Links, p.Tiers = map[string]promise.Link{}, map[string]promise.Tier{}
	if some(0.5) {
		target := promise.TargetDefaults()
		target.FreeGiB = new(between(100, 20000))
		if some(0.5) {
			target.WriteMbps = new(between(5, 500))
		}
		p.Targets = map[string]promise.Target{"dr": target}
	}
	for i := range 1 + r.IntN(2) {
		l := promise.LinkDefaults()
		l.ThroughputMbps = new(between(5, 500))
		if some(0.2) {
			day, night := *l.ThroughputMbps, between(0.05, 1)
			l.ThroughputMbps, l.HourlyThroughputMbps = nil, make([]float64, 24)
			for h := range l.HourlyThroughputMbps {
				l.HourlyThroughputMbps[h] = day
				if h < 6 {
					l.HourlyThroughputMbps[h] *= night
				}
			}
		}
		if some(0.7) {
			l.ThroughputBasis = plan.Bases[r.IntN(len(plan.Bases))]
		}
		if some(0.3) {
			l.HourlyMovesPercent = make([]float64, 24)
			from, percent := r.IntN(20), between(10, 95)
			for h := range 4 {
				l.HourlyMovesPercent[from+h] = percent
			}
		}
		p.Links[fmt.Sprint("link-", i)] = l
	}
	for i := range 1 + r.IntN(3) {
		t := tier([]float64{15, 60, 240}[r.IntN(3)], between(0.5, 20), nil)
		t.VirtualMachines = map[string]promise.VM{}
		for v := range 1 + r.IntN(4) {
			t.VirtualMachines[fmt.Sprintf("vm-%d-%d", i, v)] = promise.VM{SizeGiB: new(between(10, 2000))}
		}
		t.Link = fmt.Sprint("link-", r.IntN(len(p.Links)))
		if len(p.Targets) > 0 {
			t.Target = "dr"
		}
		switch {
		case some(0.2):
			t.PeakFactor = nil
		case some(0.5):
			t.PeakFactor = new(between(1, 10))
		}
		if some(0.2) {
			t.PerSyncMbps = new(between(2, 200))
		}
		if some(0.2) {
			t.DeadlineHours = new(between(1, 200))
		}
		if some(0.3) {
			t.OverheadSeconds = between(1, 120)
		}
		if some(0.3) {
			t.ConfiguredRPOMinutes = new(t.RPOMinutes / float64(1+r.IntN(3)))
		}
		p.Tiers[fmt.Sprint("tier-", i)] = t
	}
	return p
}

// estates runs a test for drawn estates: for 12 of them, or for the number in VSLA_PROVE_ESTATES.
func estates(t *testing.T, test func(t *testing.T, p promise.Plan)) {
	t.Helper()
	n := uint64(12)
	if more := os.Getenv("VSLA_PROVE_ESTATES"); more != "" {
		var err error
		n, err = strconv.ParseUint(more, 10, 32)
		require.NoError(t, err)
	}
	t.Run("estates", func(t *testing.T) { // Run returns only after all parallel subtests have finished
		for seed := range n {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				test(t, drawn(seed))
			})
		}
	})
}

// identical returns a tier of identical VMs. A peak of 0 is unknown.
func identical(rpo, count, gib, change, peak float64) promise.Tier {
	t := tier(rpo, change, nil)
	t.VirtualMachines = nil
	t.VMCount = &count
	t.VMSizeGiB = &gib
	t.PeakFactor = &peak
	if peak == 0 {
		t.PeakFactor = nil
	}
	return t
}

func onBasis(mbps float64, basis string, tiers map[string]promise.Tier) promise.Plan {
	p := on(mbps, tiers)
	metro := p.Links["metro"]
	metro.Ranges, metro.ThroughputBasis = nil, basis
	p.Links["metro"] = metro
	return p
}
