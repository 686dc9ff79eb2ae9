package chart

import (
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// Columns has panels of columns above each other that share the names of the columns.
type Columns struct {
	// Names stand below; those that do not fit are left out.
	Names []string
	// Label names the columns.
	Label  string
	Panels []Panel
}

// Panel has a value for each column.
type Panel struct {
	Values []float64
	Scale  Scale
	Tone   Tone
	Guides []Guide
}

const (
	panelHeight = 120
	panelHead   = 30
	panelTicks  = 4
)

// Draw returns the panels equal heights.
func (c Columns) Draw(width float64) Drawing {
	left := 0.0
	for _, p := range c.Panels {
		left = max(left, p.Scale.axisWidth(panelTicks))
	}
	bottom := float64(len(c.Panels)) * (panelHeight + panelHead)
	d := Drawing{Width: width, Height: bottom + below}
	x0, x1 := left, width-4
	slot := (x1 - x0) / float64(max(len(c.Names), 1))
	for i, p := range c.Panels {
		y0 := float64(i)*(panelHeight+panelHead) + panelHead
		y1 := y0 + panelHeight
		d.text(label{x: 0, y: y0 - 10, anchor: start, text: p.Scale.Label, class: "axis"}, width)
		d.axisY(p.Scale, panelTicks, x0, x1, y0+4, y1)
		var path strings.Builder
		for j, v := range p.Values {
			height := p.Scale.at(v) * (y1 - y0 - 4)
			if v > p.Scale.Min {
				height = max(height, 1)
			}
			if v != 0 {
				fmt.Fprintf(&path, "M%s %sv-%sh%sv%s", number(x0+float64(j)*slot+slot*0.1), number(y1), number(height),
					number(slot*0.8), number(height))
			}
		}
		if path.Len() > 0 {
			fmt.Fprintf(&d.shapes, `<path class="bar %s" d="%s"/>`, p.Tone, path.String())
		}
		for _, g := range p.Guides {
			y := y1 - p.Scale.at(g.Value)*(y1-y0-4)
			d.line("guide "+string(g.Tone), x0, y, x1, y)
		}
	}
	for j, name := range c.Names {
		d.place(label{x: x0 + (float64(j)+0.5)*slot, y: bottom + tickBase, anchor: middle, text: name})
	}
	d.text(label{x: (x0 + x1) / 2, y: bottom + labelBase, anchor: middle, text: c.Label, class: "axis"}, x1-x0)
	return d
}

// Hours draws the use of a link in each hour of a day, in percent.
func Hours(use []float64) Columns {
	names := make([]string, len(use))
	for h := range use {
		names[h] = fmt.Sprintf("%d:00", h)
	}
	return Columns{Names: names, Label: "hour of the day", Panels: []Panel{{
		Values: use, Tone: Plain, Scale: Scale{Max: 100, Label: "link use in percent", Format: wording.Decimal},
	}}}
}
