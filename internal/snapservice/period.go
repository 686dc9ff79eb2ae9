// Periods: the unit that is read back may differ from the unit that was sent.

package snapservice

// The units of periods.
const (
	Minute = "MINUTE"
	Hour   = "HOUR"
	Day    = "DAY"
	Week   = "WEEK"
	Month  = "MONTH"
	Year   = "YEAR"
)

// Period is a length of time in the unit in which it was set: months are not minutes.
type Period struct {
	Unit     string `json:"unit"`
	Duration int64  `json:"duration"`
}

// Schedule is how often something is done, in the API's other notation of a period.
type Schedule struct {
	Unit     string `json:"unit"`
	Interval int64  `json:"interval"`
}

// Period returns the schedule as a period.
func (s Schedule) Period() Period { return Period{s.Unit, s.Interval} }

// minutesOf has the units up to weeks.
var minutesOf = map[string]int64{Minute: 1, Hour: 60, Day: 1440, Week: 10080}

// Minutes returns a period of minutes, hours, days or weeks in minutes; false for other units, those of later releases
// included.
func (p Period) Minutes() (int64, bool) {
	n, known := minutesOf[p.Unit]
	return n * p.Duration, known
}

// Same reports whether two periods have the same length: 60 minutes are an hour, 12 months a year, and 30 days are no
// month.
func (p Period) Same(q Period) bool {
	months := func(p Period) (int64, bool) {
		switch p.Unit {
		case Month:
			return p.Duration, true
		case Year:
			return 12 * p.Duration, true
		}
		return 0, false
	}
	if a, ok := p.Minutes(); ok {
		b, ok := q.Minutes()
		return ok && a == b
	}
	if a, ok := months(p); ok {
		b, ok := months(q)
		return ok && a == b
	}
	return p == q
}

func samePeriod(a, b *Period) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Same(*b)
}
