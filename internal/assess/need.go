package assess

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan/promise"
)

// NeedStep is a step from the mean change rate of a link to the throughput that it needs.
type NeedStep struct {
	Label string
	Mbps  float64
	// Input is the input of the tiers or of the link from which the step results; empty if it results from none.
	Input string
}

// NeedSteps returns the steps that enlarge the need, or nothing if a step is not known or if the throughput changes
// during the day.
func (l *Link) NeedSteps() []NeedStep {
	if l.ThroughputNeededMbps == nil || l.Plan.NoInput != nil || l.Link.HourlyThroughputMbps != nil {
		return nil
	}
	mean, busiest := l.Changes()
	usable, worse := l.Link.UsableMbps()
	if busiest <= 0 || worse <= 0 {
		return nil
	}
	var steps []NeedStep
	former := 0.0
	for _, step := range []NeedStep{
		{"Mean change", mean, "daily_change_percent"},
		{"Busiest time", busiest, "peak_factor"},
		{"Usable share of the link", busiest * l.ThroughputMbps / usable, "efficiency_percent"},
		{"Worse end of the throughput", busiest * l.ThroughputMbps / worse, "throughput_basis"},
		{"A tenth left", busiest * l.ThroughputMbps / worse / promise.MaxUse, ""},
		{"Needed", *l.ThroughputNeededMbps, "throughput_mbps"},
	} {
		if step.Mbps > former {
			steps, former = append(steps, step), step.Mbps
		}
	}
	return steps
}

// Shares returns the shares of time within the RPO on a link at the given throughput and at throughputs around the
// needed one, sorted by throughput. It returns none if nothing is needed, or if the computation would take long.
func Shares(ctx context.Context, p promise.Plan, link string, given, needed float64) ([]promise.Share, error) {
	if needed <= promise.RangeThroughputMbps.Min {
		return nil, nil
	}
	at := []float64{given}
	for _, part := range []float64{0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1, 1.3} {
		at = append(at, part*needed)
	}
	slices.Sort(at)
	return p.Shares(ctx, link, slices.Compact(at))
}
