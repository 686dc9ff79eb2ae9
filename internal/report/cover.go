// The cover: the subject of the meeting, and the date and source of its page.

package report

import (
	"fmt"
	"time"
)

// Cover is the user's description of the review; every field may be empty.
type Cover struct {
	Title, Author string
	// Date is the day of the review. Zero is the day of the plan, or none.
	Date time.Time
	// Version is that of the program.
	Version string
	// Decision is the question for the meeting; empty derives it from the results.
	Decision string
	// Changes are what changed since an earlier plan or state; nil without one.
	Changes *Changes
}

// defaultTitle is the title of a review without one.
const defaultTitle = "Capacity review"

// date returns the day of the review, zero if it is unknown. A plan has the time at which it was made.
func (c Cover) date(d *Document) time.Time {
	if !c.Date.IsZero() {
		return c.Date
	}
	made, err := time.Parse(time.RFC3339, d.extra.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return made.UTC()
}

// inMonths returns the time of an event in words: "after 14.2 months", with the month of the calendar if the day of the
// review is known.
func inMonths(date time.Time, n float64) string {
	text := "after " + months(n)
	if date.IsZero() {
		return text
	}
	const daysOfMonth = 365.2425 / 12
	return fmt.Sprintf("%s (%s)", text, date.AddDate(0, 0, int(n*daysOfMonth)).Format("January 2006"))
}
