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

// Types of the events of vSphere Replication, as described by vCenter 6.7 to 8.0. Each event is of a VM. Sync events
// have one argument, the transferred bytes.
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
	// fewVMs is the number of VMs up to which each VM is queried separately. For more VMs, the first page of all events
	// decides which way takes fewer requests.
	fewVMs = 16
	// confirmations is the number of further empty pages that end a collector. perCollector is the number of requests
	// per collector besides its pages: create, the last two pages, and destroy.
	confirmations, perCollector = 1, 4
	// firstSlice is the period of the first collector. If it takes few pages, the next collector covers twice the
	// period. Slices are short because a collector is lost with its session.
	firstSlice = 24 * time.Hour
	// quiet is the largest gap between the newest event and the end of a slice that needs no check. For a larger gap,
	// one VM is queried. With more than 16 VMs, gaps are usually smaller.
	quiet    = 10 * time.Minute
	fewPages = 16
)

// EventQuery selects replication events.
type EventQuery struct {
	// VMIDs selects the VMs.
	VMIDs []string
	// From and To are times of vCenter's clock, both inclusive.
	From, To time.Time
	// Check is called after each page. If it returns an error, the reading stops and returns the error.
	Check func(EventOutlook) error
}

// EventOutlook estimates the remaining work from the part already read. Without an estimate only Elapsed is set.
type EventOutlook struct {
	// Events and Requests are estimated totals.
	Events, Requests int64
	// Duration is the estimated total time at the current pace, Elapsed the time so far.
	Duration, Elapsed time.Duration
}

// ReplicationEvent is an event of vSphere Replication.
type ReplicationEvent struct {
	At         time.Time
	Type, VMID string
	// Bytes is the argument of a sync, Minutes the duration of an RPO violation. Both are 0 without an argument.
	Bytes, Minutes int64
}

// Time returns the current time of vCenter.
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

// ReplicationEvents calls each for every event, ordered by time for each VM, and returns the number of events that
// vCenter sent.
//
// It sends one request per 1,000 events and four per collector. It uses one collector per VM for up to 16 VMs, if that
// is cheaper than reading all VMs, or if the account cannot read every object. Otherwise it uses one collector per day,
// or per longer period if there are few events, and another four requests for each period that ends long after its last
// event.
//
// Callers share the events of all VMs, up to 100,000. Memory holds these and one page. Errors: ErrPermission, and the
// error of Check.
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

// readAll reads the events of all VMs, one slice of time after the other. It stops when reading each VM separately is
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

// doubt queries one VM if the events of all VMs end long before the slice. Objects that the account may not read cause
// empty pages, which look like the end. If the VM has an event, the reader switches to one query per VM.
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

// eventReader reads the log in slices and remembers its position when a session ends.
type eventReader struct {
	client *Client
	query  EventQuery
	each   func(ReplicationEvent)
	wanted map[string]bool
	keep   func(ReplicationEvent) // called for every event if not nil

	started      time.Time
	count, pages int64
	hits         int64     // events of wanted VMs
	first        time.Time // time of the first event
	byEntity     bool      // query each VM separately
	readVMs      float64   // VMs already queried separately
	active       string    // the wanted VM of the newest event
	doubts       int
	refused      error
	// last is the time of the newest event. seen contains the keys of all events of that time.
	last time.Time
	seen []int32
}

// read reads the events of a VM, or of all VMs if vmID is empty. A retry continues at the last position.
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

// collect reads a collector to its end and destroys it.
//
// vCenter cuts a page before it drops events of objects that the account may not read (govmomi issue 3450). A page may
// therefore be short or empty although more events follow, so an empty page is confirmed by another one. If events were
// dropped, any number of pages may be empty, and the reader switches to one query per VM. Events of a readable VM are
// never dropped.
func (r *eventReader) collect(ctx context.Context, vim *vim25.Client, vmID string, from, to time.Time) error {
	collector, err := event.NewManager(vim).CreateCollectorForEvents(ctx, eventFilter(vmID, from, to))
	if err != nil {
		return err
	}
	// A user may have 32 collectors. They end with the session at the latest, so ignore a failure to destroy one.
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
