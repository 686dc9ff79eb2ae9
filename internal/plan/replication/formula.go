package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (in Input) totalGiB() float64 { return in.VMCount * in.VMSizeGiB }

// linkRate returns the throughput of the link in bit/s of uncompressed data.
func (in Input) linkRate() float64 {
	return in.ThroughputMbps * quantity.BitsPerMbit * in.EfficiencyPercent / quantity.Percent * in.CompressionRatio
}

// rate returns the throughput in bit/s of uncompressed data, and the limiting resource.
func (in Input) rate() (float64, string) {
	rate, limit := in.linkRate(), LimitedByLink
	if in.SourceReadMbps != nil && *in.SourceReadMbps*quantity.BitsPerMbit < rate {
		rate, limit = *in.SourceReadMbps*quantity.BitsPerMbit, LimitedBySourceRead
	}
	if in.TargetWriteMbps != nil && *in.TargetWriteMbps*quantity.BitsPerMbit/in.TargetWriteFactor < rate {
		rate = *in.TargetWriteMbps * quantity.BitsPerMbit / in.TargetWriteFactor
		limit = LimitedByTargetWrite
	}
	return rate, limit
}

func (in Input) transfer(gib float64) float64 {
	rate, _ := in.rate()
	return gib * quantity.BitsPerGiB / rate
}

func (in Input) initial() float64 {
	seeded := in.totalGiB() * in.SeededPercent / quantity.Percent
	sent := in.transfer(in.totalGiB() * (quantity.Percent - in.SeededPercent) / quantity.Percent)
	if in.ChecksumMbps == nil {
		return sent
	}
	return max(sent, seeded*quantity.BitsPerGiB/(*in.ChecksumMbps*quantity.BitsPerMbit))
}

func (in Input) assumption() string {
	switch {
	case in.ChangeCurve != nil:
		return AssumeCurve
	case in.PeakFactor != nil:
		return AssumePeakFactor
	}
	return AssumeWholeDay
}

func (in Input) curve() changerate.Curve {
	if in.ChangeCurve == nil {
		return changerate.Linear(in.DailyChangePercent, in.VMSizeGiB, math.Inf(1))
	}
	return changerate.NewCurve(in.ChangeCurve, in.VMSizeGiB)
}

// ChangedPerVM returns the amount of data, in GiB, that changes on one VM within the given number of minutes.
func (in Input) ChangedPerVM(minutes float64) float64 { return in.curve().At(minutes) }

// BusiestMinutes returns the length, in minutes, of the interval in which, on average, as much data changes as in the
// busiest cycle.
func (in Input) BusiestMinutes() float64 {
	switch {
	case in.PeakFactor != nil:
		return min(quantity.MinutesPerDay, *in.PeakFactor*in.RPOMinutes)
	case in.ChangeCurve != nil:
		return in.RPOMinutes
	}
	return quantity.MinutesPerDay
}

func (in Input) changedGiB() float64 { return in.VMCount * in.curve().At(in.BusiestMinutes()) }

// dailyGiB returns the total amount of data, in GiB, that is sent in all cycles of a day. If there is no curve, this is
// the daily change.
func (in Input) dailyGiB() float64 {
	return quantity.MinutesPerDay / in.RPOMinutes * in.VMCount * in.curve().At(in.RPOMinutes)
}

func (in Input) ongoing() float64 { return in.OverheadSeconds + in.transfer(in.changedGiB()) }

func (in Input) meetsRPO() bool { return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute }

func (in Input) violationFree() bool {
	return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute/2
}
