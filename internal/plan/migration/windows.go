package migration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

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
	one := w.clock().windowOf(number)
	return one.start, one.seconds
}

// clock returns a clock that determines only the windows, all of whose seconds are usable.
func (w Windows) clock() clock {
	c := clock{length: w.Hours * quantity.SecondsPerHour, usableShare: 1}
	c.period = c.length
	if w.StartHour != nil {
		c.startHour, c.period = *w.StartHour, quantity.SecondsPerDay
	}
	if days := w.weekdays(); len(days) > 0 {
		c.week = newWeek(days, c.length)
	}
	return c
}

// Windows returns the maintenance windows of the plan.
func (in PlanInput) Windows() Windows {
	return Windows{
		Hours:     *cmp.Or(in.WindowHours, new(0.0)),
		StartHour: in.WindowStartHour,
		Weekdays:  in.WindowWeekdays,
		FirstDay:  in.FirstDay,
	}
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

// OpenByHour returns the share of each hour of the day that is within a window, 0 to 1, starting at midnight. With
// weekdays, it is the share on the day on which it is largest. If StartHour is nil, it returns 1 for every hour.
func (w Windows) OpenByHour() []float64 {
	if w.StartHour == nil {
		return slices.Repeat([]float64{1}, hoursPerDay)
	}
	open := make([]float64, hoursPerDay)
	for from, left := int(*w.StartHour), w.Hours; left > 0; from, left = from+1, left-1 {
		open[from%hoursPerDay] = max(open[from%hoursPerDay], min(left, 1))
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
