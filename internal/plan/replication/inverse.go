package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (in Input) band(r *Result) {
	if in.ChangeCurve != nil || r.LimitedBy != LimitedByLink {
		return
	}
	if in.ThroughputBasis == plan.BasisNominal {
		in.EfficiencyPercent = math.Min(in.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if fourOfFive > 0 {
		r.InitialSyncSeconds80 = new(fourOfFive * in.initial())
		r.OngoingSyncSeconds80 = new(fourOfFive * in.ongoing())
	}
	if nineOfTen > 0 {
		r.InitialSyncSeconds90 = new(nineOfTen * in.initial())
		r.OngoingSyncSeconds90 = new(nineOfTen * in.ongoing())
	}
}

// invert searches for the limits of the inputs, using the forward calculation. The tests are monotone: a higher
// throughput never lengthens a cycle, and more VMs or more change never shorten it. With a peak factor, the change of a
// cycle grows with the RPO, but at most proportionally.
func (in Input) invert(r *Result) {
	if least, longest := in.rangeOfRPO(); least <= longest {
		if v, ok := plan.SmallestInt(least, longest, func(minutes int64) bool {
			changed := in
			changed.RPOMinutes = float64(minutes)
			return changed.violationFree()
		}); ok {
			r.MinRPOMinutes = &v
		}
	}
	r.ThroughputForRPOMbps = in.smallestThroughput(Input.meetsRPO)
	r.ThroughputViolationFreeMbps = in.smallestThroughput(Input.violationFree)

	largest := int64(RangeVMCount.Max)
	count, _ := plan.LargestInt(0, largest, func(n int64) bool {
		changed := in
		changed.VMCount = float64(n)
		return n == 0 || changed.violationFree()
	})
	if count < largest {
		r.MaxVMCount = &count
	}
}

func (in Input) rangeOfRPO() (least, longest int64) {
	least, longest = leastPlainRPOMinutes, maxRPOMinutes
	if in.RPOMinutes < leastPlainRPOMinutes {
		least = leastRPOMinutes
	}
	if in.PeakFactor != nil && in.ChangeCurve == nil {
		longest = int64(math.Floor(quantity.MinutesPerDay / *in.PeakFactor))
	}
	return least, longest
}

func (in Input) smallestThroughput(test func(Input) bool) *float64 {
	v, ok := plan.SmallestFloat(RangeThroughputMbps.Min, RangeThroughputMbps.Max, func(throughput float64) bool {
		changed := in
		changed.ThroughputMbps = throughput
		return test(changed)
	})
	if !ok {
		return nil
	}
	return &v
}
