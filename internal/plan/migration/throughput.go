package migration

import (
	"slices"
)

// WithThroughput returns the plan with a different throughput in Mbit/s. Hourly throughputs are scaled to have the
// given mean.
func (in PlanInput) WithThroughput(mbps float64) PlanInput {
	if in.HourlyThroughputMbps == nil {
		in.ThroughputMbps = &mbps
		return in
	}
	factor := mbps / in.MeanMbps()
	in.HourlyThroughputMbps = slices.Clone(in.HourlyThroughputMbps)
	for h := range in.HourlyThroughputMbps {
		in.HourlyThroughputMbps[h] *= factor
	}
	return in
}

// MeanMbps returns the mean throughput over the day in Mbit/s.
func (in PlanInput) MeanMbps() float64 {
	if in.HourlyThroughputMbps == nil {
		return *in.ThroughputMbps
	}
	sum := 0.0
	for _, mbps := range in.HourlyThroughputMbps {
		sum += mbps
	}
	return sum / hoursPerDay
}
