package migration

import (
	"fmt"
	"math"
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
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

func newWeek(days []string, seconds float64) week {
	var w week
	first := slices.Index(Weekdays, days[0])
	for _, day := range days {
		after := (slices.Index(Weekdays, day) - first + daysPerWeek) % daysPerWeek
		w = append(w, dayWindow{at: float64(after) * quantity.SecondsPerDay, seconds: seconds})
	}
	slices.SortFunc(w, func(a, b dayWindow) int { return int(math.Copysign(1, a.at-b.at)) })
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

// Windows describes the maintenance windows of a plan.
type Windows struct {
	Hours float64
	// StartHour is the hour of the day at which windows open, every day or on each of Weekdays. It is nil if windows
	// follow one another without gaps.
	StartHour *float64
	Weekdays  []string
	// FirstDay is the date of the first day, YYYY-MM-DD; empty if unknown.
	FirstDay string
}

// Window returns the start of a window relative to the first window, and the length of the window, both in seconds.
// number is counted from 1.
func (w Windows) Window(number int) (opens, seconds float64) {
	seconds = w.Hours * quantity.SecondsPerHour
	switch {
	case len(w.weekdays()) > 0:
		days := newWeek(w.weekdays(), seconds)
		one := days.windowAt(0)
		for one.number < int64(number) && !days.isUnbounded() {
			one = days.windowAt(one.nextStart)
		}
		return one.start, one.seconds
	case w.StartHour != nil:
		return float64(number-1) * quantity.SecondsPerDay, seconds
	}
	return float64(number-1) * seconds, seconds
}

// Windows returns the maintenance windows of the plan.
func (in PlanInput) Windows() Windows {
	w := Windows{StartHour: in.WindowStartHour, Weekdays: in.WindowWeekdays, FirstDay: in.FirstDay}
	if in.WindowHours != nil {
		w.Hours = *in.WindowHours
	}
	return w
}

// weekdays returns the weekdays on which a window opens. It returns nil if windows follow one another without gaps, or
// if every day has the same separate window.
func (w Windows) weekdays() []string {
	switch {
	case len(w.Weekdays) > 0:
		return w.Weekdays
	case w.StartHour != nil && w.Hours >= hoursPerDay:
		return Weekdays
	}
	return nil
}

func (w Windows) isUnbounded() bool {
	return len(w.weekdays()) == daysPerWeek && w.Hours >= hoursPerDay
}

func (w Windows) lengthText(windows int) string {
	shortest, longest := math.Inf(1), 0.0
	for number := 1; number <= min(windows, 2*daysPerWeek); number++ {
		_, seconds := w.Window(number)
		shortest, longest = min(shortest, seconds), max(longest, seconds)
	}
	switch {
	case math.IsInf(longest, 1):
		return "unlimited length, because its days are adjacent"
	case shortest < longest:
		return plan.Thousands(shortest/quantity.SecondsPerHour, -1) + " to " + hours(longest/quantity.SecondsPerHour)
	}
	return hours(longest / quantity.SecondsPerHour)
}

// HoursPerWeek is the number of values of OpenHours.
const HoursPerWeek = daysPerWeek * hoursPerDay

// OpenHours returns the share of each hour of a week that is within a window, 0 to 1, starting on Monday at midnight.
// If StartHour is nil, it returns 1 for every hour.
func (w Windows) OpenHours() []float64 {
	open := make([]float64, HoursPerWeek)
	if w.StartHour == nil {
		for h := range open {
			open[h] = 1
		}
		return open
	}
	days := w.Weekdays
	if len(days) == 0 {
		days = Weekdays
	}
	for _, day := range days {
		from := float64(slices.Index(Weekdays, day)*hoursPerDay) + *w.StartHour
		for left := w.Hours; left > 0; from, left = from+1, left-1 {
			h := int(from) % HoursPerWeek
			open[h] = max(open[h], min(left, 1))
		}
	}
	return open
}

// OpeningText describes the start of a window by date and time, by weekday and week, or by the number of the day. It is
// empty if windows follow one another without gaps.
func (w Windows) OpeningText(number int) string {
	opens, _ := w.Window(number)
	day := int(opens / quantity.SecondsPerDay)
	switch {
	case w.FirstDay != "":
		return w.DateText(opens)
	case len(w.Weekdays) > 0:
		first := slices.Index(Weekdays, w.Weekdays[0])
		return fmt.Sprintf(
			"%s of week %d, %02.0f:00",
			Weekdays[(first+day)%daysPerWeek],
			day/daysPerWeek+1,
			*w.StartHour,
		)
	case w.StartHour != nil:
		return fmt.Sprintf("day %d, %02.0f:00", number, *w.StartHour)
	}
	return ""
}

// DateText formats the date and time that is the given number of seconds after the start of the first window. It
// returns an empty string if the first day is unknown or the time is more than 100 years later.
func (w Windows) DateText(seconds float64) string {
	first, err := time.Parse(time.DateOnly, w.FirstDay)
	if err != nil || seconds > maxDateSeconds {
		return ""
	}
	if w.StartHour != nil {
		first = first.Add(time.Duration(*w.StartHour) * time.Hour)
	}
	at := first.Add(time.Duration(seconds * float64(time.Second)))
	return weekdayOf(at) + at.Format(" 2006-01-02 15:04")
}

// maxDateSeconds is the time up to which dates are formatted: 100 years.
const maxDateSeconds = 100 * 365 * quantity.SecondsPerDay

func weekdayOf(day time.Time) string {
	return Weekdays[(int(day.Weekday())+daysPerWeek-1)%daysPerWeek]
}

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

func (w week) longestWindow() float64 {
	longest := 0.0
	// Check the windows of two weeks, because the first window of a plan can begin in the middle of a longer window.
	for index := range 2 * len(w) {
		longest = max(longest, w.windowAt(w.dayStart(index)).seconds)
	}
	return longest
}
