// Package eventlog reads replication events from vCenter and converts them to the events of package history.
package eventlog

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

// Unverified is a note for the documentation. It states that the event names have not been verified.
const Unverified = "The event names (`hbr.primary.DeltaCompletedEvent` and others) come from community scripts, not " +
	"from vendor documentation, and have not been tested against a real vCenter. If a vCenter does not report these " +
	"events, all results are unknown."

// RangeReadMinutes is the valid range of the time limit for a read.
var RangeReadMinutes = plan.Range{Min: 0, Max: 1440, Above: true, Unit: "minutes"}

// DefaultReadMinutes is the default time limit for a read.
const DefaultReadMinutes = 30.0

var kindByType = map[string]history.Kind{
	vsphere.EventDelta:       history.Delta,
	vsphere.EventAppDelta:    history.AppQuiescedDelta,
	vsphere.EventFSDelta:     history.FSQuiescedDelta,
	vsphere.EventUnquiesced:  history.UnquiescedDelta,
	vsphere.EventFullSync:    history.FullSync,
	vsphere.EventRPOViolated: history.Violated,
	vsphere.EventRPORestored: history.Restored,
}

// Query selects the events to read.
type Query struct {
	VMIDs     []string
	From, To  time.Time
	TimeLimit time.Duration
}

// TooLongError reports that the read takes, or is projected to take, longer than the limit.
type TooLongError struct {
	Estimate vsphere.EventEstimate
	Limit    time.Duration
}

// Error returns the limit and the duration that exceeds it.
func (e *TooLongError) Error() string {
	if e.Estimate.Elapsed > e.Limit {
		return fmt.Sprintf("reading has already taken %s, but the limit is %s",
			quantity.Duration(e.Estimate.Elapsed.Seconds()), quantity.Duration(e.Limit.Seconds()))
	}
	return fmt.Sprintf("about %s events in %s requests would take %s at the current rate, but the limit is %s",
		plan.Thousands(float64(e.Estimate.Events), 0), plan.Thousands(float64(e.Estimate.Requests), 0),
		quantity.Duration(e.Estimate.Duration.Seconds()), quantity.Duration(e.Limit.Seconds()))
}

// Read calls add for each event and returns the number of events that vCenter has returned. The error is a
// *TooLongError or an error from package vsphere.
func Read(ctx context.Context, c *vsphere.Client, q Query, add func(vmID string, e history.Event)) (int64, error) {
	query := vsphere.EventQuery{
		VMIDs: q.VMIDs,
		From:  q.From,
		To:    q.To,
		Check: func(o vsphere.EventEstimate) error {
			tflog.Info(ctx, "reading replication events", map[string]any{
				"events":   o.Events,
				"requests": o.Requests,
				"seconds":  o.Duration.Seconds(),
				"elapsed":  o.Elapsed.Seconds(),
			})
			if max(o.Duration, o.Elapsed) > q.TimeLimit {
				return &TooLongError{Estimate: o, Limit: q.TimeLimit}
			}
			return nil
		},
	}
	return c.ReplicationEvents(ctx, query, func(e vsphere.ReplicationEvent) {
		kind, known := kindByType[e.Type]
		if !known {
			kind = history.Interrupted
		}
		add(e.VMID, history.Event{At: e.At, Kind: kind, Bytes: float64(e.Bytes), Minutes: float64(e.Minutes)})
	})
}

// Retention is how long vCenter keeps events.
type Retention struct {
	// Days is the retention period, or 0 if events are kept forever or the setting cannot be read.
	Days float64
	text string
}

// ReadRetention reads the retention settings in two requests. Unreadable settings are not an error.
func ReadRetention(ctx context.Context, c *vsphere.Client) Retention {
	const ageSetting, enabledSetting = "event.maxAge", "event.maxAgeEnabled"
	enabled, _, err := c.Setting(ctx, enabledSetting)
	if err == nil && enabled == "false" {
		return Retention{text: "it keeps all events: " + enabledSetting + " is false"}
	}
	value, set, err := c.Setting(ctx, ageSetting)
	days, invalid := strconv.ParseFloat(value, 64)
	if err != nil || !set || invalid != nil {
		return Retention{text: "its event retention is unknown: " + ageSetting}
	}
	return Retention{Days: days, text: fmt.Sprintf("it keeps events for %s days: %s", value, ageSetting)}
}

// String returns a clause about vCenter, such as "it keeps events for 30 days: event.maxAge".
func (r Retention) String() string { return r.text }

// Covers reports whether the retention period is at least the given number of hours. An unknown period is considered
// sufficient.
func (r Retention) Covers(hours float64) bool {
	return r.Days == 0 || hours <= r.Days*calculator.HoursPerDay
}
