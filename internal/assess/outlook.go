package assess

import (
	"strings"
	"time"

	"terraform-provider-vsla/internal/wording"
)

// Outlook states in how many months a promise will no longer hold.
type Outlook struct {
	// HasGrowth reports whether a growth rate was given.
	HasGrowth bool
	// HorizonMonths is the last month for which growth was computed.
	HorizonMonths float64
	// MonthsUntilAtRisk is nil if it is beyond the horizon.
	MonthsUntilAtRisk *float64
	// MonthsUntilMiss is nil if it is beyond the horizon.
	MonthsUntilMiss *float64
}

// First returns the smallest number of months, or nil if all are beyond the horizon.
func (o *Outlook) First() *float64 {
	var first *float64
	for _, at := range []*float64{o.MonthsUntilAtRisk, o.MonthsUntilMiss} {
		if at != nil && (first == nil || *at < *first) {
			first = at
		}
	}
	return first
}

// Text describes when the promise will be at risk or not hold. It contains dates if date, that of the assessment, is
// not zero.
func (o *Outlook) Text(date time.Time) string {
	switch {
	case o.First() != nil:
		return o.describeEnds(date)
	case o.HasGrowth:
		return "beyond " + wording.Months(o.HorizonMonths)
	}
	return "no growth rate"
}

func (o *Outlook) describeEnds(date time.Time) string {
	var parts []string
	if o.MonthsUntilAtRisk != nil && (o.MonthsUntilMiss == nil || *o.MonthsUntilAtRisk < *o.MonthsUntilMiss) {
		text := "at risk "
		if *o.MonthsUntilAtRisk == 0 {
			text += "today"
		} else {
			text += inMonths(date, *o.MonthsUntilAtRisk)
		}
		parts = append(parts, text)
	}
	switch {
	case o.MonthsUntilMiss == nil:
	case *o.MonthsUntilMiss == 0:
		parts = append(parts, "not today")
	default:
		parts = append(parts, "misses "+inMonths(date, *o.MonthsUntilMiss))
	}
	return strings.Join(parts, ", ")
}

// inMonths formats a time n months from now: "from January 2028" if the date of the review is known, else
// "in 14.2 months".
func inMonths(date time.Time, n float64) string {
	if date.IsZero() {
		return "in " + wording.Months(n)
	}
	const daysOfMonth = 365.2425 / 12
	return "from " + date.AddDate(0, 0, int(n*daysOfMonth)).Format("January 2006")
}
