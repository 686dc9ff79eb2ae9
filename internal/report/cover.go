package report

import (
	"time"
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
