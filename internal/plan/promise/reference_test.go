package promise_test

import (
	"fmt"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// steps are the minutes that can be configured up to an RPO of an hour, without enhanced replication.
var steps = []int64{5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 60}

// reference is a tier of up to three VMs on a link of its own, whose answers follow from exact fractions.
type reference struct {
	vms             []referenceVM
	promised, times int64 // the RPO in minutes, and the peak
	mbps            int64
}

// referenceVM is a VM with its size and its daily change in percent.
type referenceVM struct{ gib, percent int64 }

// changed returns the change of all VMs in the busiest n minutes, in bit: the daily changes of 2^33 * GiB * percent /
// 100, times n / 1,440 and the peak, and at most that of a day.
func (r reference) changed(n int64) *big.Rat {
	sum := int64(0)
	for _, vm := range r.vms {
		sum += vm.gib * vm.percent
	}
	day := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(sum), 33))
	return day.Mul(day, big.NewRat(min(1440, n*r.times), 100*1440))
}

// needed returns the bit/s with which n minutes keep the promise: a sync may take 0.9 n, and n and a sync the promised
// RPO. With the shortest setting, half of n suffices by the vendor's rule.
func (r reference) needed(n int64) *big.Rat {
	most := big.NewRat(9*n, 10)
	if left := big.NewRat(r.promised-n, 1); left.Cmp(most) < 0 {
		most = left
	}
	if half := big.NewRat(n, 2); n == steps[0] && half.Cmp(most) > 0 {
		most = half
	}
	if most.Sign() <= 0 {
		return nil
	}
	return new(big.Rat).Quo(r.changed(n), most.Mul(most, big.NewRat(60, 1)))
}

// setting returns the longest setting that keeps the promise; 0 if there is none.
func (r reference) setting() int64 {
	for _, n := range slices.Backward(steps) {
		if bits := r.needed(n); bits != nil && bits.Cmp(big.NewRat(r.mbps*1_000_000, 1)) <= 0 {
			return n
		}
	}
	return 0
}

// need returns the least Mbit/s with which any setting keeps the promise and the busiest rate is at most 0.9 of it.
func (r reference) need() float64 {
	least := new(big.Rat).Quo(r.changed(1), big.NewRat(54, 1))
	var best *big.Rat
	for _, n := range steps {
		if bits := r.needed(n); bits != nil && (best == nil || bits.Cmp(best) < 0) {
			best = bits
		}
	}
	if best.Cmp(least) < 0 {
		best = least
	}
	mbps, _ := best.Float64()
	return mbps / 1e6
}

func (r reference) plan() promise.Plan {
	t := tier(float64(r.promised), 1, nil)
	for i, vm := range r.vms {
		t.VirtualMachines[fmt.Sprint("vm-", i)] = promise.VM{
			SizeGiB:            new(float64(vm.gib)),
			DailyChangePercent: new(float64(vm.percent)),
		}
	}
	t.PeakFactor = new(float64(r.times))
	return on(float64(r.mbps), map[string]promise.Tier{"gold": t})
}

// references returns the tiers of one to three VMs of three sizes and four changes, with three peaks, on two links and
// with promises of 5, 15 or 60 minutes.
func references() []reference {
	var vms [][]referenceVM
	var kinds []referenceVM
	for _, gib := range []int64{11, 101, 1009} {
		for _, percent := range []int64{1, 3, 7, 29} {
			kinds = append(kinds, referenceVM{gib, percent})
		}
	}
	for i, a := range kinds {
		vms = append(vms, []referenceVM{a})
		for j, b := range kinds[:i+1] {
			vms = append(vms, []referenceVM{a, b})
			for _, c := range kinds[:j+1] {
				vms = append(vms, []referenceVM{a, b, c})
			}
		}
	}
	var all []reference
	for _, promised := range []int64{5, 15, 60} {
		for _, times := range []int64{1, 4, 96} {
			for _, mbps := range []int64{61, 997} {
				for _, of := range vms {
					all = append(all, reference{of, promised, times, mbps})
				}
			}
		}
	}
	return all
}

// TestNeeds_reference compares verdicts, settings and needs with exact fractions: of each tier of the lattice with
// VSLA_PROVE_LATTICE, and otherwise of every 41st.
func TestNeeds_reference(t *testing.T) {
	t.Parallel()
	all, every := references(), 41
	require.Len(t, all, 3*3*2*(12+78+364)) // up to three VMs of 12 kinds
	if os.Getenv("VSLA_PROVE_LATTICE") != "" {
		every = 1
	}
	for i := 0; i < len(all); i += every {
		r := all[i]
		name := fmt.Sprintf("%+v", r)
		got, err := promise.Needs(t.Context(), r.plan())
		require.NoError(t, err, name)
		gold := got.Promises["gold"]
		need := got.Links["metro"].ThroughputNeededMbps
		require.NotNil(t, need, name)
		assert.InEpsilon(t, r.need(), *need, 1e-3, name) // rounded up to four digits
		if n := r.setting(); n > 0 {
			assert.Equal(t, plan.Meets, gold.Verdict, name)
			require.NotNil(t, gold.SuggestedRPOMinutes, name)
			assert.InDelta(t, n, *gold.SuggestedRPOMinutes, 0, name)
		} else {
			assert.Equal(t, plan.Misses, gold.Verdict, name)
		}
	}
}
