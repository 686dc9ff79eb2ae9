package migration

import (
	"math"
	"slices"
)

func (r *PlanResult) remedyDeadline(in PlanInput) {
	r.MaxConcurrentForDeadline = in.concurrencyForDeadline()
	mbps, limitedBy := in.throughputForDeadline()
	if limitedBy == "" {
		r.ThroughputForDeadlineMbps = &mbps
		return
	}
	r.find(reasonNoThroughput, limitOfName(limitedBy).remedy)
}

func (in PlanInput) tryDeadline() (PlanResult, bool) {
	r, s, err := in.schedule()
	return r, err == nil && !s.unbounded && r.meetsDeadline(in)
}

func (in PlanInput) concurrencyForDeadline() *int64 {
	if in.MaxConcurrent == nil || in.Profile == ProfileHCXVMotion {
		return nil
	}
	in.MaxConcurrent = nil
	r, ok := in.tryDeadline()
	if !ok {
		return nil
	}
	in.MaxConcurrent = new(float64(r.concurrent))
	if _, ok := in.tryDeadline(); !ok {
		return nil
	}
	return new(int64(r.concurrent))
}

// throughputForDeadline returns a throughput in Mbit/s that is sufficient to meet the deadline, rounded to three
// significant digits if possible. If no throughput is sufficient, it returns the limit of the plan instead. A higher
// throughput can make a plan longer, so the result is sufficient but not always the least.
func (in PlanInput) throughputForDeadline() (float64, string) {
	given, most := in.MeanMbps(), RangeThroughputMbps.Max
	if in.HourlyThroughputMbps != nil { // keep all hourly rates within the range
		most *= given / slices.Max(in.HourlyThroughputMbps)
	}
	if in.Profile == ProfileHCXBulk {
		most = hcxApplianceMbps
	}
	if r, ok := in.WithThroughput(most).tryDeadline(); !ok {
		return 0, in.limitOf(r)
	}
	meets := func(mbps float64) bool {
		_, ok := in.WithThroughput(mbps).tryDeadline()
		return ok
	}
	fails, holds := given, min(2*given, most)
	for !meets(holds) {
		fails, holds = holds, min(2*holds, most)
	}
	holds = bisect(fails, holds, meets)
	return roundThroughput(holds, given, most, meets), ""
}

// bisect returns a throughput that meets the deadline, and of which 1 / searchRatio does not. fails does not meet it,
// and holds does.
func bisect(fails, holds float64, meets func(mbps float64) bool) float64 {
	for holds > fails*searchRatio {
		if middle := math.Sqrt(fails * holds); meets(middle) {
			holds = middle
		} else {
			fails = middle
		}
	}
	return holds
}

// roundThroughput returns the lowest throughput near the one that holds that has three significant digits and meets the
// deadline. If there is none below twice that throughput and below most, it returns the one that holds.
func roundThroughput(holds, given, most float64, meets func(mbps float64) bool) float64 {
	const digits = 3
	step := math.Pow10(int(math.Floor(math.Log10(holds))) + 1 - digits)
	rounded := math.Ceil(holds/step) * step
	for rounded < min(most, 2*holds) && !meets(rounded) {
		rounded += step
	}
	if rounded >= min(most, 2*holds) {
		return holds
	}
	// The bisection might have stopped above the minimum.
	for rounded-step > given && meets(rounded-step) {
		rounded -= step
	}
	return rounded
}

func (in PlanInput) limitOf(r PlanResult) string {
	switch {
	case len(r.Unplanned) == 0:
		return r.LimitedBy
	case in.VMs[r.Unplanned[0]].Method == MethodCold && in.VMs[r.Unplanned[0]].Transport == TransportNFC:
		return LimitedByNFC
	}
	return LimitedByWindow
}

// searchRatio is the ratio of the bounds at which the throughput search stops.
const searchRatio = 1.005
