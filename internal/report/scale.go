package report

import (
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func timeScale(maximum float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Time, Max: maximum, Format: wording.Duration, Label: label}
}

func logScale(low, high float64, label string) chart.Scale {
	return chart.Scale{Kind: chart.Log, Min: low, Max: high, Label: label + ", logarithmic", Format: wording.Decimal}
}

func rpoLevels(rpo float64) []chart.Guide {
	return []chart.Guide{
		{Value: rpo, Label: "RPO " + wording.RPO(rpo/60), Tone: chart.Bad},
	}
}

// maxPercent is the upper end of the scale for ages, as a percentage of the RPO. Anything above it is clearly a miss.
const maxPercent = 300
