// Package chart draws charts as SVG for a page that a person reads: bars, columns and curves, at a width that is
// given, so that a page can carry one drawing for a screen and one for a phone.
//
// It takes no colours and no fonts: everything has a class, and the page's style sheet decides, including the dark
// scheme and print. Text is never cut by chance: widths are estimated from above, labels that do not fit are
// shortened in the middle, and labels that would touch another are moved or left out of an axis. The same chart has
// the same bytes.
package chart

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// Tone is the meaning of a mark; the style sheet sets its colour. A tone never stands alone: texts say the same.
type Tone string

// The tones.
const (
	Plain Tone = "plain"
	Good  Tone = "good"
	Warn  Tone = "warn"
	Bad   Tone = "bad"
)

// ToneOf returns the tone of a level.
func ToneOf(l wording.Level) Tone {
	switch l {
	case wording.Misses:
		return Bad
	case wording.AtRisk:
		return Warn
	case wording.Holds:
		return Good
	default:
		return Plain
	}
}

// Chart is what can be drawn at any width from Narrow up.
type Chart interface {
	Draw(width float64) Drawing
}

// The widths for which pages ask, in CSS pixels.
const (
	Wide   = 760
	Narrow = 300
)

const (
	fontSize = 12
	// gap is the least distance between two labels.
	gap = 6
)

func compact(width float64) bool { return width < 500 }

// Drawing is a chart at one width.
type Drawing struct {
	Width, Height float64
	shapes        strings.Builder
	labels        []label
	// lines are what labels had better not lie on.
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
	// full is the original of a shortened text.
	full string
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

// near reports whether two boxes are less than a distance apart, sideways; above each other they may touch.
func (b box) near(o box, distance float64) bool {
	return b.left < o.right+distance && o.left < b.right+distance && b.top < o.bottom && o.top < b.bottom
}

func (d *Drawing) free(l label) bool {
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

func (d *Drawing) clear(l label) bool {
	b := l.box()
	for _, o := range d.lines {
		if b.near(o, 0) {
			return false
		}
	}
	return true
}

func (d *Drawing) place(candidates ...label) {
	candidates = slices.DeleteFunc(candidates, func(l label) bool { return l.text == "" })
	for _, fits := range []func(label) bool{d.clear, func(label) bool { return true }} {
		for _, l := range candidates {
			if fits(l) && d.free(l) {
				d.labels = append(d.labels, l)
				return
			}
		}
	}
}

func (d *Drawing) text(l label, room float64) {
	// Half a pixel more: the space may be a sum of which the width was a part.
	if short := shorten(l.text, room+0.5); short != l.text {
		l.text, l.full = short, l.text
	}
	if l.text != "" {
		d.labels = append(d.labels, l)
	}
}

// Problems lists what a reader could not read: labels that overlap or leave the drawing.
func (d *Drawing) Problems() []string {
	var problems []string
	for i, l := range d.labels {
		b := l.box()
		if b.left < -0.5 || b.right > d.Width+0.5 || b.top < -0.5 || b.bottom > d.Height+0.5 {
			problems = append(problems, fmt.Sprintf("%q leaves the drawing", l.text))
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
	fmt.Fprintf(&d.shapes, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, number(x1), number(y1), number(x2),
		number(y2))
}

func (d *Drawing) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(&d.shapes, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, number(x), number(y),
		number(max(width, 0)), number(max(height, 0)))
}

// SVG returns the drawing as an element for an HTML page. id has to be unique on the page; title and description are
// read by screen readers in place of the picture.
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
