package chart_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/report/chart"
)

func plain(v float64) string { return fmt.Sprintf("%.4g", v) }

var names = rapid.OneOf(rapid.StringMatching(`[a-z]{1,6}`),
	rapid.StringMatching(`module\.site_[a-z]{1,40}\.tier\["[A-Za-z0-9 ]{0,60}"\]`),
	rapid.StringMatching(`[MW@%]{1,50}`),
	rapid.StringOfN(rapid.RuneFrom([]rune("東京データセンターéßæ🙂")), 0, 40, -1), rapid.Just("<script>alert(1)</script>"))

var values = rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e6), rapid.Just(0.0))

// noNumber finds coordinates that are no numbers. Labels can contain these words.
var noNumber = regexp.MustCompile(`="[^"]*(NaN|Inf)`)

func readable(t interface {
	Helper()
	Errorf(string, ...any)
}, c chart.Chart,
) {
	t.Helper()
	for _, width := range []float64{chart.Narrow, chart.Wide} {
		d := c.Draw(width)
		for _, problem := range d.Problems() {
			t.Errorf("at %v: %s", width, problem)
		}
		svg := d.SVG("x", "title & <more>", "description")
		assert.NotContains(t, svg, "<script", "at %v", width)
		assert.NotRegexp(t, noNumber, svg, "at %v", width)
		decoder := xml.NewDecoder(strings.NewReader(svg))
		var err error
		for err == nil {
			_, err = decoder.Token()
		}
		assert.ErrorIs(t, err, io.EOF, "at %v: %s", width, svg)
	}
}

func TestBars_readable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := chart.Bars{Scale: chart.Scale{
			Kind:   rapid.SampledFrom([]chart.Kind{chart.Linear, chart.Time}).Draw(t, "kind"),
			Max:    rapid.Float64Range(0, 1e7).Draw(t, "max"),
			Format: plain,
			Label:  names.Draw(t, "scale"),
		}}
		for i := range rapid.IntRange(0, 45).Draw(t, "rows") {
			from := values.Draw(t, "from")
			b.Rows = append(b.Rows, chart.Row{
				Label: fmt.Sprint(i, names.Draw(t, "name")),
				From:  from,
				To:    from + values.Draw(t, "to"),
				Text:  names.Draw(t, "text"),
				Tone:  chart.Good,
			})
		}
		for range rapid.IntRange(0, 4).Draw(t, "guides") {
			b.Guides = append(b.Guides,
				chart.Guide{Value: values.Draw(t, "at"), Label: names.Draw(t, "guide"), Tone: chart.Bad})
		}
		readable(t, b)
	})
}

func TestColumns_readable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := chart.Columns{Label: names.Draw(t, "label")}
		for i := range 24 {
			c.Names = append(c.Names, fmt.Sprintf("%d:00", i))
		}
		for range rapid.IntRange(1, 3).Draw(t, "panels") {
			p := chart.Panel{
				Tone:  chart.Plain,
				Scale: chart.Scale{Max: values.Draw(t, "max"), Format: plain, Label: names.Draw(t, "scale")},
			}
			for range 24 {
				p.Values = append(p.Values, values.Draw(t, "value"))
			}
			c.Panels = append(c.Panels, p)
		}
		readable(t, c)
	})
}

func TestCurve_readable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1e-3, 1e3).Draw(t, "low")
		high := low * rapid.Float64Range(1.1, 1e5).Draw(t, "ratio")
		top := rapid.Float64Range(1, 1e6).Draw(t, "top")
		c := chart.Curve{
			X:    chart.Scale{Kind: chart.Log, Min: low, Max: high, Format: plain, Label: names.Draw(t, "x")},
			Y:    chart.Scale{Kind: chart.Time, Max: top, Format: plain, Label: names.Draw(t, "y")},
			Dots: rapid.Bool().Draw(t, "dots"),
		}
		for i := range 30 {
			x := low * math.Pow(high/low, float64(i)/29)
			c.Points = append(c.Points, chart.Point{X: x, Y: 1.3 * top * low / x})
		}
		for range rapid.IntRange(0, 3).Draw(t, "levels") {
			c.Levels = append(c.Levels, chart.Guide{
				Value: rapid.Float64Range(0, top).Draw(t, "level"),
				Label: names.Draw(t, "level name"),
				Tone:  chart.Bad,
			})
		}
		for range rapid.IntRange(0, 2).Draw(t, "marks") {
			c.Marks = append(c.Marks, chart.Mark{
				Point: chart.Point{
					X: rapid.Float64Range(low, high).Draw(t, "mark x"),
					Y: rapid.Float64Range(0, top).Draw(t, "mark y"),
				},
				Label: names.Draw(t, "mark"),
				Tone:  chart.Warn,
			})
		}
		readable(t, c)
	})
}

func TestDrawing_problems(t *testing.T) {
	t.Parallel()
	c := chart.Columns{
		Label:  "x",
		Names:  []string{"a"},
		Panels: []chart.Panel{{Values: []float64{1}, Scale: chart.Scale{Max: 1, Format: plain, Label: "y"}}},
	}
	d := c.Draw(chart.Wide)
	assert.Empty(t, d.Problems())
	d.Width, d.Height = 20, 20
	assert.NotEmpty(t, d.Problems(), "labels outside of the drawing are not found")
}

func TestSVG_accessible(t *testing.T) {
	t.Parallel()
	c := chart.Bars{
		Rows:  []chart.Row{{Label: `<script>alert("1")</script>`, To: 5, Text: "5 & more", Tone: chart.Bad}},
		Scale: chart.Scale{Max: 10, Format: plain, Label: "amount"},
	}
	d := c.Draw(chart.Wide)
	svg := d.SVG("first", "A <title>", "A & description")
	for _, want := range []string{
		`role="img" aria-labelledby="first-t first-d"`,
		`<title id="first-t">A &lt;title&gt;</title>`,
		`<desc id="first-d">A &amp; description</desc>`,
		`&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;</text>`, `5 &amp; more</text>`, `class="bar bad"`,
	} {
		assert.Contains(t, svg, want)
	}
	again := c.Draw(chart.Wide)
	assert.Equal(t, svg, again.SVG("first", "A <title>", "A & description"), "the same chart has other bytes")
}

func TestBars_long(t *testing.T) {
	t.Parallel()
	name := "production oracle and middleware cluster in Frankfurt am Main, second hall, tier gold"
	c := chart.Bars{
		Rows:  []chart.Row{{Label: name, To: 5, Text: "5"}},
		Scale: chart.Scale{Max: 10, Format: plain, Label: "amount"},
	}
	d := c.Draw(chart.Narrow)
	svg := d.SVG("x", "t", "d")
	assert.Contains(t, svg, "<title>"+name+"</title>", svg)
	assert.Contains(t, svg, "…", svg)
	assert.Contains(t, svg, "tier gold</text>", svg)
}

func TestCalendar_readable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := time.Date(2024, 1, rapid.IntRange(1, 400).Draw(t, "first"), 0, 0, 0, 0, time.UTC)
		var c chart.Calendar
		for i := range rapid.IntRange(1, 120).Draw(t, "days") {
			c.Days = append(c.Days, chart.Day{
				Date:    first.AddDate(0, 0, i),
				Shade:   rapid.SampledFrom([]chart.Shade{chart.Clear, chart.Dark}).Draw(t, "shade"),
				Unknown: rapid.SampledFrom([]float64{0, 0.001, 0.5, 1}).Draw(t, "unknown"),
				Text:    rapid.SampledFrom([]string{"", "0%", "99.9%", "100%"}).Draw(t, "text"),
			})
		}
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			c.Legend = append(c.Legend, chart.Entry{
				Shade: rapid.SampledFrom([]chart.Shade{"", chart.Mid, chart.Hatched}).Draw(t, "entry"),
				Text:  names.Draw(t, "name"),
			})
		}
		readable(t, c)
	})
}

// TestCalendar_grid verifies that weeks begin on Monday. 2024-01-31 is a Wednesday.
func TestCalendar_grid(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, n int, shade chart.Shade, unknown float64) chart.Day {
		return chart.Day{
			Date:    time.Date(2024, month, n, 0, 0, 0, 0, time.UTC),
			Shade:   shade,
			Unknown: unknown,
			Text:    fmt.Sprint(n, "%"),
		}
	}
	c := chart.Calendar{Days: []chart.Day{
		day(1, 31, chart.Dark, 0), day(2, 1, chart.Clear, 0.5), day(2, 2, chart.Clear, 1),
	}}
	d := c.Draw(chart.Narrow)
	svg := d.SVG("x", "t", "d")
	cell := 300.0 / 7
	// Only weeks that contain one of the days are drawn: the week from January 29, in which the 31st is the third day,
	// and the week that ends on February 4. The head is 44 px high, and each week is 40 px high.
	for _, want := range []string{
		">January 2024</text>", ">February 2024</text>", ">29</text>", ">4</text>",
		fmt.Sprintf(`<path class="day dark" d="M%.1f 45h`, 2*cell+1),
		// January is 44 + 40 + 12 px high. February 1 is a Thursday. Half of that day is unknown, so the lower 19 of
		// the 38 px of its cell are hatched.
		fmt.Sprintf(`<path class="day clear" d="M%.1f 141h%.1fv19h`, 3*cell+1, cell-2),
		fmt.Sprintf(`<path class="day hatched" d="M%.1f 160h%.1fv19h`, 3*cell+1, cell-2),
	} {
		assert.Contains(t, svg, want)
	}
	assert.Equal(t, 2, strings.Count(svg, ">?</text>"))
	assert.Equal(t, 2+2*7+3+4+3+2, strings.Count(svg, "<text"))
	// In a wide drawing, the months are side by side.
	assert.Less(t, c.Draw(chart.Wide).Height, d.Height, "%v, %v", chart.Wide, chart.Narrow)
}

func TestColumns_evenLabels(t *testing.T) {
	t.Parallel()
	use := make([]float64, 24)
	for width := float64(chart.Narrow); width <= chart.Wide; width += 10 {
		d := chart.HourlyUse(use).Draw(width)
		var hours []int
		for _, m := range regexp.MustCompile(`>(\d+):00<`).FindAllStringSubmatch(d.SVG("x", "t", "d"), -1) {
			hour, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			hours = append(hours, hour)
		}
		require.GreaterOrEqual(t, len(hours), 4, "at %v: hours %v", width, hours)
		for i, hour := range hours {
			require.Equal(t, i*24/len(hours), hour, "at %v", width)
			require.Zero(t, 24%len(hours), "at %v", width)
		}
	}
}
