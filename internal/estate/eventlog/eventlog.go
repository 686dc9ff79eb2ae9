// Package eventlog reads vCenter's event log of replication into histories.
package eventlog

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

// Unverified states how reliable the names of the events are; it is part of the documentation of every reader of them.
const Unverified = "The names of the events (`hbr.primary.DeltaCompletedEvent` and others) are known from community " +
	"scripts, not from a vendor's reference, and were not tried on a real vCenter. Where a vCenter has none of them, " +
	"everything is unknown."

// RangeReadMinutes is how long reading may take.
var RangeReadMinutes = plan.Range{Min: 0, Max: 1440, Above: true, Unit: "minutes"}

// DefaultReadMinutes is how long reading may take by default.
const DefaultReadMinutes = 30.0

var kinds = map[string]history.Kind{
	vsphere.EventDelta: history.Delta, vsphere.EventAppDelta: history.AppQuiescedDelta,
	vsphere.EventFSDelta: history.FSQuiescedDelta, vsphere.EventUnquiesced: history.UnquiescedDelta,
	vsphere.EventFullSync: history.FullSync, vsphere.EventRPOViolated: history.Violated,
	vsphere.EventRPORestored: history.Restored,
}

// Reading is what to read.
type Reading struct {
	VMIDs    []string
	From, To time.Time
	// Most is how long it may take.
	Most time.Duration
}

// TooLongError is a reading that takes too long: by what its first pages promise, or by what it has taken.
type TooLongError struct {
	Outlook vsphere.EventOutlook
	Most    time.Duration
}

// Error reports how long it would take.
func (e *TooLongError) Error() string {
	if e.Outlook.Elapsed > e.Most {
		return fmt.Sprintf("not been read after %s, and %s is the limit", quantity.Duration(e.Outlook.Elapsed.Seconds()),
			quantity.Duration(e.Most.Seconds()))
	}
	return fmt.Sprintf(
		"about %s events in %s requests would take %s at the pace so far, and %s is the limit",
		plan.Thousands(float64(e.Outlook.Events), 0),
		plan.Thousands(float64(e.Outlook.Requests), 0),
		quantity.Duration(e.Outlook.Duration.Seconds()),
		quantity.Duration(e.Most.Seconds()),
	)
}

// Read passes on the events and returns how many vCenter sent. The error is a *TooLongError, or one of vsphere.
func Read(ctx context.Context, c *vsphere.Client, of Reading, add func(vmID string, e history.Event)) (int64, error) {
	query := vsphere.EventQuery{
		VMIDs: of.VMIDs, From: of.From, To: of.To,
		Check: func(o vsphere.EventOutlook) error {
			tflog.Info(ctx, "reading events of replication", map[string]any{
				"events": o.Events, "requests": o.Requests, "seconds": o.Duration.Seconds(), "elapsed": o.Elapsed.Seconds(),
			})
			if max(o.Duration, o.Elapsed) > of.Most {
				return &TooLongError{Outlook: o, Most: of.Most}
			}
			return nil
		},
	}
	return c.ReplicationEvents(ctx, query, func(e vsphere.ReplicationEvent) {
		kind, known := kinds[e.Type]
		if !known {
			kind = history.Interrupted // all others that are asked for
		}
		add(e.VMID, history.Event{At: e.At, Kind: kind, Bytes: float64(e.Bytes), Minutes: float64(e.Minutes)})
	})
}
