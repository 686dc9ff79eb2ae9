package assess

import "terraform-provider-vsla/internal/plan/promise"

// NeedStep is a step from the mean change rate of a link to the throughput that it needs.
type NeedStep struct {
	Label string
	Mbps  float64
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
		{"Mean change", mean},
		{"Busiest time", busiest},
		{"Usable share of the link", busiest * l.ThroughputMbps / usable},
		{"Worse end of the throughput", busiest * l.ThroughputMbps / worse},
		{"A tenth left", busiest * l.ThroughputMbps / worse / promise.MaxUse},
		{"Needed", *l.ThroughputNeededMbps},
	} {
		if step.Mbps > former {
			steps, former = append(steps, step), step.Mbps
		}
	}
	return steps
}
