package snapservice

// Period units.
const (
	Minute = "MINUTE"
	Hour   = "HOUR"
	Day    = "DAY"
	Week   = "WEEK"
	Month  = "MONTH"
	Year   = "YEAR"
)

// Period is a duration in its original unit, because months cannot be converted to minutes.
type Period struct {
	Unit     string `json:"unit"`
	Duration int64  `json:"duration"`
}

// Schedule is an interval. It differs from Period only in the JSON field names.
type Schedule struct {
	Unit     string `json:"unit"`
	Interval int64  `json:"interval"`
}

// Period returns the schedule as a period.
func (s Schedule) Period() Period { return Period{s.Unit, s.Interval} }

var minutesPerUnit = map[string]int64{Minute: 1, Hour: 60, Day: 1440, Week: 10080}

// Minutes returns the period in minutes. It returns false for months, years and unknown units.
func (p Period) Minutes() (int64, bool) {
	n, known := minutesPerUnit[p.Unit]
	return n * p.Duration, known
}

// Equal reports whether p and q have the same length. For example, 60 minutes equal one hour and 12 months equal one
// year, but 30 days do not equal one month.
func (p Period) Equal(q Period) bool {
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

func equalPeriods(a, b *Period) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
