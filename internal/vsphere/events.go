package vsphere

import (
	"context"
	"slices"
	"time"

	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// The types of the events of vSphere Replication, as vCenter 6.7 to 8.0 describes them itself. Each is of a VM; those
// of syncs have one argument, the bytes that were transferred.
const (
	EventDelta       = "hbr.primary.DeltaCompletedEvent"
	EventAppDelta    = "hbr.primary.AppQuiescedDeltaCompletedEvent"
	EventFSDelta     = "hbr.primary.FSQuiescedDeltaCompletedEvent"
	EventUnquiesced  = "hbr.primary.UnquiescedDeltaCompletedEvent"
	EventFullSync    = "hbr.primary.SyncCompletedEvent"
	EventRPOViolated = "com.vmware.vcHms.rpoViolatedEvent"
	EventRPORestored = "com.vmware.vcHms.rpoRestoredEvent"
)

// EventInterruptions explain why a sync is missing.
var EventInterruptions = []string{
	"hbr.primary.DeltaAbortedEvent", "hbr.primary.SystemPausedReplication",
	"hbr.primary.VmReplicationConfigurationChangedEvent", "hbr.primary.FailedToStartDeltaEvent",
	"hbr.primary.FailedToStartSyncEvent",
}

var eventTypes = slices.Concat([]string{
	EventDelta, EventAppDelta, EventFSDelta, EventUnquiesced, EventFullSync, EventRPOViolated, EventRPORestored,
}, EventInterruptions)

const (
	// eventPage is the largest page that vCenter returns.
	eventPage = 1000
	// fewVMs are asked for one by one. For more, the first page of all events decides which takes fewer requests.
	fewVMs = 16
	// confirmations are the empty pages after an empty one that end a collector, perCollector the requests that it costs
	// beyond its pages: to create it, its last two pages, and to destroy it.
	confirmations, perCollector = 1, 4
	// firstSlice is the time that the first collector covers. Where that takes few pages, the next one covers twice as
	// much: a collector that is open for long is lost with its session.
	firstSlice = 24 * time.Hour
	// quiet is how long before the end of a slice its events may end: of more than 16 VMs one syncs more often, or is
	// asked for.
	quiet    = 10 * time.Minute
	fewPages = 16
)

// EventQuery asks for events of replication.
type EventQuery struct {
	// VMIDs limit the events to these VMs.
	VMIDs []string
	// From and To are by vCenter's clock, both included.
	From, To time.Time
	// Check is called after each page. An error ends the reading and is returned.
	Check func(EventOutlook) error
}

// EventOutlook estimates the amount to read from the part that was read. Without an estimate only Elapsed is set.
type EventOutlook struct {
	// Events and Requests are the estimated totals.
	Events, Requests int64
	// Duration is how long they take at the pace so far, Elapsed how long it has taken.
	Duration, Elapsed time.Duration
}

// ReplicationEvent is one event.
type ReplicationEvent struct {
	At         time.Time
	Type, VMID string
	// Bytes is the argument of a sync, Minutes that of a violation: how long it has lasted. 0 without an argument.
	Bytes, Minutes int64
}

// Time returns vCenter's time.
func (c *Client) Time(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := c.withSOAP(ctx, "read the time", func(ctx context.Context, vim *vim25.Client) error {
		read, err := methods.GetCurrentTime(ctx, vim)
		if err == nil {
			now = *read
		}
		return err
	})
	return now, err
}

// ReplicationEvents passes on the events, those of each VM in the order of their times, and returns how many vCenter
// sent. It costs a request for each 1,000 events, and four for each collector: one for each VM of up to 16, of all VMs
// where that is cheaper, and where the account does not read every object; else one for each day, or for more where
// there are few events, and four for each of these whose events end before it does. Callers share the reading of all
// VMs, of up to 100,000 events; memory takes these and a page. Errors: ErrPermission, and that of Check.
func (c *Client) ReplicationEvents(ctx context.Context, query EventQuery, each func(ReplicationEvent)) (int64, error) {
	if len(query.VMIDs) == 0 || query.To.Before(query.From) {
		return 0, nil
	}
	r := &eventReader{
		client: c, query: query, each: each, wanted: make(map[string]bool, len(query.VMIDs)),
		started: c.config.Now(), byEntity: len(query.VMIDs) <= fewVMs,
	}
	for _, id := range query.VMIDs {
		r.wanted[id] = true
	}
	if !r.byEntity {
		reach, err := c.Reach(ctx)
		if err != nil {
			return 0, err
		}
		r.byEntity = reach.Unproven != ""
	}
	if !r.byEntity {
		if err := r.shareAll(ctx); err != nil || !r.byEntity {
			return r.count, err
		}
	}
	return r.count, r.readEach(ctx)
}

// readAll reads the events of all VMs, one slice of time after the other, until it turns out that asking for each VM is
// better.
func (r *eventReader) readAll(ctx context.Context) error {
	length := firstSlice
	for from := r.query.From; !from.After(r.query.To); {
		to, pages := from.Add(length), r.pages
		if to.After(r.query.To) {
			to = r.query.To
		}
		if err := r.read(ctx, "", from, to); err != nil || r.byEntity {
			return err
		}
		if err := r.doubt(ctx, from, to); err != nil || r.byEntity {
			return err
		}
		if to.Equal(r.query.To) {
			break
		}
		from = to
		if r.pages-pages <= fewPages {
			length *= 2
		}
	}
	return nil
}

// doubt asks for one VM by itself if the events of all end long before the slice does: with objects that the account
// may not read, empty pages without an end look like the end. An event of the VM means that all ask for themselves from
// here.
func (r *eventReader) doubt(ctx context.Context, from, to time.Time) error {
	newest := from
	if r.last.After(from) {
		newest = r.last
	}
	if to.Sub(newest) <= quiet {
		return nil
	}
	vm := r.active
	if vm == "" {
		vm = r.query.VMIDs[r.doubts%len(r.query.VMIDs)]
	}
	r.doubts++
	one := &eventReader{
		client: r.client, query: EventQuery{VMIDs: []string{vm}, From: newest, To: to}, started: r.started,
		wanted: map[string]bool{vm: true},
		each:   func(e ReplicationEvent) { r.byEntity = r.byEntity || e.At.After(newest) || !newest.Equal(r.last) },
	}
	return one.read(ctx, vm, newest, to)
}

func (r *eventReader) readEach(ctx context.Context) error {
	last, seen := r.last, r.seen
	for i, id := range r.query.VMIDs {
		r.last, r.seen, r.readVMs = last, seen, float64(i)
		from := r.query.From
		if last.After(from) {
			from = last
		}
		if err := r.read(ctx, id, from, r.query.To); err != nil {
			return err
		}
	}
	return nil
}

// eventReader reads one slice of the log after the other, and knows where it was when a session ends.
type eventReader struct {
	client *Client
	query  EventQuery
	each   func(ReplicationEvent)
	wanted map[string]bool
	keep   func(ReplicationEvent) // takes every event; nil for none

	started      time.Time
	count, pages int64
	hits         int64     // events of wanted VMs
	first        time.Time // of the first event
	byEntity     bool      // each VM is asked for by itself
	readVMs      float64   // VMs that were read by themselves
	active       string    // the wanted VM of the newest event
	doubts       int
	refused      error
	// last is the time of the newest event, seen are the keys of all events of that time.
	last time.Time
	seen []int32
}

// read reads the events of a VM, or with "" of all. A reading that is repeated continues where it was.
func (r *eventReader) read(ctx context.Context, vmID string, from, to time.Time) error {
	err := r.client.withSOAP(
		ctx,
		"read events of replication",
		func(ctx context.Context, vim *vim25.Client) error {
			begin := from
			if r.last.After(from) {
				begin = r.last
			}
			return r.collect(ctx, vim, vmID, begin, to)
		},
	)
	if err == nil {
		err = r.refused
	}
	return err
}

// collect reads one collector to its end, and closes it.
//
// vCenter drops events of objects that the account may not read after it has cut a page (govmomi issue 3450), so a page
// comes short or empty though more is to come: an empty one is confirmed by another. Where something was dropped, any
// number of pages may be empty, and each VM is asked for by itself: nothing of a VM that can be read is dropped.
func (r *eventReader) collect(ctx context.Context, vim *vim25.Client, vmID string, from, to time.Time) error {
	collector, err := event.NewManager(vim).CreateCollectorForEvents(ctx, eventFilter(vmID, from, to))
	if err != nil {
		return err
	}
	// A user has 32 collectors at a time. They end with the session at the latest, so a failure is not worth an error.
	defer release(ctx, collector.Destroy)
	again := r.seen
	if !r.last.Equal(from) {
		again = nil
	}
	empty, short := 0, false
	for {
		rows, err := nextEvents(ctx, vim, collector.Reference())
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if empty++; empty > confirmations {
				return nil
			}
			continue
		}
		dropped := empty > 0 || short
		empty, short = 0, len(rows) < eventPage
		r.pages++
		r.takeNew(rows, from, again)
		if r.check(vmID, len(rows)); r.refused != nil {
			return nil
		}
		if vmID == "" && (dropped || r.pages == 1 && r.cheaperEach()) {
			r.byEntity = true
			return nil
		}
	}
}

func (r *eventReader) takeNew(rows []eventRow, from time.Time, again []int32) {
	for _, row := range rows {
		if !row.CreatedTime.Equal(from) || !slices.Contains(again, row.Key) {
			r.take(row)
		}
	}
}

func eventFilter(vmID string, from, to time.Time) types.EventFilterSpec {
	filter := types.EventFilterSpec{
		EventTypeId:        eventTypes,
		Time:               &types.EventFilterSpecByTime{BeginTime: &from, EndTime: &to},
		DisableFullMessage: new(true),
	}
	if vmID != "" {
		filter.Entity = &types.EventFilterSpecByEntity{
			Entity:    types.ManagedObjectReference{Type: vmType, Value: vmID},
			Recursion: types.EventFilterSpecRecursionOptionSelf,
		}
	}
	return filter
}

func (r *eventReader) take(row eventRow) {
	if r.count++; r.count == 1 {
		r.first = row.CreatedTime
	}
	switch {
	case row.CreatedTime.After(r.last):
		r.last, r.seen = row.CreatedTime, append(r.seen[:0:0], row.Key)
	case row.CreatedTime.Equal(r.last):
		r.seen = append(slices.Clip(r.seen), row.Key)
	}
	e := row.event()
	if r.keep != nil {
		r.keep(e)
	}
	if r.wanted[e.VMID] {
		r.hits++
		r.active = e.VMID
		r.each(e)
	}
}

func (r *eventReader) allPages() float64 {
	covered := max(r.last.Sub(r.first), time.Millisecond)
	return float64(r.pages) * float64(r.query.To.Sub(r.first)) / float64(covered)
}

func (r *eventReader) cheaperEach() bool {
	pages := r.allPages()
	own := pages * float64(r.hits) / float64(r.count)
	return float64(len(r.query.VMIDs)*perCollector)+own < pages
}

func (r *eventReader) check(vmID string, rows int) {
	if r.query.Check == nil {
		return
	}
	o := EventOutlook{Elapsed: r.client.config.Now().Sub(r.started)}
	pages := 0.0
	switch {
	case vmID == "" && (rows == eventPage || r.pages > 1):
		pages = r.allPages()
	case vmID != "":
		pages = float64(r.pages) * float64(len(r.query.VMIDs)) / (r.readVMs + 1)
	}
	if share := pages / float64(r.pages); share > 1 {
		o.Events = int64(share * float64(r.count))
		o.Requests = int64(pages) + 1
		o.Duration = time.Duration(share * float64(o.Elapsed))
	}
	r.refused = r.query.Check(o)
}
