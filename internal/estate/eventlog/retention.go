package eventlog

import (
	"context"
	"fmt"
	"strconv"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/vsphere"
)

// Retention is how long vCenter keeps events, by its settings.
type Retention struct {
	// Days is 0 if events are kept for ever, or if the setting cannot be read.
	Days float64
	text string
}

// ReadRetention reads the settings: two requests. What cannot be read is not known, and no error.
func ReadRetention(ctx context.Context, c *vsphere.Client) Retention {
	const age, on = "event.maxAge", "event.maxAgeEnabled"
	enabled, _, err := c.Setting(ctx, on)
	if err == nil && enabled == "false" {
		return Retention{text: "it keeps all: " + on + " is false"}
	}
	value, set, err := c.Setting(ctx, age)
	days, invalid := strconv.ParseFloat(value, 64)
	if err != nil || !set || invalid != nil {
		return Retention{text: "how long it keeps events, " + age + ", could not be read"}
	}
	return Retention{Days: days, text: fmt.Sprintf("it keeps them for %s days: %s", value, age)}
}

// String says how long vCenter keeps events, as part of a sentence about it.
func (r Retention) String() string { return r.text }

// Covers reports whether the events of so many hours can all be there.
func (r Retention) Covers(hours float64) bool {
	return r.Days == 0 || hours <= r.Days*calculator.HoursPerDay
}
