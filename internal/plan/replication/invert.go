package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// invert sets the limits of each input, found with the forward calculation. Its tests are monotone: more throughput
// never lengthens a cycle, more VMs or change never shorten one. With a peak factor the delta grows with the RPO, but
// at most proportionally.
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
	if in.ChangeCurve != nil {
		return
	}
	if v, ok := plan.LargestFloat(RangeDailyChangePercent.Min, RangeDailyChangePercent.Max, func(change float64) bool {
		changed := in
		changed.DailyChangePercent = change
		return changed.violationFree()
	}); ok {
		r.MaxDailyChangePercent = &v
	}
}

// rangeOfRPO returns the range of whole minutes in which the smallest RPO is searched.
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
