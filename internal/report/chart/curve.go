package chart

import (
	"math"
	"slices"
	"strings"
)

// Point is a position in a plot.
type Point struct{ X, Y float64 }

// Curve is a line through points. The points must be sorted by X.
type Curve struct {
	Points []Point
	X, Y   Scale
	// Dots marks each point, for curves that have no values between the points.
	Dots   bool
	Levels []Guide
	Marks  []Mark
}

// Mark is a labeled point.
type Mark struct {
	Point

	Label string
	Tone  Tone
}

const (
	curveHead   = 22
	curveHeight = 240
	curveTicks  = 6
	dotRadius   = 3
	markRadius  = 5
)

// Draw draws the curve, clipped at the edges of the plot.
func (c Curve) Draw(width float64) Drawing {
	left := c.Y.axisWidth(curveTicks)
	d := Drawing{Width: width, Height: curveHead + curveHeight + axisHeight}
	x0 := left
	x1 := width - 10
	y0 := float64(curveHead) + 4
	y1 := float64(curveHead + curveHeight)
	x := func(v float64) float64 { return x0 + c.X.position(v)*(x1-x0) }
	y := func(v float64) float64 { return y1 - c.Y.position(v)*(y1-y0) }
	d.addText(label{x: 0, y: curveHead - 10, anchor: start, text: c.Y.Label, class: "axis"}, width)
	d.axisY(c.Y, curveTicks, x0, x1, y0, y1)
	d.axisX(c.X, x0, x1, y0, y1)
	d.path(c.visible(), x, y)
	if c.Dots {
		for _, p := range c.Points {
			d.circle("dot", x(p.X), y(p.Y), dotRadius)
		}
	}
	for _, g := range c.Levels {
		d.line("guide "+string(g.Tone), x0, y(g.Value), x1, y(g.Value))
		d.lines = append(d.lines, box{x0, y(g.Value) - 1, x1, y(g.Value) + 1})
	}
	for _, m := range c.Marks {
		px, py := x(m.X), y(m.Y)
		d.circle("mark "+string(m.Tone), px, py, markRadius)
		d.placeNear(m.Label, "mark-label "+string(m.Tone), px, py, x0, x1, y0, y1)
	}
	for _, g := range c.Levels {
		d.placeAlong(g, y(g.Value), x0, x1, y0, y1)
	}
	return d
}

func (c Curve) visible() []Point {
	var seen []Point
	for i, p := range c.Points {
		if i > 0 {
			q := c.Points[i-1]
			for _, bound := range []float64{c.Y.Min, c.Y.Max} {
				if (q.Y-bound)*(p.Y-bound) < 0 {
					seen = append(seen, Point{q.X + (p.X-q.X)*(bound-q.Y)/(p.Y-q.Y), bound})
				}
			}
		}
		if p.Y >= c.Y.Min && p.Y <= c.Y.Max {
			seen = append(seen, p)
		}
	}
	return seen
}

func (d *Drawing) path(points []Point, x, y func(float64) float64) {
	if len(points) < 2 {
		return
	}
	pixels := make([]Point, len(points))
	for i, p := range points {
		pixels[i] = Point{x(p.X), y(p.Y)}
	}
	pixels = simplify(pixels)
	for i, p := range pixels[1:] {
		d.addLineBoxes(pixels[i].X, pixels[i].Y, p.X, p.Y)
	}
	d.shapes.WriteString(`<path class="curve" d="M` + pathData(pixels) + `"/>`)
}

func pathData(pixels []Point) string {
	texts := make([]string, len(pixels))
	for i, p := range pixels {
		texts[i] = number(p.X) + " " + number(p.Y)
	}
	return strings.Join(texts, "L")
}

func simplify(points []Point) []Point {
	const invisible = 0.25
	if len(points) < 3 {
		return points
	}
	first, last := points[0], points[len(points)-1]
	dx, dy := last.X-first.X, last.Y-first.Y
	length := math.Hypot(dx, dy)
	farthest, at := 0.0, 0
	for i, p := range points[1 : len(points)-1] {
		distance := math.Hypot(p.X-first.X, p.Y-first.Y)
		if length > 0 {
			distance = math.Abs(dx*(p.Y-first.Y)-dy*(p.X-first.X)) / length
		}
		if distance > farthest {
			farthest, at = distance, i+1
		}
	}
	if farthest < invisible {
		return []Point{first, last}
	}
	return slices.Concat(simplify(points[:at+1]), simplify(points[at:])[1:])
}

func (d *Drawing) addLineBoxes(x1, y1, x2, y2 float64) {
	const piece = 4
	pieces := max(1, math.Ceil(math.Hypot(x2-x1, y2-y1)/piece))
	for i := 0.0; i <= pieces; i++ {
		x, y := x1+(x2-x1)*i/pieces, y1+(y2-y1)*i/pieces
		d.lines = append(d.lines, box{x - 2, y - 2, x + 2, y + 2})
	}
}

func (d *Drawing) circle(class string, x, y, radius float64) {
	d.shapes.WriteString(
		`<circle class="` + class + `" cx="` + number(x) + `" cy="` + number(y) + `" r="` + number(radius) + `"/>`,
	)
}

func (d *Drawing) placeNear(text, class string, px, py, x0, x1, y0, y1 float64) {
	l := label{text: shorten(text, x1-x0), class: class}
	if l.text != text {
		l.full = text
	}
	width := textWidth(l.text)
	left, right := px+markRadius+4, px-markRadius-4-width
	centre := min(max(px-width/2, x0+2), x1-width)
	var candidates []label
	for distance := 0.0; distance < y1-y0; distance += 6 {
		for _, dy := range []float64{-distance - 4, distance + 12} {
			for _, at := range []float64{left, right, centre} {
				beside := at != centre
				if !beside && math.Abs(dy) < markRadius+8 {
					continue // would cover the mark
				}
				l.x = at
				l.y = py + dy
				l.anchor = start
				if b := l.box(); b.left >= x0 && b.right <= x1+8 && b.top >= y0-6 && b.bottom <= y1-2 {
					candidates = append(candidates, l)
				}
			}
		}
	}
	d.placeFirst(candidates...)
}

func (d *Drawing) placeAlong(g Guide, y, x0, x1, y0, y1 float64) {
	l := label{text: shorten(g.Label, x1-x0-4), class: "guide-label " + string(g.Tone)}
	if l.text != g.Label {
		l.full = g.Label
	}
	width := textWidth(l.text)
	var candidates []label
	for _, dy := range []float64{-4, ascent*fontSize + 3, -20, 30, -36, 46} {
		for right := x1; right-width >= x0+4; right -= 20 {
			l.x = right
			l.y = y + dy
			l.anchor = end
			if b := l.box(); b.top >= y0-8 && b.bottom <= y1 {
				candidates = append(candidates, l)
			}
		}
	}
	d.placeFirst(candidates...)
}
