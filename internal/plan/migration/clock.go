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
	length       float64   // seconds of a window; infinite if there are no windows
	period       float64   // seconds between the starts of consecutive windows
	usableShare  float64   // share of a window that precedes its reserve, 0 to 1
	week         week      // windows of a week; nil if the window is the same every day
	dirtyWeights []float64 // ratios of the dirty rate to its mean; a single ratio, or one for each hour of the day
}

func (in PlanInput) clock() clock {
	c := in.Windows().clock()
	if in.WindowHours == nil {
		c.length, c.period = math.Inf(1), math.Inf(1)
	}
	c.usableShare = 1 - in.WindowReservePercent/quantity.Percent
	c.dirtyWeights = []float64{1}
	if in.ThroughputMbps != nil {
		c.linkRates = []float64{*in.ThroughputMbps * quantity.BitsPerMbit}
	}
	for _, mbps := range in.HourlyThroughputMbps {
		c.linkRates = append(c.linkRates, mbps*quantity.BitsPerMbit)
	}
	if in.HourlyDirtyWeights != nil {
		sum := 0.0
		for _, w := range in.HourlyDirtyWeights {
			sum += w
		}
		c.dirtyWeights = slices.Clone(in.HourlyDirtyWeights)
		for h, w := range c.dirtyWeights {
			c.dirtyWeights[h] = w * hoursPerDay / sum
		}
	}
	return c
}

func (c clock) isHourly() bool        { return c.hasHourlyRates() || c.hasDirtyWeights() }
func (c clock) hasHourlyRates() bool  { return len(c.linkRates) > 1 }
func (c clock) hasDirtyWeights() bool { return len(c.dirtyWeights) > 1 }

func (c clock) rate(now float64) float64 { return c.valueAt(now, c.linkRates) }

// weight returns the ratio of the dirty rate at the given time to its mean.
func (c clock) weight(now float64) float64 { return c.valueAt(now, c.dirtyWeights) }

func (c clock) valueAt(now float64, values []float64) float64 {
	if len(values) == 1 {
		return values[0]
	}
	hour := math.Floor(now/quantity.SecondsPerHour*(1+tolerance) + c.startHour)
	return values[int(math.Mod(hour, hoursPerDay))]
}

func (c clock) hasGaps() bool { return c.period > c.length*c.usableShare || c.week != nil }

func (c clock) peakRate() float64 { return slices.Max(c.linkRates) }

// windowAt returns the window that contains the given time, or the last one before it. The number is set only for the
// windows of a week.
func (c clock) windowAt(now float64) window {
	switch {
	case c.week != nil:
		return c.week.windowAt(now)
	case math.IsInf(c.period, 1):
		return window{seconds: c.length, nextStart: c.period}
	}
	start := c.period * math.Floor(now/c.period*(1+tolerance))
	return window{start: start, seconds: c.length, nextStart: start + c.period}
}

func (c clock) windowEnd(now float64) (float64, bool) {
	w := c.windowAt(now)
	end := w.start + w.seconds*c.usableShare
	return end, now < end*(1-tolerance)
}

// windowNumber returns the number, counted from 1, of the window that contains the given arrival time.
func (c clock) windowNumber(end float64) int64 {
	w := c.windowAt(end)
	switch {
	case c.week != nil:
		return w.number
	case c.hasGaps():
		return int64(w.start/c.period+0.5) + 1
	}
	return int64(max(1, math.Ceil(end/c.period*(1-tolerance))))
}

// windowOf returns the window with the given number, or the only one if it never ends.
func (c clock) windowOf(number int) window {
	one := c.windowAt(0)
	if c.week == nil {
		one.start = float64(number-1) * c.period
		return one
	}
	for one.number < int64(number) && !c.week.isUnbounded() {
		one = c.week.windowAt(one.nextStart)
	}
	return one
}

// nextChange returns the first time after now at which the rate can change or a window opens or closes.
func (c clock) nextChange(now float64) float64 {
	next := math.Inf(1)
	if c.isHourly() {
		next = quantity.SecondsPerHour * (math.Floor(now/quantity.SecondsPerHour*(1+tolerance)) + 1)
	}
	if end, open := c.windowEnd(now); open && c.hasGaps() {
		next = min(next, end)
	}
	return min(next, c.windowAt(now).nextStart)
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
