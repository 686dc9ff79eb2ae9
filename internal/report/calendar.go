package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// maxMonths limits the number of calendar months in a chart, because each month takes about 10 KB.
const maxMonths = 4

// shadeLimits contains the upper limits of the shades as percentages of the known time. The limits are this project's
// own assumption. Days are not compared with the promise, because a promise for a period does not apply to individual
// days.
var shadeLimits = []struct {
	most  float64
	shade chart.Shade
	words string
}{
	{0, chart.Clear, "no violation"},
	{1, chart.Light, "up to 1% of the known time in violation"},
	{10, chart.Mid, "up to 10%"},
	{100, chart.Dark, "more than 10%"},
}

// violatedPercent returns the percentage of the known time that is in violation. It is rounded up to a tenth, so that a
// violation never appears as 0%.
func (d periodDay) violatedPercent() (percent float64, ok bool) {
	switch {
	case d.known <= 0:
		return 0, false
	case d.violation <= 0:
		return 0, true
	}
	const rounding = 1e-9 // otherwise, 29% would be rounded up to 29.1%
	return max(0.1, math.Ceil(1000*d.violation/d.known-rounding)/10), true
}

func (d periodDay) text() string {
	if share, ok := d.violatedPercent(); ok {
		return plan.Number(share) + "%"
	}
	return ""
}

func (d periodDay) cell() chart.Day {
	day := chart.Day{Date: d.date, Shade: chart.Clear, Text: d.text(), Unknown: 1}
	if all := d.known + d.unknown; all > 0 {
		day.Unknown = d.unknown / all
	}
	share, _ := d.violatedPercent()
	for _, s := range slices.Backward(shadeLimits) {
		if share <= s.most {
			day.Shade = s.shade
		}
	}
	return day
}

func (sp measuredPeriod) calendar() Figure {
	months := byMonth(sp.days)
	data := newTable("Days", "Day (UTC)", "#In violation", "#Share of known time", "#Not known")
	if left := len(months) - maxMonths; left > 0 {
		months = months[left:]
		data.Note = "The last " + wording.Count(maxMonths, "month") + ". " + wording.Count(left, "earlier month") +
			" " + pluralVerb(left, "is", "are") + " in the table by calendar month."
	}
	c := chart.Calendar{}
	for _, s := range shadeLimits {
		c.Legend = append(c.Legend, chart.Entry{Shade: s.shade, Text: s.words})
	}
	c.Legend = append(c.Legend, chart.Entry{Shade: chart.Hatched, Text: "? not known (hatched part of the day)"})
	var days []periodDay
	for _, m := range months {
		days = append(days, m...)
	}
	for _, d := range days {
		c.Days = append(c.Days, d.cell())
		data.add(d.date.Format("Mon "+time.DateOnly), wording.Value("violation_minutes", d.violation),
			cmp.Or(d.text(), wording.None), wording.Value("unknown_minutes", d.unknown))
	}
	return Figure{Title: sp.name + ": violations by day", Description: describeDays(days), Data: data, Chart: c}
}

func describeDays(days []periodDay) string {
	violated := 0
	unknown := 0
	partlyUnknown := 0
	worst := periodDay{}
	for _, d := range days {
		switch {
		case d.known <= 0:
			unknown++
		case d.unknown > 0:
			partlyUnknown++
		}
		if d.violation > 0 {
			violated++
			if d.violation > worst.violation {
				worst = d
			}
		}
	}
	parts := []string{
		fmt.Sprintf(
			"A calendar of %s, %s to %s, with the share of the known time in violation.",
			wording.Count(len(days), "day"),
			days[0].date.Format(time.DateOnly),
			days[len(days)-1].date.Format(time.DateOnly),
		),
	}
	if violated == 0 {
		parts = append(parts, "No day has a violation.")
	} else {
		parts = append(parts, fmt.Sprintf("%s %s violations. The worst is %s, with %s of its known time in violation.",
			wording.Count(violated, "day"), pluralVerb(violated, "has", "have"), worst.date.Format(time.DateOnly),
			worst.text()))
	}
	if unknown > 0 {
		parts = append(parts, wording.Count(unknown, "day")+" "+pluralVerb(unknown, "is", "are")+" not known.")
	}
	if partlyUnknown > 0 {
		parts = append(parts, wording.Count(partlyUnknown, "day")+" "+
			pluralVerb(partlyUnknown, "is", "are")+" partly not known.")
	}
	return strings.Join(parts, " ")
}
