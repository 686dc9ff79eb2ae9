package chart

import (
	"fmt"
	"strings"
)

// Bars is a bar chart that compares values, with one row per value.
type Bars struct {
	Rows  []Row
	Scale Scale
	// Guides are reference values for the bars.
	Guides []Guide
}

// Row is a row of the chart. Its bar extends from From to To.
type Row struct {
	Label    string
	From, To float64
	// Text is the formatted value, which is drawn next to the bar.
	Text string
	Tone Tone
}

// Guide is a reference line at a value. Label can be empty.
type Guide struct {
	Value float64
	Label string
	Tone  Tone
}

const (
	guideRow = 17
	wideRow  = 24
	slimRow  = 36
	barSize  = 14
)

// Draw places labels to the left of the bars and values to the right. In a narrow drawing, it places both above the
// bars, and guides cross only the bars.
func (b Bars) Draw(width float64) Drawing {
	d := Drawing{Width: width}
	x0 := 2.0
	x1 := width - 2
	row := float64(slimRow)
	if !isNarrow(width) {
		labels, texts := 0.0, 0.0
		for _, r := range b.Rows {
			labels, texts = max(labels, textWidth(r.Label)), max(texts, textWidth(r.Text))
		}
		x0 = min(labels, width*0.34) + 8
		x1 = width - min(texts, width*0.34) - 8
		row = wideRow
	}
	x := func(v float64) float64 { return x0 + b.Scale.position(v)*(x1-x0) }
	top := d.guideLabels(b.Guides, x)
	bottom := top + float64(len(b.Rows))*row + 4
	d.Height = bottom + axisHeight
	d.axisX(b.Scale, x0, x1, top, bottom)
	var ends [][2]float64
	for i, r := range b.Rows {
		y := top + 4 + float64(i)*row
		from, to := x(r.From), x(r.To)
		if isNarrow(width) {
			room := width - textWidth(r.Text) - 2*gap
			d.addText(label{x: 2, y: y + fontSize, anchor: start, text: r.Label}, room)
			d.addText(label{x: width - 2, y: y + fontSize, anchor: end, text: r.Text, class: "value"}, width-4)
			y += row - barSize - 4
		} else {
			base := y + barSize/2.0 + middleShift
			d.addText(label{x: x0 - 8, y: base, anchor: end, text: r.Label}, x0-8)
			d.addText(label{x: x1 + 8, y: base, anchor: start, text: r.Text, class: "value"}, width-x1-8)
		}
		d.rect("bar "+string(r.Tone), from, y, max(to-from, 1), barSize)
		ends = append(ends, [2]float64{y - 2, y + barSize + 2})
	}
	if !isNarrow(width) {
		ends = [][2]float64{{top - 2, bottom}}
	}
	for _, g := range b.Guides {
		d.guide(g, x(g.Value), ends)
	}
	return d
}

func isNarrow(width float64) bool { return width < 500 }

func (d *Drawing) guide(g Guide, x float64, ends [][2]float64) {
	var path strings.Builder
	for _, e := range ends {
		fmt.Fprintf(&path, "M%s %sV%s", number(x), number(e[0]), number(e[1]))
	}
	for _, class := range []string{"halo", "guide " + string(g.Tone)} {
		fmt.Fprintf(&d.shapes, `<path class="%s" d="%s"/>`, class, path.String())
	}
}

// guideLabels places each guide label above the plot, on the lowest line where it does not touch another label. It
// returns the top of the plot.
func (d *Drawing) guideLabels(guides []Guide, x func(float64) float64) float64 {
	lines := 0
	type placed struct {
		label
		line int
	}
	var all []placed
	for _, g := range guides {
		if g.Label == "" {
			continue
		}
		l := label{anchor: middle, class: "guide-label " + string(g.Tone)}
		d.shortenLabel(&l, g.Label)
		half := textWidth(l.text) / 2
		l.x = min(max(x(g.Value), half), d.Width-half)
		line := 0
		for i := 0; i < len(all); i++ {
			if all[i].line == line && all[i].box().near(l.box(), gap) {
				line, i = line+1, -1
			}
		}
		all = append(all, placed{l, line})
		lines = max(lines, line+1)
	}
	for _, p := range all {
		p.y = float64(lines-p.line)*guideRow - 4
		d.labels = append(d.labels, p.label)
	}
	return float64(lines)*guideRow + 4
}

func (d *Drawing) shortenLabel(l *label, text string) {
	l.text = shorten(text, d.Width)
	if l.text != text {
		l.full = text
	}
}
