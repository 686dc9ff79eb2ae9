package report

import (
	"slices"

	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// timeSpan is a wave or a window on a timeline. A bar can combine several spans.
type timeSpan struct {
	number      int
	name, opens string
	from, to    float64
	vms         int
}

// mergeSpans names the spans. If there are more than maxBars, it combines consecutive spans.
func mergeSpans(what string, all []timeSpan) []timeSpan {
	var bars []timeSpan
	for chunk := range slices.Chunk(all, max(1, (len(all)+maxBars-1)/maxBars)) {
		merged := chunk[0]
		merged.name = what + " " + wording.Decimal(float64(merged.number))
		for _, s := range chunk[1:] {
			first, last := wording.Decimal(float64(merged.number)), wording.Decimal(float64(s.number))
			merged.name = what + "s " + first + " to " + last
			merged.from = min(merged.from, s.from)
			merged.to = max(merged.to, s.to)
			merged.vms += s.vms
		}
		bars = append(bars, merged)
	}
	return bars
}

func (s timeSpan) row() chart.Row {
	return chart.Row{Label: s.name, From: s.from, To: s.to, Text: wording.Count(s.vms, "VM"), Tone: chart.Plain}
}
