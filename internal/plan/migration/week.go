// Weekly windows.

package migration

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Weekdays are the values of window_weekdays, in the order of a week.
var Weekdays = []string{"MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"}

const daysPerWeek = 7

// week is when windows open in a week that begins with the first one, in seconds.
type week []opening

// opening is a window of one day. gap reports whether the one before closes earlier; otherwise both are one window.
type opening struct {
	at, seconds float64
	gap         bool
}

// weekly is a window: when it opens and how long it is, its number from 1, and when the next one opens.
type weekly struct {
	opens, seconds float64
	number         int64
	next           float64
}

// newWeek returns the windows of some days, the first of which is the one on which the plan begins.
func newWeek(days []string, seconds float64) week {
	var w week
	first := slices.Index(Weekdays, days[0])
	for _, day := range days {
		after := (slices.Index(Weekdays, day) - first + daysPerWeek) % daysPerWeek
		w = append(w, opening{at: float64(after) * quantity.SecondsPerDay, seconds: seconds})
	}
	slices.SortFunc(w, func(a, b opening) int { return int(math.Copysign(1, a.at-b.at)) })
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

// opens is when the opening of an index from 0, over all weeks, begins.
func (w week) opens(index int) float64 {
	return float64(index/len(w))*daysPerWeek*quantity.SecondsPerDay + w[index%len(w)].at
}

// separate reports whether an opening begins a window.
func (w week) separate(index int) bool { return index == 0 || w[index%len(w)].gap }

// endless reports whether windows never close.
func (w week) endless() bool { return !slices.ContainsFunc(w, func(o opening) bool { return o.gap }) }

// at returns the window that a moment is in or comes after.
func (w week) at(now float64) weekly {
	if w.endless() {
		return weekly{seconds: math.Inf(1), number: 1, next: math.Inf(1)}
	}
	now *= 1 + tolerance
	last := int(now/(daysPerWeek*quantity.SecondsPerDay))*len(w) + len(w) - 1
	for w.opens(last) > now {
		last--
	}
	first := last
	for !w.separate(first) {
		first--
	}
	after := first + 1
	for !w.separate(after) {
		after++
	}
	return weekly{
		opens: w.opens(first), seconds: w.opens(after-1) + w[0].seconds - w.opens(first),
		number: w.number(first), next: w.opens(after),
	}
}

// Windows are the maintenance windows of a plan: all inputs of it that say when they are.
type Windows struct {
	Hours float64
	// StartHour is when a window opens each day, or on each of Weekdays; nil if windows follow each other.
	StartHour *float64
	Weekdays  []string
}

// Nth returns when a window, counted from 1, opens after the first one, and how long it is, in seconds.
func (w Windows) Nth(number int) (opens, seconds float64) {
	seconds = w.Hours * quantity.SecondsPerHour
	switch {
	case len(w.Weekdays) > 0:
		days := newWeek(w.Weekdays, seconds)
		one := days.at(0)
		for one.number < int64(number) && !days.endless() {
			one = days.at(one.next)
		}
		return one.opens, one.seconds
	case w.StartHour != nil:
		return float64(number-1) * quantity.SecondsPerDay, seconds
	}
	return float64(number-1) * seconds, seconds
}

// Opening returns when a window opens in words: its day, by the clock, or the time since the first one.
func (w Windows) Opening(number int) string {
	opens, _ := w.Nth(number)
	day := int(opens / quantity.SecondsPerDay)
	switch {
	case len(w.Weekdays) > 0:
		first := slices.Index(Weekdays, w.Weekdays[0])
		return fmt.Sprintf("%s of week %d, %02.0f:00", Weekdays[(first+day)%daysPerWeek], day/daysPerWeek+1, *w.StartHour)
	case w.StartHour != nil:
		return fmt.Sprintf("day %d, %02.0f:00", number, *w.StartHour)
	}
	return ""
}

// number is how many windows there are up to an opening that begins one.
func (w week) number(index int) int64 {
	n := int64(1)
	for i := range w {
		if w[i].gap {
			// Openings of this day among the indices from 1.
			n += int64((index - i + len(w)) / len(w))
			if i == 0 {
				n--
			}
		}
	}
	return n
}

// longest is the length of the longest window, in seconds.
func (w week) longest() float64 {
	longest := 0.0
	// All windows of two weeks: the first one of a plan may begin within a longer one.
	for index := range 2 * len(w) {
		longest = max(longest, w.at(w.opens(index)).seconds)
	}
	return longest
}
