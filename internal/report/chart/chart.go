// Package chart draws bars, columns, curves and calendars as SVG. Each chart can be drawn at several widths, so that a
// page can contain one drawing for a desktop screen and another for a phone.
//
// Shapes have classes instead of colors and fonts. The page's style sheet defines the classes, including those for the
// dark color scheme and for print. The package overestimates text widths, shortens labels that do not fit, and moves or
// omits labels that would touch another label. The output for a given chart is deterministic.
package chart

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Tone is the meaning of a mark. The style sheet sets a color for each tone, and text always repeats the meaning.
type Tone string

// Tones of a mark.
const (
	Plain Tone = "plain"
	Good  Tone = "good"
	Warn  Tone = "warn"
	Bad   Tone = "bad"
)

// ToneOf returns the tone for a level.
func ToneOf(l plan.Level) Tone {
	switch l {
	case plan.Misses:
		return Bad
	case plan.AtRisk:
		return Warn
	case plan.Meets:
		return Good
	default:
		return Plain
	}
}

// Chart can be drawn at any width of at least Narrow.
type Chart interface {
	Draw(width float64) Drawing
}

// Widths of charts on pages, in CSS pixels.
const (
	Wide   = 760
	Narrow = 300
)

const (
	fontSize = 12
	gap      = 6
)

// Drawing is a chart drawn at a given width.
type Drawing struct {
	Width, Height float64
	shapes        strings.Builder
	labels        []label
	// lines contains boxes that labels should not cover.
	lines []box
}

type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

type label struct {
	x, y   float64
	anchor anchor
	text   string
	class  string
	full   string
}

type box struct{ left, top, right, bottom float64 }

func (l label) box() box {
	width := textWidth(l.text)
	left := l.x
	switch l.anchor {
	case middle:
		left -= width / 2
	case end:
		left -= width
	case start:
	}
	return box{left, l.y - ascent*fontSize, left + width, l.y + descent*fontSize}
}

func (b box) near(o box, distance float64) bool {
	return b.left < o.right+distance && o.left < b.right+distance && b.top < o.bottom && o.top < b.bottom
}

func (d *Drawing) isFree(l label) bool {
	b := l.box()
	if b.left < 0 || b.right > d.Width || b.top < 0 || (d.Height > 0 && b.bottom > d.Height) {
		return false
	}
	for _, o := range d.labels {
		if b.near(o.box(), gap) {
			return false
		}
	}
	return true
}

func (d *Drawing) isClear(l label) bool {
	b := l.box()
	for _, o := range d.lines {
		if b.near(o, 0) {
			return false
		}
	}
	return true
}

func (d *Drawing) placeFirst(candidates ...label) {
	candidates = slices.DeleteFunc(candidates, func(l label) bool { return l.text == "" })
	for _, fits := range []func(label) bool{d.isClear, func(label) bool { return true }} {
		for _, l := range candidates {
			if fits(l) && d.isFree(l) {
				d.labels = append(d.labels, l)
				return
			}
		}
	}
}

func (d *Drawing) addText(l label, room float64) {
	// Add half a pixel for rounding errors, because the available space might have been computed from the text width.
	if short := shorten(l.text, room+0.5); short != l.text {
		l.text, l.full = short, l.text
	}
	if l.text != "" {
		d.labels = append(d.labels, l)
	}
}

// Problems returns the labels that overlap or extend beyond the drawing.
func (d *Drawing) Problems() []string {
	var problems []string
	for i, l := range d.labels {
		b := l.box()
		if b.left < -0.5 || b.right > d.Width+0.5 || b.top < -0.5 || b.bottom > d.Height+0.5 {
			problems = append(problems, fmt.Sprintf("%q is outside the drawing", l.text))
		}
		for _, o := range d.labels[:i] {
			if b.near(o.box(), 0) {
				problems = append(problems, fmt.Sprintf("%q overlaps %q", l.text, o.text))
			}
		}
	}
	return problems
}

func (d *Drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.shapes, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, number(x1), number(y1),
		number(x2), number(y2))
}

func (d *Drawing) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(&d.shapes, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, number(x), number(y),
		number(max(width, 0)), number(max(height, 0)))
}

// SVG returns the drawing as an HTML element. id must be unique on the page. Screen readers read the title and the
// description instead of the picture.
func (d *Drawing) SVG(id, title, description string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg role="img" aria-labelledby="%[1]s-t %[1]s-d" viewBox="0 0 %[2]s %[3]s" width="%[2]s" height="%[3]s">`,
		html.EscapeString(id), number(d.Width), number(d.Height))
	fmt.Fprintf(&b, `<title id="%[1]s-t">%[2]s</title><desc id="%[1]s-d">%[3]s</desc>`, html.EscapeString(id),
		html.EscapeString(title), html.EscapeString(description))
	b.WriteString(d.shapes.String())
	for _, l := range d.labels {
		fmt.Fprintf(&b, `<text x="%s" y="%s"`, number(l.x), number(l.y))
		if l.anchor != start {
			fmt.Fprintf(&b, ` text-anchor="%s"`, l.anchor)
		}
		if class := strings.TrimSpace(l.class); class != "" {
			fmt.Fprintf(&b, ` class="%s"`, class)
		}
		b.WriteByte('>')
		if l.full != "" {
			fmt.Fprintf(&b, "<title>%s</title>", html.EscapeString(l.full))
		}
		b.WriteString(html.EscapeString(l.text) + "</text>")
	}
	b.WriteString("</svg>")
	return b.String()
}

func number(v float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// placeNames labels the first of every n columns. It returns false and places no label if two of them would touch.
func (d *Drawing) placeNames(names []string, n int, x0, slot, y float64) bool {
	before := len(d.labels)
	for j := 0; j < len(names); j += n {
		l := label{x: x0 + (float64(j)+0.5)*slot, y: y, anchor: middle, text: names[j]}
		if !d.isFree(l) {
			d.labels = d.labels[:before]
			return false
		}
		d.labels = append(d.labels, l)
	}
	return true
}

// HourlyUse returns a chart of the percentage of a link's throughput that is used in each hour of the day.
func HourlyUse(use []float64) Columns {
	names := make([]string, len(use))
	for h := range use {
		names[h] = fmt.Sprintf("%d:00", h)
	}
	return Columns{
		Names: names,
		Label: "hour of the day",
		Panels: []Panel{{
			Values: use,
			Tone:   Plain,
			Scale:  Scale{Max: 100, Label: "link use in percent", Format: wording.Decimal},
		}},
	}
}
