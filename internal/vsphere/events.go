package vsphere

import (
	"context"
	"slices"
	"time"
)

// vSphere Replication event types, as described by vCenter 6.7 to 8.0. Each event belongs to a VM. Sync events have one
// argument, the number of bytes transferred.
const (
	EventDelta       = "hbr.primary.DeltaCompletedEvent"
	EventAppDelta    = "hbr.primary.AppQuiescedDeltaCompletedEvent"
	EventFSDelta     = "hbr.primary.FSQuiescedDeltaCompletedEvent"
	EventUnquiesced  = "hbr.primary.UnquiescedDeltaCompletedEvent"
	EventFullSync    = "hbr.primary.SyncCompletedEvent"
	EventRPOViolated = "com.vmware.vcHms.rpoViolatedEvent"
	EventRPORestored = "com.vmware.vcHms.rpoRestoredEvent"
)

// EventInterruptions contains the event types that explain a missing sync.
var EventInterruptions = []string{
	"hbr.primary.DeltaAbortedEvent",
	"hbr.primary.SystemPausedReplication",
	"hbr.primary.VmReplicationConfigurationChangedEvent",
	"hbr.primary.FailedToStartDeltaEvent",
	"hbr.primary.FailedToStartSyncEvent",
}

var eventTypes = slices.Concat([]string{
	EventDelta,
	EventAppDelta,
	EventFSDelta,
	EventUnquiesced,
	EventFullSync,
	EventRPOViolated,
	EventRPORestored,
}, EventInterruptions)

// maxSeparateVMs is the maximum number of VMs that are always queried separately. If there are more, the first page of
// all events determines which method takes fewer requests.
const maxSeparateVMs = 16

// EventQuery selects replication events.
type EventQuery struct {
	VMIDs []string
	// From and To are vCenter times, and both are inclusive.
	From, To time.Time
	// Check is called after each page. If it returns an error, reading stops and the error is returned.
	Check func(EventEstimate) error
}

// EventEstimate estimates the total work from the pages read so far. If there is no estimate yet, only Elapsed is set.
type EventEstimate struct {
	// Events and Requests are estimated totals.
	Events, Requests int64
	// Duration is the estimated total time at the current pace. Elapsed is the time so far.
	Duration, Elapsed time.Duration
}

// ReplicationEvent is a vSphere Replication event.
type ReplicationEvent struct {
	At         time.Time
	Type, VMID string
	// Bytes is the number of bytes that a sync transferred. Minutes is the duration of an RPO violation. Each is 0 if
	// the event has no such argument.
	Bytes, Minutes int64
}

// ReplicationEvents calls visit for each event of the selected VMs, in chronological order per VM, and returns the
// number of events that vCenter sent.
//
// It sends one request per 1,000 events and four per collector. It uses one collector per VM if there are at most 16
// VMs, if that takes fewer requests than reading the events of all VMs, or if the account cannot read every object.
// Otherwise, it uses one collector per day, or per longer period if there are few events. A period that ends long after
// its last event takes four more requests.
//
// Callers share up to 100,000 events of all VMs. Only these events and one page are kept in memory. Errors:
// ErrPermission, and any error from Check.
func (c *Client) ReplicationEvents(ctx context.Context, query EventQuery, visit func(ReplicationEvent)) (int64, error) {
	if len(query.VMIDs) == 0 || query.To.Before(query.From) {
		return 0, nil
	}
	r := &eventReader{
		client:      c,
		query:       query,
		visit:       visit,
		selectedVMs: make(map[string]bool, len(query.VMIDs)),
		started:     c.config.Now(),
		perVM:       len(query.VMIDs) <= maxSeparateVMs,
	}
	for _, id := range query.VMIDs {
		r.selectedVMs[id] = true
	}
	if !r.perVM {
		access, err := c.InventoryAccess(ctx)
		if err != nil {
			return 0, err
		}
		r.perVM = access.UnprovenReason != ""
	}
	if !r.perVM {
		complete, err := r.readShared(ctx)
		if err != nil || complete {
			return r.count, err
		}
	}
	return r.count, r.readSeparately(ctx)
}
