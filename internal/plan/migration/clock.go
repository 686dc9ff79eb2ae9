package migration

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// tolerance is the relative difference below which times are considered equal.
const tolerance = 1e-12

// clock determines the link rate and the windows of a plan at any time. Times are in seconds from the start of the
// first window.
type clock struct {
	linkRates    []float64 // in bit/s; a single rate, or one for each hour of the day
	startHour    float64   // hour of the day at which the plan starts
	window       float64   // usable seconds of the longest window; infinite if there are no windows
	period       float64   // seconds between the starts of consecutive windows
	usableShare  float64   // share of a window that precedes its reserve, 0 to 1
	week         week      // windows of a week; nil if the window is the same every day
	dirtyWeights []float64 // weights of the dirty rate by hour of the day; nil for equal weights
}

func (in PlanInput) clock() clock {
	c := clock{window: math.Inf(1), period: math.Inf(1), usableShare: 1 - in.WindowReservePercent/quantity.Percent}
	if in.ThroughputMbps != nil {
		c.linkRates = []float64{*in.ThroughputMbps * quantity.BitsPerMbit}
	}
	for _, mbps := range in.HourlyThroughputMbps {
		c.linkRates = append(c.linkRates, mbps*quantity.BitsPerMbit)
	}
	if in.WindowHours != nil {
		c.period = *in.WindowHours * quantity.SecondsPerHour
		c.window = c.period * c.usableShare
	}
	if in.WindowStartHour != nil {
		c.startHour, c.period = *in.WindowStartHour, quantity.SecondsPerDay
	}
	if days := in.Windows().weekdays(); len(days) > 0 {
		c.week = newWeek(days, *in.WindowHours*quantity.SecondsPerHour)
		c.window = c.week.longestWindow() * c.usableShare
	}
	if in.HourlyDirtyWeights != nil {
		sum := 0.0
		for _, w := range in.HourlyDirtyWeights {
			sum += w
		}
		for _, w := range in.HourlyDirtyWeights {
			c.dirtyWeights = append(c.dirtyWeights, w*hoursPerDay/sum)
		}
	}
	return c
}

func (c clock) isHourly() bool       { return c.hasHourlyRates() || c.dirtyWeights != nil }
func (c clock) hasHourlyRates() bool { return len(c.linkRates) > 1 }

// weight returns the ratio of the dirty rate at the given time to its mean.
func (c clock) weight(now float64) float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return c.dirtyWeights[c.hour(now)]
}

func (c clock) minWeight() float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return slices.Min(c.dirtyWeights)
}

func (c clock) maxWeight() float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return slices.Max(c.dirtyWeights)
}

func (c clock) hour(now float64) int {
	return int(math.Mod(math.Floor(now/quantity.SecondsPerHour*(1+tolerance)+c.startHour), hoursPerDay))
}

func (c clock) hasGaps() bool { return c.period > c.window || c.week != nil }

func (c clock) peakRate() float64 { return slices.Max(c.linkRates) }

func (c clock) rate(now float64) float64 {
	if !c.hasHourlyRates() {
		return c.linkRates[0]
	}
	return c.linkRates[c.hour(now)]
}

func (c clock) windowStart(now float64) float64 {
	if c.week != nil {
		return c.week.windowAt(now).start
	}
	if math.IsInf(c.period, 1) {
		return 0
	}
	return c.period * math.Floor(now/c.period*(1+tolerance))
}

func (c clock) windowEnd(now float64) (float64, bool) {
	end := c.windowStart(now) + c.window
	if c.week != nil {
		w := c.week.windowAt(now)
		end = w.start + w.seconds*c.usableShare
	}
	return end, now < end*(1-tolerance)
}

// windowNumber returns the number, counted from 1, of the window that contains the given arrival time.
func (c clock) windowNumber(end float64) int64 {
	if c.week != nil {
		return c.week.windowAt(end).number
	}
	if c.hasGaps() {
		return int64(c.windowStart(end)/c.period+0.5) + 1
	}
	return int64(max(1, math.Ceil(end/c.period*(1-tolerance))))
}

func (c clock) startOfWindow(number int) float64 {
	if c.week == nil {
		return float64(number-1) * c.period
	}
	w := c.week.windowAt(0)
	for w.number < int64(number) && !math.IsInf(w.nextStart, 1) {
		w = c.week.windowAt(w.nextStart)
	}
	return w.start
}

// nextChange returns the first time after now at which the rate can change or a window opens or closes.
func (c clock) nextChange(now float64) float64 {
	next := math.Inf(1)
	if c.isHourly() {
		next = quantity.SecondsPerHour * (math.Floor(now/quantity.SecondsPerHour*(1+tolerance)) + 1)
	}
	if math.IsInf(c.period, 1) {
		return next
	}
	if end, open := c.windowEnd(now); open && c.hasGaps() {
		next = min(next, end)
	}
	if c.week != nil {
		return min(next, c.week.windowAt(now).nextStart)
	}
	return min(next, c.windowStart(now)+c.period)
}

// sendSeconds returns the number of seconds that the link takes to send the given number of bits if it starts when the
// plan starts.
func (c clock) sendSeconds(bits float64) float64 {
	if !c.hasHourlyRates() {
		return bits / c.linkRates[0]
	}
	day := 0.0
	for _, rate := range c.linkRates {
		day += rate * quantity.SecondsPerHour
	}
	days := math.Floor(bits / day)
	bits -= days * day
	seconds := days * hoursPerDay * quantity.SecondsPerHour
	for h := range hoursPerDay {
		rate := c.linkRates[(h+int(c.startHour))%hoursPerDay]
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
