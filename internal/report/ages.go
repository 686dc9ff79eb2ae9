package report

import (
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// ageBar is a bar for the age of a recovery point, as a percentage of the RPO.
type ageBar struct {
	label, text string
	share       float64
	tone        chart.Tone
}

func ageBars(all []ageBar) chart.Bars {
	bars := chart.Bars{Guides: []chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}}
	maximum := 110.0
	for _, b := range all {
		maximum = max(maximum, min(b.share, maxPercent))
		if b.share > maxPercent {
			b.text += " »"
		}
		bars.Rows = append(bars.Rows, chart.Row{Label: b.label, To: b.share, Text: b.text, Tone: b.tone})
	}
	label := "age as a share of the RPO"
	if maximum >= maxPercent {
		label += " (» off the scale)"
	}
	bars.Scale = chart.Scale{Max: maximum, Format: percentText, Label: label}
	return bars
}

func percentText(v float64) string { return wording.Decimal(v) + "%" }
