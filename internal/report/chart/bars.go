package chart

import (
	"fmt"
	"strings"
)

// Bars has a row for each thing that is compared.
type Bars struct {
	Rows  []Row
	Scale Scale
	// Guides are values to compare with.
	Guides []Guide
}

// Row is a bar from a value to another.
type Row struct {
	Label    string
	From, To float64
	// Text is the value as text, next to the bar.
	Text string
	Tone Tone
	// Middle is a value inside the bar that is marked by a line; nil for none.
	Middle *float64
}

// Guide is a line across all rows; an empty label is a line only.
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

// Draw puts labels at the left of the bars and texts in a column at their right, where no guide crosses them; where
// there is no space next to it, both stand above their bar, and guides cross the bars only.
func (b Bars) Draw(width float64) Drawing {
	d := Drawing{Width: width}
	x0, x1, row := 2.0, width-2, float64(slimRow)
	if !compact(width) {
		labels, texts := 0.0, 0.0
		for _, r := range b.Rows {
			labels, texts = max(labels, textWidth(r.Label)), max(texts, textWidth(r.Text))
		}
		x0, x1, row = min(labels, width*0.34)+8, width-min(texts, width*0.34)-8, wideRow
	}
	x := func(v float64) float64 { return x0 + b.Scale.at(v)*(x1-x0) }
	top := d.guideLabels(b.Guides, x)
	bottom := top + float64(len(b.Rows))*row + 4
	d.Height = bottom + below
	d.axisX(b.Scale, x0, x1, top, bottom)
	var ends [][2]float64
	for i, r := range b.Rows {
		y := top + 4 + float64(i)*row
		from, to := x(r.From), x(r.To)
		if compact(width) {
			room := width - textWidth(r.Text) - 2*gap
			d.text(label{x: 2, y: y + fontSize, anchor: start, text: r.Label}, room)
			d.text(label{x: width - 2, y: y + fontSize, anchor: end, text: r.Text, class: "value"}, width-4)
			y += row - barSize - 4
		} else {
			base := y + barSize/2.0 + middleShift
			d.text(label{x: x0 - 8, y: base, anchor: end, text: r.Label}, x0-8)
			d.text(label{x: x1 + 8, y: base, anchor: start, text: r.Text, class: "value"}, width-x1-8)
		}
		// A span too short to see is drawn a pixel wide.
		d.rect("bar "+string(r.Tone), from, y, max(to-from, 1), barSize)
		if r.Middle != nil {
			d.guide(Guide{Tone: "middle"}, x(*r.Middle), [][2]float64{{y - 2, y + barSize + 2}})
		}
		ends = append(ends, [2]float64{y - 2, y + barSize + 2})
	}
	if !compact(width) {
		ends = [][2]float64{{top - 2, bottom}}
	}
	for _, g := range b.Guides {
		d.guide(g, x(g.Value), ends)
	}
	return d
}

func (d *Drawing) guide(g Guide, x float64, ends [][2]float64) {
	var path strings.Builder
	for _, e := range ends {
		fmt.Fprintf(&path, "M%s %sV%s", number(x), number(e[0]), number(e[1]))
	}
	for _, class := range []string{"halo", "guide " + string(g.Tone)} {
		fmt.Fprintf(&d.shapes, `<path class="%s" d="%s"/>`, class, path.String())
	}
}

// guideLabels puts the labels of the guides above the plot, those that would touch another a line higher up, and
// returns where the plot begins.
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
		d.fit(&l, g.Label)
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

func (d *Drawing) fit(l *label, text string) {
	l.text = shorten(text, d.Width)
	if l.text != text {
		l.full = text
	}
}
