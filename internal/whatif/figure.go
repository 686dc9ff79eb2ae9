// Figures: the charts of the page, drawn by the code that draws those of the review.

package whatif

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// Figure is a chart for a screen and for a phone.
type Figure struct {
	Title  string `json:"title"`
	Wide   string `json:"wide"`
	Narrow string `json:"narrow"`
}

const (
	// mostBars is how many results a chart has, the worst first.
	mostBars = 16
	// half is the width of a chart with another one next to it.
	half = 560
	// longestBar ends the scale of shares of the RPO.
	longestBar = 300
)

// bar is a row of a chart of shares.
type bar struct {
	label, text string
	share       float64
	level       wording.Level
}

// figures draws how much of its RPO each estimate and each group of a schedule takes.
func figures(all []*verdict) []Figure {
	list := []Figure{}
	var cycles []bar
	for _, v := range all {
		if v.c.results == nil {
			continue
		}
		switch {
		case v.c.Calculator.Command == onlink.Replication:
			share, _ := v.c.results["rpo_used_percent"].(float64)
			text := wording.Value("ongoing_sync_seconds", v.c.results["ongoing_sync_seconds"])
			cycles = append(cycles, bar{v.title, text, share, v.level})
		case v.c.Calculator.Command == onlink.Schedule && v.group == "":
			if bars := ages(v, all); len(bars) > 0 {
				list = append(list, shareFigure(len(list), "Oldest recovery point, "+v.title, bars,
					"age of the oldest recovery point, as a share of the RPO",
					[]chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}))
			}
		}
	}
	if len(cycles) > 0 {
		list = append(list, shareFigure(len(list), "One cycle's changes, each tier alone", cycles,
			"time to send them, as a share of the RPO", []chart.Guide{
				{Value: 50, Label: "half the RPO", Tone: chart.Good}, {Value: 100, Label: "RPO", Tone: chart.Bad},
			}))
	}
	return list
}

// ages are the oldest recovery points of a schedule's groups.
func ages(schedule *verdict, all []*verdict) []bar {
	var bars []bar
	groups := object(schedule.c.results[keyGroups])
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := object(groups[name])
		oldest, _ := g["worst_recovery_point_minutes"].(float64)
		rpo, _ := g["rpo_minutes"].(float64)
		if rpo == 0 {
			continue
		}
		level := wording.Neutral
		for _, v := range all {
			if v.c == schedule.c && v.group == name {
				level = v.level
			}
		}
		bars = append(bars, bar{
			name, wording.Value("worst_recovery_point_minutes", oldest), oldest / rpo * 100, level,
		})
	}
	return bars
}

func shareFigure(index int, title string, bars []bar, axis string, guides []chart.Guide) Figure {
	slices.SortStableFunc(bars, func(a, b bar) int {
		if a.share > b.share {
			return -1
		}
		return 1
	})
	bars = bars[:min(len(bars), mostBars)]
	c := chart.Bars{Guides: guides}
	most := 110.0
	for _, b := range bars {
		most = max(most, min(b.share, longestBar))
		text := b.level.Symbol() + " " + b.text
		if b.share > longestBar {
			text += " »"
		}
		c.Rows = append(c.Rows, chart.Row{
			Label: wording.Clean(b.label), To: min(b.share, math.MaxFloat32), Text: text, Tone: chart.ToneOf(b.level),
		})
	}
	if most == longestBar {
		axis += "; » is beyond"
	}
	c.Scale = chart.Scale{Max: most, Format: func(v float64) string { return wording.Decimal(v) + "%" }, Label: axis}
	description := fmt.Sprintf("A bar for each of %s: %s.", wording.Count(len(bars), "row"), axis)
	draw := func(width float64, suffix string) string {
		d := c.Draw(width)
		return d.SVG(fmt.Sprintf("figure%d-%s", index, suffix), title, description)
	}
	return Figure{Title: title, Wide: draw(half, "wide"), Narrow: draw(chart.Narrow, "narrow")}
}
