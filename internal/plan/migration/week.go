package migration

import (
	"cmp"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Weekdays contains the values of window_weekdays, in the order of a week.
var Weekdays = []string{"MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"}

const daysPerWeek = 7

// week contains the windows of a week that begins with the first window. Times are in seconds.
type week []dayWindow

// dayWindow is the window of one day. gap reports whether the previous window closes before this one opens. If not,
// both form a single window.
type dayWindow struct {
	at, seconds float64
	gap         bool
}

// window describes a window: its start, length and number, counted from 1, and the start of the next window.
type window struct {
	start, seconds float64
	number         int64
	nextStart      float64
}

// newWeek returns the week of windows that open on the given weekdays and stay open for the given seconds.
func newWeek(days []string, seconds float64) week {
	var w week
	first := slices.Index(Weekdays, days[0])
	for _, day := range days {
		after := (slices.Index(Weekdays, day) - first + daysPerWeek) % daysPerWeek
		w = append(w, dayWindow{at: float64(after) * quantity.SecondsPerDay, seconds: seconds})
	}
	slices.SortFunc(w, func(a, b dayWindow) int { return cmp.Compare(a.at, b.at) })
	for i := range w {
		before := w[(i+len(w)-1)%len(w)]
		since := w[i].at - before.at
		if since <= 0 {
			since += daysPerWeek * quantity.SecondsPerDay
		}
		w[i].gap = since > seconds*(1+tolerance)
	}
	return w
}

// dayStart returns the start of the day window with the given index, counted from 0 over all weeks.
func (w week) dayStart(index int) float64 {
	return float64(index/len(w))*daysPerWeek*quantity.SecondsPerDay + w[index%len(w)].at
}

func (w week) startsWindow(index int) bool { return index == 0 || w[index%len(w)].gap }

func (w week) isUnbounded() bool {
	return !slices.ContainsFunc(w, func(o dayWindow) bool { return o.gap })
}

// windowAt returns the window that contains the given time, or the last one before it. A time that rounding has moved
// slightly before the start of a window belongs to this window.
func (w week) windowAt(now float64) window {
	if w.isUnbounded() {
		return window{seconds: math.Inf(1), number: 1, nextStart: math.Inf(1)}
	}
	now *= 1 + tolerance
	last := int(now/(daysPerWeek*quantity.SecondsPerDay))*len(w) + len(w) - 1
	for w.dayStart(last) > now {
		last--
	}
	first := last
	for !w.startsWindow(first) {
		first--
	}
	after := first + 1
	for !w.startsWindow(after) {
		after++
	}
	return window{
		start:     w.dayStart(first),
		seconds:   w.dayStart(after-1) + w[0].seconds - w.dayStart(first),
		number:    w.windowNumber(first),
		nextStart: w.dayStart(after),
	}
}

// windowNumber returns the number of the window that the day window with the given index starts.
func (w week) windowNumber(index int) int64 {
	n := int64(1)
	for i := range w {
		if w[i].gap {
			// Count the windows that open on this weekday at indexes 1 to index.
			n += int64((index - i + len(w)) / len(w))
			if i == 0 {
				n--
			}
		}
	}
	return n
}
