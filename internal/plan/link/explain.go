package link

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (r *Result) explain(in Input, usable float64) {
	r.Findings = append(in.warnings(usable), r.limit(in, usable)...)
	full := quantity.FromMbps(usable).Floor()
	switch {
	case r.ThroughputMbps == nil:
		r.Summary = fmt.Sprintf("The throughput at a loss of %s%% is unknown; %s of the link is usable.",
			plan.Thousands(*in.LossPercent, -1), full)
	case r.LimitedBy == LimitedByBandwidth:
		r.Summary = fmt.Sprintf("The throughput is %s, the whole usable bandwidth.", full)
	default:
		r.Summary = r.Findings[len(r.Findings)-1].Sentence
		if r.StreamsNeeded != nil {
			r.Summary += " " + plan.Count(*r.StreamsNeeded, "stream") + " would fill the usable bandwidth."
		}
	}
	if r.ThroughputMbps80 != nil {
		r.Summary += fmt.Sprintf(" In 4 of 5 measurements, the throughput was at least %s",
			quantity.FromMbps(*r.ThroughputMbps80).Floor())
		if r.ThroughputMbps90 != nil {
			r.Summary += fmt.Sprintf(", and in 9 of 10 at least %s", quantity.FromMbps(*r.ThroughputMbps90).Floor())
		}
		r.Summary += "."
	}
}

func (r *Result) limit(in Input, usable float64) []plan.Finding {
	full, streams := quantity.FromMbps(usable).Floor(), plan.Count(in.Streams, "stream")
	if r.ThroughputMbps == nil {
		return []plan.Finding{reasonLossTooLarge.Finding(plan.Thousands(*in.LossPercent, -1))}
	}
	rate := quantity.FromMbps(*r.ThroughputMbps).Floor()
	switch r.LimitedBy {
	case LimitedByWindow:
		return []plan.Finding{reasonWindow.Finding(rate, full, plan.Thousands(*in.WindowKiB, -1),
			plan.Thousands(*in.RTTMs, -1), streams)}
	case LimitedByLoss:
		return []plan.Finding{reasonLoss.Finding(rate, full, plan.Thousands(*in.LossPercent, -1),
			plan.Thousands(*in.RTTMs, -1), streams)}
	case LimitedByPerFlow:
		return []plan.Finding{reasonPerFlow.Finding(rate, full, quantity.FromMbps(*in.PerFlowLimitMbps), streams)}
	}
	return nil
}

// unequalRate is the lowest share of the usable rate that streams reach together if they share the link unequally.
const unequalRate = 0.7

func (in Input) warnings(usable float64) []plan.Finding {
	var found []plan.Finding
	if in.RTTMs != nil && in.WindowKiB == nil && in.LossPercent == nil {
		found = append(found, reasonWindowUnknown.Finding(plan.Thousands(*in.RTTMs, -1)))
	}
	if windows, ok := in.windowsMbps(); ok && in.Streams > 1 && windows > windowsShare*usable {
		found = append(found, reasonUnequal.Finding(plan.Count(in.Streams, "stream"), quantity.FromMbps(windows),
			quantity.FromMbps(usable), quantity.FromMbps(unequalRate*usable).Floor(), quantity.FromMbps(usable)))
	}
	return found
}
