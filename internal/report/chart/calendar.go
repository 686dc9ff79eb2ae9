package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shade is the darkness of a day's cell. The style sheet sets a color for each shade. Day.Text contains the same
// information for readers who cannot see the color.
type Shade string

// Shades from light to dark.
const (
	Clear Shade = "clear"
	Light Shade = "light"
	Mid   Shade = "mid"
	Dark  Shade = "dark"
	// Hatched is the pattern for unknown time in the legend.
	Hatched Shade = "hatched"
)

var shades = []Shade{Clear, Light, Mid, Dark}

// Day is a day in a calendar.
type Day struct {
	// Date is midnight UTC at the start of the day.
	Date  time.Time
	Shade Shade
	// Unknown is the fraction of the day that is unknown, from 0 to 1. That fraction of the cell is hatched from the
	// bottom, and the cell contains a "?".
	Unknown float64
	// Text is the figure shown for the day. It should have at most about five characters.
	Text string
}

// Entry is an entry in a legend. If Shade is empty, the entry consists only of text.
type Entry struct {
	Shade Shade
	Text  string
}

// Calendar is a chart with a grid for each month. Weeks begin on Monday (ISO 8601). Weeks that contain no date in Days
// are omitted, and cells of dates that are not in Days contain only the day of the month.
type Calendar struct {
	// Days must be sorted and must not contain a date twice.
	Days   []Day
	Legend []Entry
}

const (
	monthGap   = 24
	maxDayCell = 52
	dayHeight  = 40
	// monthHead is the combined height of the month name and the weekdays.
	monthHead   = 44
	daysPerWeek = 7
	// inset is the distance of text from the edge of its cell.
	inset       = 5
	swatch      = 14
	entryHeight = 22
	hatchStep   = 7
)

var weekdays = [daysPerWeek]string{"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"}

// Draw places as many months side by side as fit into the width.
func (c Calendar) Draw(width float64) Drawing {
	d := Drawing{Width: width}
	const wanted = daysPerWeek*maxDayCell + monthGap
	perRow := max(1, int((width+2*monthGap)/wanted))
	cell := min(maxDayCell, (width-float64(perRow-1)*monthGap)/float64(perRow)/daysPerWeek)
	g := grid{drawing: &d, cell: cell, fills: make(map[Shade]*strings.Builder)}
	top, height := 0.0, 0.0
	for i, month := range c.months() {
		column := i % perRow
		if column == 0 {
			top, height = top+height, 0
		}
		height = max(height, g.month(month, float64(column)*(daysPerWeek*cell+monthGap), top))
	}
	g.paint()
	d.Height = c.legend(&d, top+height)
	return d
}

func (c Calendar) months() [][]Day {
	var months [][]Day
	for i, day := range c.Days {
		if i == 0 || day.Date.Month() != c.Days[i-1].Date.Month() {
			months = append(months, nil)
		}
		months[len(months)-1] = append(months[len(months)-1], day)
	}
	return months
}

// grid collects the cells of all days, so that each shade can be drawn as a single path.
type grid struct {
	drawing *Drawing
	cell    float64
	fills   map[Shade]*strings.Builder
}

// month draws the weeks that contain the given days, with the upper left corner at (x, y), and returns their height.
func (g *grid) month(days []Day, x, y float64) float64 {
	first := days[0].Date.AddDate(0, 0, 1-days[0].Date.Day())
	last := first.AddDate(0, 1, -1).Day()
	before := (int(first.Weekday()) + daysPerWeek - 1) % daysPerWeek // number of empty cells before the first day
	cellOf := func(n int) int { return before + n - 1 }
	week := cellOf(days[0].Date.Day()) / daysPerWeek
	weeks := cellOf(days[len(days)-1].Date.Day())/daysPerWeek - week + 1
	g.drawing.addText(
		label{x: x + inset, y: y + 16, anchor: start, text: first.Format("January 2006")}, daysPerWeek*g.cell)
	for i, name := range weekdays {
		g.drawing.addText(
			label{x: x + (float64(i)+0.5)*g.cell, y: y + 38, anchor: middle, text: name, class: "axis"},
			g.cell,
		)
	}
	for n := 1; n <= last; n++ {
		cell := cellOf(n) - week*daysPerWeek
		if cell < 0 || cell >= weeks*daysPerWeek {
			continue
		}
		left := x + float64(cell%daysPerWeek)*g.cell
		upper := y + monthHead + float64(cell/daysPerWeek)*dayHeight
		i := slices.IndexFunc(days, func(d Day) bool { return d.Date.Day() == n })
		number := label{x: left + inset, y: upper + 15, anchor: start, text: strconv.Itoa(n)}
		if i < 0 {
			number.class = "axis"
		}
		g.drawing.addText(number, g.cell)
		if i >= 0 {
			g.day(days[i], left, upper)
		}
	}
	return monthHead + float64(weeks)*dayHeight + monthGap/2
}

func (g *grid) day(day Day, x, y float64) {
	const height = dayHeight - 2
	width := g.cell - 2
	known := height * (1 - min(1, max(0, day.Unknown)))
	if known > 0 {
		g.rect(day.Shade, x+1, y+1, width, known)
	}
	if known < height {
		g.hatch(x+1, y+1+known, width, height-known)
		g.drawing.addText(label{x: x + g.cell - inset, y: y + 15, anchor: end, text: "?"}, g.cell)
	}
	g.drawing.addText(label{x: x + g.cell/2, y: y + 33, anchor: middle, text: day.Text}, g.cell-2)
}

func (g *grid) path(of Shade) *strings.Builder {
	if g.fills[of] == nil {
		g.fills[of] = new(strings.Builder)
	}
	return g.fills[of]
}

func (g *grid) rect(of Shade, x, y, width, height float64) {
	fmt.Fprintf(g.path(of), "M%s %sh%sv%sh-%sz", number(x), number(y), number(width), number(height), number(width))
}

func (g *grid) hatch(x, y, width, height float64) {
	g.rect(Hatched, x, y, width, height)
	for offset := float64(hatchStep); offset < width+height; offset += hatchStep {
		across := min(offset, width) - max(0, offset-height)
		fmt.Fprintf(g.path(Hatched), "M%s %sl%s-%s",
			number(x+max(0, offset-height)), number(y+min(offset, height)), number(across), number(across))
	}
}

func (g *grid) paint() {
	for _, of := range append(slices.Clone(shades), Hatched) {
		if path := g.fills[of]; path != nil {
			fmt.Fprintf(&g.drawing.shapes, `<path class="day %s" d="%s"/>`, of, path.String())
		}
	}
}

func (c Calendar) legend(d *Drawing, top float64) float64 {
	g := grid{drawing: d, fills: make(map[Shade]*strings.Builder)}
	x, y := 0.0, top
	for _, e := range c.Legend {
		space := 0.0
		if e.Shade != "" {
			space = swatch + gap
		}
		width := min(d.Width, space+textWidth(e.Text))
		if x > 0 && x+width > d.Width {
			x, y = 0, y+entryHeight
		}
		switch e.Shade {
		case "":
		case Hatched:
			g.hatch(x+1, y+3, swatch, swatch)
		default:
			g.rect(e.Shade, x+1, y+3, swatch, swatch)
		}
		d.addText(label{x: x + space, y: y + 14, anchor: start, text: e.Text}, width-space)
		x += width + 3*gap
	}
	g.paint()
	return y + entryHeight
}
