package chart

import (
	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

// Waterfall draws the steps to the throughput that a link needs. A bar beyond the given throughput is more than the
// link provides.
func Waterfall(givenMbps float64, steps []assess.NeedStep) Bars {
	bars := Bars{Guides: []Guide{{Value: givenMbps, Label: "given " + wording.Value("_mbps", givenMbps), Tone: Plain}}}
	most, former := givenMbps, 0.0
	for _, step := range steps {
		tone := Good
		if step.Mbps > givenMbps {
			tone = Bad
		}
		bars.Rows = append(bars.Rows, Row{
			Label: step.Label,
			From:  former,
			To:    step.Mbps,
			Text:  step.Text(),
			Tone:  tone,
		})
		most, former = max(most, step.Mbps), step.Mbps
	}
	bars.Scale = Scale{Max: most, Format: wording.Decimal, Label: "Mbit/s"}
	return bars
}
