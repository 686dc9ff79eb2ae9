package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// maxMonths is how many calendar months of a period are drawn: a month is some 10 KB.
const maxMonths = 4

// violatedShares are the ends of the shades, in percent of the known time. An assumption of this project: a promise
// for a period does not apply to single days, so that days are not compared with it.
var violatedShares = []struct {
	most  float64
	shade chart.Shade
	words string
}{
	{0, chart.Clear, "no violation"},
	{1, chart.Light, "up to 1% of the known time in violation"},
	{10, chart.Mid, "up to 10%"},
	{100, chart.Dark, "more than 10%"},
}

// share is the part of the known time in violation, in percent, rounded up to a tenth: a violation never reads as none.
func (d spanDay) share() (percent float64, ok bool) {
	switch {
	case d.known <= 0:
		return 0, false
	case d.violation <= 0:
		return 0, true
	}
	const rounding = 1e-9 // 29 % of a day is not 29.000000000000004 %
	return max(0.1, math.Ceil(1000*d.violation/d.known-rounding)/10), true
}

func (d spanDay) text() string {
	if share, ok := d.share(); ok {
		return plan.Number(share) + "%"
	}
	return ""
}

func (d spanDay) cell() chart.Day {
	day := chart.Day{Date: d.date, Shade: chart.Clear, Text: d.text(), Unknown: 1}
	if all := d.known + d.noData; all > 0 {
		day.Unknown = d.noData / all
	}
	share, _ := d.share()
	for _, s := range slices.Backward(violatedShares) {
		if share <= s.most {
			day.Shade = s.shade
		}
	}
	return day
}

func (sp span) calendar() Figure {
	months := byMonth(sp.days)
	data := newTable("Days", "Day (UTC)", "#In violation", "#Of the known time", "#Not known")
	if left := len(months) - maxMonths; left > 0 {
		months = months[left:]
		data.Note = "The last " + wording.Count(maxMonths, "month") + "; " + wording.Count(left, "earlier month") + " " +
			verb(left, "is", "are") + " in the table by calendar month."
	}
	c := chart.Calendar{}
	for _, s := range violatedShares {
		c.Legend = append(c.Legend, chart.Entry{Shade: s.shade, Text: s.words})
	}
	c.Legend = append(c.Legend, chart.Entry{Shade: chart.Hatched, Text: "? not known, the hatched part of the day"})
	var days []spanDay
	for _, m := range months {
		days = append(days, m...)
	}
	for _, d := range days {
		c.Days = append(c.Days, d.cell())
		data.add(d.date.Format("Mon "+time.DateOnly), wording.Value("violation_minutes", d.violation), cellOr(d.text()),
			wording.Value("unknown_minutes", d.noData))
	}
	return Figure{
		Title:       sp.name + ": violations by day",
		Description: described(days),
		Data:        data,
		Chart:       c,
	}
}

func cellOr(text string) string {
	if text == "" {
		return wording.None
	}
	return text
}

func described(days []spanDay) string {
	violated, unknown, partly := 0, 0, 0
	worst := spanDay{}
	for _, d := range days {
		switch {
		case d.known <= 0:
			unknown++
		case d.noData > 0:
			partly++
		}
		if d.violation > 0 {
			violated++
			if d.violation > worst.violation {
				worst = d
			}
		}
	}
	parts := []string{fmt.Sprintf("A calendar of %s, %s to %s, with the part of the known time in violation.",
		wording.Count(len(days), "day"), days[0].date.Format(time.DateOnly), days[len(days)-1].date.Format(time.DateOnly))}
	if violated == 0 {
		parts = append(parts, "No day has a violation.")
	} else {
		parts = append(
			parts,
			fmt.Sprintf("%s %s violations, %s the most: %s of its known time.", wording.Count(violated, "day"),
				verb(violated, "has", "have"), worst.date.Format(time.DateOnly), worst.text()),
		)
	}
	if unknown > 0 {
		parts = append(parts, wording.Count(unknown, "day")+" "+verb(unknown, "is", "are")+" not known.")
	}
	if partly > 0 {
		parts = append(parts, wording.Count(partly, "day")+" "+verb(partly, "is", "are")+" not known in part.")
	}
	return strings.Join(parts, " ")
}
