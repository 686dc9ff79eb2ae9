package eventlog

import (
	"context"
	"fmt"
	"strconv"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/vsphere"
)

// Retention is vCenter's retention of events.
type Retention struct {
	// Days is 0 if events are kept for ever or the setting cannot be read.
	Days float64
	text string
}

// ReadRetention reads the settings with two requests. Unreadable settings are not an error.
func ReadRetention(ctx context.Context, c *vsphere.Client) Retention {
	const age, on = "event.maxAge", "event.maxAgeEnabled"
	enabled, _, err := c.Setting(ctx, on)
	if err == nil && enabled == "false" {
		return Retention{text: "it keeps all events: " + on + " is false"}
	}
	value, set, err := c.Setting(ctx, age)
	days, invalid := strconv.ParseFloat(value, 64)
	if err != nil || !set || invalid != nil {
		return Retention{text: "its retention of events, " + age + ", could not be read"}
	}
	return Retention{Days: days, text: fmt.Sprintf("it keeps events for %s days: %s", value, age)}
}

// String describes the retention, as part of a sentence about vCenter.
func (r Retention) String() string { return r.text }

// Covers reports whether all events of the last hours can exist.
func (r Retention) Covers(hours float64) bool {
	return r.Days == 0 || hours <= r.Days*calculator.HoursPerDay
}
