package report

import (
	"time"

	"terraform-provider-vsla/internal/wording"
)

// Cover contains the user's settings for a review. All fields are optional.
type Cover struct {
	Title, Author string
	// Date is the day of the review. The default is the day on which the plan was created, if known.
	Date    time.Time
	Version string
	// Decision is the question for the meeting; empty for none.
	Decision string
	// Notes contains notes on the whole document in addition to its own.
	Notes []string
	// Changes contains the changes since an earlier plan or state; nil for no comparison.
	Changes *Changes
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
