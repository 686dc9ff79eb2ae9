package assess

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// NeedStep is a step from the mean change rate of a link to the throughput that it needs.
type NeedStep struct {
	Label string
	Mbps  float64
	// Input is the input of the tiers or of the link from which the step results; empty if it results from none.
	Input string
	// IsChange marks a rate of changes, in contrast to a throughput that is needed.
	IsChange bool
}

// Text formats the rate of a step. A change is rounded to the nearest number, and a need is rounded up.
func (s NeedStep) Text() string {
	if s.IsChange {
		return wording.Value("_mbps", s.Mbps)
	}
	return quantity.CeilMbps(s.Mbps)
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
	worst := l.worseChange()
	var steps []NeedStep
	former := 0.0
	for _, step := range []NeedStep{
		{"Mean change", mean, inputChange, true},
		{"Busiest time", busiest, inputPeak, true},
		worst,
		{"Usable share of the link", worst.Mbps * l.ThroughputMbps / usable, "efficiency_percent", false},
		{"Worse end of the link", worst.Mbps * l.ThroughputMbps / worse, "throughput_basis", false},
		{"A tenth left", worst.Mbps * l.ThroughputMbps / worse / promise.MaxUse, "", false},
		{"Needed", *l.ThroughputNeededMbps, "throughput_mbps", false},
	} {
		if step.Mbps > former {
			steps, former = append(steps, step), step.Mbps
		}
	}
	return steps
}

const (
	inputChange = "daily_change_percent"
	inputPeak   = "peak_factor"
)

// worseChange returns the step to the sum of the busiest change rates at the worse end of the inputs of the tiers.
func (l *Link) worseChange() NeedStep {
	step := NeedStep{Label: "Worse end of the change", IsChange: true}
	worse := l.Plan.Input.WorseChangeMbps()
	for _, name := range l.Promises {
		if l.Plan.Result.Promises[name].BusiestChangeMbps == nil {
			continue
		}
		step.Mbps += worse[name]
		if t := l.Plan.Input.Tiers[name]; t.PeakFactor == nil && t.HourlyWeights == nil && t.ChangeCurve == nil {
			step.Label, step.Input = "Whole day within one RPO", inputPeak
		}
	}
	return step
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
