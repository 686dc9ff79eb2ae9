package chart

import (
	"fmt"
	"strings"
)

// Columns is a column chart with one or more panels, one below the other. All panels have the same column names.
type Columns struct {
	// Names are drawn below the columns. Names that do not fit are omitted.
	Names []string
	// Label is the axis title for the names.
	Label  string
	Panels []Panel
}

// Panel contains a value for each column.
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

// Draw draws panels of equal height, one below the other.
func (c Columns) Draw(width float64) Drawing {
	left := 0.0
	for _, p := range c.Panels {
		left = max(left, p.Scale.axisWidth(panelTicks))
	}
	bottom := float64(len(c.Panels)) * (panelHeight + panelHead)
	d := Drawing{Width: width, Height: bottom + axisHeight}
	x0, x1 := left, width-4
	slot := (x1 - x0) / float64(max(len(c.Names), 1))
	for i, p := range c.Panels {
		y0 := float64(i)*(panelHeight+panelHead) + panelHead
		y1 := y0 + panelHeight
		d.addText(label{x: 0, y: y0 - 10, anchor: start, text: p.Scale.Label, class: "axis"}, width)
		d.axisY(p.Scale, panelTicks, x0, x1, y0+4, y1)
		var path strings.Builder
		for j, v := range p.Values {
			height := p.Scale.position(v) * (y1 - y0 - 4)
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
			y := y1 - p.Scale.position(g.Value)*(y1-y0-4)
			d.line("guide "+string(g.Tone), x0, y, x1, y)
		}
	}
	for every := 1; every <= len(c.Names); every++ {
		if len(c.Names)%every == 0 && d.placeNames(c.Names, every, x0, slot, bottom+tickBase) {
			break
		}
	}
	d.addText(label{x: (x0 + x1) / 2, y: bottom + labelBase, anchor: middle, text: c.Label, class: "axis"}, x1-x0)
	return d
}
