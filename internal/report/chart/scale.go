package chart

import "math"

// Kind determines how a scale positions values and ticks.
type Kind int

// Kinds of scales.
const (
	// Linear has ticks at multiples of 1, 2 or 5 times a power of ten.
	Linear Kind = iota
	// Time is linear in seconds. It has ticks at round seconds, minutes, hours or days.
	Time
	// Log is logarithmic. Its range must be positive.
	Log
)

// Scale is a range of values.
type Scale struct {
	Kind     Kind
	Min, Max float64
	// Whole restricts ticks to whole numbers.
	Whole  bool
	Format func(float64) string
	// Label is the title of the scale, including the unit.
	Label string
}

// position returns the position of a value, from 0 for Min to 1 for Max. Values outside the range are clamped.
func (s Scale) position(v float64) float64 {
	low, high := s.Min, s.Max
	if s.Kind == Log {
		low = math.Log(low)
		high = math.Log(high)
		v = math.Log(max(v, s.Min))
	}
	if !(high > low) {
		return 0
	}
	return min(1, max(0, (v-low)/(high-low)))
}

var timeSteps = []float64{
	1e-3,
	2e-3,
	5e-3,
	1e-2,
	2e-2,
	5e-2,
	0.1,
	0.2,
	0.5,
	1,
	2,
	5,
	10,
	15,
	30,
	60,
	120,
	300,
	600,
	900,
	1800,
	3600,
	2 * 3600,
	3 * 3600,
	6 * 3600,
	12 * 3600,
	86400,
	2 * 86400,
	5 * 86400,
	10 * 86400,
	20 * 86400,
	50 * 86400,
	100 * 86400,
	365 * 86400,
	3650 * 86400,
	36500 * 86400,
}

// ticks returns round values that divide the range into at most n steps. A Log scale has ticks at powers of ten and, if
// there are few, also at 2 and 5 times a power of ten.
func (s Scale) ticks(n int) []float64 {
	if !(s.Max > s.Min) || n < 1 {
		return []float64{s.Min}
	}
	if s.Kind == Log {
		return s.logTicks(n)
	}
	step := s.step(n)
	var ticks []float64
	for i := math.Ceil(s.Min/step-1e-9) + 0; i*step <= s.Max*(1+1e-9); i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

func (s Scale) step(n int) float64 {
	minimum := (s.Max - s.Min) / float64(n)
	if s.Whole {
		minimum = max(minimum, 1)
	}
	if s.Kind == Time {
		for _, step := range timeSteps {
			if step >= minimum {
				return step
			}
		}
	}
	power := math.Pow(10, math.Floor(math.Log10(minimum)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= minimum {
			return factor * power
		}
	}
	return 10 * power
}

func (s Scale) logTicks(n int) []float64 {
	var all, tens []float64
	for power := math.Floor(math.Log10(s.Min)); power <= math.Log10(s.Max); power++ {
		for _, factor := range []float64{1, 2, 5} {
			// For negative powers, use division, because the quotient is correctly rounded: 2 / 10 instead of 2 * 0.1.
			v := factor * math.Pow(10, power)
			if power < 0 {
				v = factor / math.Pow(10, -power)
			}
			if v < s.Min*(1-1e-9) || v > s.Max*(1+1e-9) {
				continue
			}
			all = append(all, v)
			if factor == 1 {
				tens = append(tens, v)
			}
		}
	}
	if len(all) <= n || len(tens) < 2 {
		return all
	}
	step := (len(tens) + n - 1) / n
	var thinned []float64
	for i := 0; i < len(tens); i += step {
		thinned = append(thinned, tens[i])
	}
	return thinned
}

func (d *Drawing) axisX(s Scale, x0, x1, y0, y1 float64) {
	for _, v := range s.ticks(max(2, int((x1-x0)/60))) {
		x := x0 + s.position(v)*(x1-x0)
		d.line("grid", x, y0, x, y1)
		text := s.Format(v)
		half := textWidth(text) / 2
		d.placeFirst(label{x: min(max(x, half), d.Width-half), y: y1 + tickBase, anchor: middle, text: text})
	}
	d.addText(label{x: (x0 + x1) / 2, y: y1 + labelBase, anchor: middle, text: s.Label, class: "axis"}, x1-x0)
}

const (
	// tickBase and labelBase are the distances from the plot to the baselines of the tick labels and the axis title
	// below it. axisHeight is the total height below the plot.
	tickBase   = 19
	labelBase  = 36
	axisHeight = 42
)

func (s Scale) axisWidth(n int) float64 {
	width := 0.0
	for _, v := range s.ticks(n) {
		width = max(width, textWidth(s.Format(v)))
	}
	return width + 8
}

func (d *Drawing) axisY(s Scale, n int, x0, x1, y0, y1 float64) {
	for _, v := range s.ticks(n) {
		y := y1 - s.position(v)*(y1-y0)
		d.line("grid", x0, y, x1, y)
		d.placeFirst(label{x: x0 - gap, y: y + middleShift, anchor: end, text: s.Format(v)})
	}
}

// middleShift is the baseline shift that centers digits vertically.
const middleShift = 0.35 * fontSize
