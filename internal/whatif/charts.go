package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// Drawn is a chart for a screen and for a phone.
type Drawn struct {
	Title  string `json:"title"`
	Wide   string `json:"wide"`
	Narrow string `json:"narrow"`
}

const (
	// mostBars is how many tiers a chart has, the worst first, and mostDays how many links have one.
	mostBars, mostDays = 16, 4
	// half is the width of a chart with another one next to it.
	half = 500
	// longestBar ends the scale of ages, in percent of the RPO.
	longestBar = 300
)

// charts draws the hours of each link, and the oldest recovery point of each tier.
func charts(s *state, r promise.Result) []Drawn {
	all := []Drawn{}
	add := func(c chart.Chart, title, description string) {
		draw := func(width float64, suffix string) string {
			d := c.Draw(width)
			return d.SVG(fmt.Sprintf("chart%d-%s", len(all), suffix), title, description)
		}
		all = append(all, Drawn{Title: title, Wide: draw(half, "wide"), Narrow: draw(chart.Narrow, "narrow")})
	}
	names := scopes(r.Links)
	for _, name := range names[:min(len(names), mostDays)] {
		if hours := r.Links[name].HourlyUsePercent; len(hours) > 0 && slices.Max(hours) > 0 {
			add(chart.Hours(hours), "A day on "+wording.Clean(name),
				"24 columns, one for each hour of a mean day: how much of the link is in use.")
		}
	}
	if bars := ages(s, r); len(bars.Rows) > 0 {
		add(bars, "Oldest recovery point",
			"A bar for each tier: how old a newest recovery point became, as a share of the RPO.")
	}
	return all
}

func ages(s *state, r promise.Result) chart.Bars {
	bars := chart.Bars{Guides: []chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}}
	most, axis := 110.0, "age, as a share of the RPO"
	for _, name := range scopes(r.Promises) {
		one, rpo := r.Promises[name], s.plan.Tiers[name].RPOMinutes
		if one.WorstRecoveryPointMinutes == nil {
			continue
		}
		share := *one.WorstRecoveryPointMinutes / rpo * 100
		tone, text := chart.Good, wording.About(*one.WorstRecoveryPointMinutes)
		if share > 100 {
			tone = chart.Bad
		}
		if share > longestBar {
			text, axis = text+" »", "age, as a share of the RPO; » is beyond"
		}
		most = max(most, min(share, longestBar))
		bars.Rows = append(bars.Rows, chart.Row{
			Label: wording.Clean(name), To: min(share, math.MaxFloat32), Text: text, Tone: tone,
		})
	}
	slices.SortStableFunc(bars.Rows, func(a, b chart.Row) int { return cmp.Compare(b.To, a.To) })
	bars.Rows = bars.Rows[:min(len(bars.Rows), mostBars)]
	bars.Scale = chart.Scale{
		Max: most, Format: func(v float64) string { return wording.Decimal(v) + "%" }, Label: axis,
	}
	return bars
}
