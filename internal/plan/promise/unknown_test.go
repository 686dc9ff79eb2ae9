package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

func TestJudge_unknown(t *testing.T) {
	t.Parallel()
	unsized := tier(60, 5, map[string]float64{"a": 10, "b": 10})
	unsized.VirtualMachines["b"] = promise.VM{}
	sizeless := tier(60, 5, nil)
	sizeless.VirtualMachines["c"] = promise.VM{}
	p := on(1000, map[string]promise.Tier{
		"empty":              tier(60, 5, nil),
		"unsized":            unsized,
		"shared":             tier(60, 5, map[string]float64{"a": 10}),
		"sizeless":           sizeless,
		"beside":             tier(60, 5, map[string]float64{"x": 10}),
		"unsized's neighbor": tier(60, 5, map[string]float64{"y": 10}),
	})
	p.Links["other"], p.Links["third"] = p.Links["metro"], p.Links["metro"]
	for name, link := range map[string]string{
		"empty":              "metro",
		"unsized":            "metro",
		"unsized's neighbor": "metro",
		"shared":             "other",
		"sizeless":           "third",
		"beside":             "third",
	} {
		one := p.Tiers[name]
		one.Link = link
		p.Tiers[name] = one
	}
	r := judge(t, p)
	for name, code := range map[string]string{
		"unsized":  "size_unknown",
		"shared":   "in_two_tiers",
		"sizeless": "size_unknown",
		"beside":   "load_unknown",
	} {
		one := r.Promises[name]
		assert.Equal(t, plan.Unknown, one.Verdict, name)
		assert.Contains(t, plan.Codes(one.Findings), code, name)
	}
	assert.Equal(t, plan.Meets, r.Promises["unsized's neighbor"].Verdict)
	assert.Equal(t, plan.Empty, r.Promises["empty"].Verdict)
	assert.Contains(t, r.Promises["unsized"].Summary, "holds for 1 of 2 VMs, and is not known for 1: b.")
	assert.Equal(t, plan.Unknown, r.Verdict)
	assert.Nil(t, r.Promises["sizeless"].TotalGiB)
	assert.Nil(t, r.Promises["sizeless"].ChangeMbps)
	assert.InDelta(t, 10, *r.Promises["unsized"].TotalGiB, 0)
}

// TestJudge_unknownAndAtRisk has no evidence of the throughput, so 10 Mbit/s can be 10 * 0.7 / 1.87 = 3.7. Two VMs of
// 200 GiB, one of them by the median, change 5% per day, 3 times the mean at the peak: 5.97 Mbit/s.
func TestJudge_unknownAndAtRisk(t *testing.T) {
	t.Parallel()
	gold := tier(60, 5, map[string]float64{"a": 200})
	gold.VirtualMachines["b"] = promise.VM{}
	gold.PeakFactor = new(3.0)
	one := judge(t, onBasis(10, "", map[string]promise.Tier{"gold": gold})).Promises["gold"]
	assert.Equal(t, plan.Unknown, one.Verdict)
	assert.Contains(t, one.Summary, "The promise of 1 hour is at risk for 1 of 2 VMs, and is not known for 1: b.")
}

// TestJudge_median verifies that a VM of unknown size counts with the median: (100 + 900) / 2 = 500 GiB.
func TestJudge_median(t *testing.T) {
	t.Parallel()
	gold := tier(60, 5, map[string]float64{"a": 100, "b": 900})
	gold.VirtualMachines["c"] = promise.VM{}
	r := judge(t, on(1000, map[string]promise.Tier{"gold": gold}))
	assert.Equal(t, []plan.Assumption{{Input: "size_gib", At: "gold", Value: 500, Decides: true}}, r.Assumed)
}
