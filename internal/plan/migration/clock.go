package migration

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// tolerance is the relative error ignored when times are compared.
const tolerance = 1e-12

// clock provides the link and the windows of a plan over time, in seconds from the start of the first window.
type clock struct {
	link   []float64 // bit/s, one rate or one for each hour of the day
	start  float64   // hour of the day at which the plan starts
	window float64   // usable seconds of the longest window; infinite without windows
	period float64   // seconds between the starts of two windows
	usable float64   // the share of a window before its reserve, 0 to 1
	week   week      // the windows of a week; nil if all days are alike
	dirty  []float64 // weights of the dirty rate by hour of the day; nil if all hours are alike
}

func (in PlanInput) clock() clock {
	c := clock{window: math.Inf(1), period: math.Inf(1), usable: 1 - in.WindowReservePercent/quantity.Percent}
	if in.ThroughputMbps != nil {
		c.link = []float64{*in.ThroughputMbps * quantity.BitsPerMbit}
	}
	for _, mbps := range in.HourlyThroughputMbps {
		c.link = append(c.link, mbps*quantity.BitsPerMbit)
	}
	if in.WindowHours != nil {
		c.period = *in.WindowHours * quantity.SecondsPerHour
		c.window = c.period * c.usable
	}
	if in.WindowStartHour != nil {
		c.start, c.period = *in.WindowStartHour, quantity.SecondsPerDay
	}
	if days := in.Windows().days(); len(days) > 0 {
		c.week = newWeek(days, *in.WindowHours*quantity.SecondsPerHour)
		c.window = c.week.longest() * c.usable
	}
	if in.HourlyDirtyWeights != nil {
		sum := 0.0
		for _, w := range in.HourlyDirtyWeights {
			sum += w
		}
		for _, w := range in.HourlyDirtyWeights {
			c.dirty = append(c.dirty, w*hoursPerDay/sum)
		}
	}
	return c
}

func (c clock) hourly() bool { return c.varies() || c.dirty != nil }
func (c clock) varies() bool { return len(c.link) > 1 }

// weight returns the dirty rate at a moment relative to the mean.
func (c clock) weight(now float64) float64 {
	if c.dirty == nil {
		return 1
	}
	return c.dirty[c.hour(now)]
}

func (c clock) leastWeight() float64 {
	if c.dirty == nil {
		return 1
	}
	return slices.Min(c.dirty)
}

func (c clock) mostWeight() float64 {
	if c.dirty == nil {
		return 1
	}
	return slices.Max(c.dirty)
}

func (c clock) hour(now float64) int {
	return int(math.Mod(math.Floor(now/quantity.SecondsPerHour*(1+tolerance)+c.start), hoursPerDay))
}

func (c clock) daily() bool { return c.period > c.window || c.week != nil }

func (c clock) peak() float64 { return slices.Max(c.link) }

func (c clock) rate(now float64) float64 {
	if !c.varies() {
		return c.link[0]
	}
	return c.link[c.hour(now)]
}

func (c clock) opened(now float64) float64 {
	if c.week != nil {
		return c.week.at(now).opens
	}
	if math.IsInf(c.period, 1) {
		return 0
	}
	return c.period * math.Floor(now/c.period*(1+tolerance))
}

func (c clock) closes(now float64) (float64, bool) {
	end := c.opened(now) + c.window
	if c.week != nil {
		w := c.week.at(now)
		end = w.opens + w.seconds*c.usable
	}
	return end, now < end*(1-tolerance)
}

// number returns the number of the window in which something ends, from 1.
func (c clock) number(end float64) int64 {
	if c.week != nil {
		return c.week.at(end).number
	}
	if c.daily() {
		return int64(c.opened(end)/c.period+0.5) + 1
	}
	return int64(max(1, math.Ceil(end/c.period*(1-tolerance))))
}

// opensNth returns the start of a window, counted from 1.
func (c clock) opensNth(number int) float64 {
	if c.week == nil {
		return float64(number-1) * c.period
	}
	w := c.week.at(0)
	for w.number < int64(number) && !math.IsInf(w.next, 1) {
		w = c.week.at(w.next)
	}
	return w.opens
}

// next returns the first moment after now at which the rate may change or a window opens or closes.
func (c clock) next(now float64) float64 {
	next := math.Inf(1)
	if c.hourly() {
		next = quantity.SecondsPerHour * (math.Floor(now/quantity.SecondsPerHour*(1+tolerance)) + 1)
	}
	if math.IsInf(c.period, 1) {
		return next
	}
	if end, open := c.closes(now); open && c.daily() {
		next = min(next, end)
	}
	if c.week != nil {
		return min(next, c.week.at(now).next)
	}
	return min(next, c.opened(now)+c.period)
}

// capacity returns the time in which the link can send some bits from the start of the plan, in seconds.
func (c clock) capacity(bits float64) float64 {
	if !c.varies() {
		return bits / c.link[0]
	}
	day := 0.0
	for _, rate := range c.link {
		day += rate * quantity.SecondsPerHour
	}
	days := math.Floor(bits / day)
	bits -= days * day
	seconds := days * hoursPerDay * quantity.SecondsPerHour
	for h := range hoursPerDay {
		rate := c.link[(h+int(c.start))%hoursPerDay]
		if bits <= rate*quantity.SecondsPerHour {
			if bits > 0 {
				seconds += bits / rate
			}
			return seconds
		}
		bits -= rate * quantity.SecondsPerHour
		seconds += quantity.SecondsPerHour
	}
	return seconds
}
