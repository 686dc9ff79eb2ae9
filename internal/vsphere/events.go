// What vCenter's event log has about replication: each sync with its size, and each time that an RPO was not kept.
//
// The names of these events are known from community scripts, not from a vendor's reference. A vCenter without them is
// not an error: it has no events then.

package vsphere

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// The types of the events of vSphere Replication. Each is of a VM; those of syncs have one argument, the bytes that
// were transferred.
const (
	EventDelta       = "hbr.primary.DeltaCompletedEvent"
	EventAppDelta    = "hbr.primary.AppQuiescedDeltaCompletedEvent"
	EventFSDelta     = "hbr.primary.FSQuiescedDeltaCompletedEvent"
	EventFullSync    = "hbr.primary.SyncCompletedEvent"
	EventRPOViolated = "com.vmware.vcHms.rpoViolatedEvent"
	EventRPORestored = "com.vmware.vcHms.rpoRestoredEvent"
)

// eventTypes are what is asked for.
var eventTypes = []string{
	EventDelta, EventAppDelta, EventFSDelta, EventFullSync, EventRPOViolated, EventRPORestored,
}

const (
	// eventPage is the largest page that vCenter returns.
	eventPage = 1000
	// fewVMs are asked for one by one. For more, all events are read and those of other VMs are passed over.
	fewVMs = 16
	// firstSlice is the time that the first collector covers. Where that takes few pages, the next one covers twice as
	// much: what is open for long is lost with its session.
	firstSlice = 24 * time.Hour
	fewPages   = 16
)

// EventQuery asks for events of replication.
type EventQuery struct {
	// VMIDs limit the events to these VMs.
	VMIDs []string
	// From and To are by vCenter's clock, both included.
	From, To time.Time
	// Begin is called once, after the first page, when more is to come. An error ends the reading and is returned.
	Begin func(EventOutlook) error
}

// EventOutlook is how much there is to read, by the first page.
type EventOutlook struct {
	// Events and Requests are how many there are in all.
	Events, Requests int64
	// Duration is how long they take at the pace of the first page.
	Duration time.Duration
}

// ReplicationEvent is one event.
type ReplicationEvent struct {
	At         time.Time
	Type, VMID string
	// Bytes is the argument; 0 without one.
	Bytes int64
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
// sent. It costs a request for each 1,000 events, and three for each collector: one for each VM of up to 16, else one
// for each day, or for more where there are few events. Memory takes one page. Errors: ErrPermission, and that of
// Begin.
func (c *Client) ReplicationEvents(
	ctx context.Context,
	query EventQuery,
	each func(ReplicationEvent),
) (int64, error) {
	r := &eventReader{client: c, query: query, each: each, wanted: make(map[string]bool, len(query.VMIDs))}
	for _, id := range query.VMIDs {
		r.wanted[id] = true
	}
	if len(query.VMIDs) == 0 || query.To.Before(query.From) {
		return 0, nil
	}
	if len(query.VMIDs) <= fewVMs {
		for _, id := range query.VMIDs {
			r.last, r.seen = time.Time{}, nil
			if err := r.read(ctx, id, query.From, query.To); err != nil {
				return r.count, err
			}
		}
		return r.count, nil
	}
	length := firstSlice
	for from := query.From; !from.After(query.To); {
		to, pages := from.Add(length), r.pages
		if to.After(query.To) {
			to = query.To
		}
		if err := r.read(ctx, "", from, to); err != nil {
			return r.count, err
		}
		if to.Equal(query.To) {
			break
		}
		from = to
		if r.pages-pages <= fewPages {
			length *= 2
		}
	}
	return r.count, nil
}

// eventReader reads one slice of the log after the other, and knows where it was when a session ends.
type eventReader struct {
	client *Client
	query  EventQuery
	each   func(ReplicationEvent)
	wanted map[string]bool

	count, pages int64
	begun        bool // Begin was called
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
func (r *eventReader) collect(ctx context.Context, vim *vim25.Client, vmID string, from, to time.Time) error {
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
	collector, err := event.NewManager(vim).CreateCollectorForEvents(ctx, filter)
	if err != nil {
		return err
	}
	// A user has 32 collectors at a time. They end with the session at the latest, so a failure is not worth an error.
	defer func() { _ = collector.Destroy(context.WithoutCancel(ctx)) }()
	again := r.seen
	if !r.last.Equal(from) {
		again = nil
	}
	for {
		started := r.client.config.Now()
		rows, err := nextEvents(ctx, vim, collector.Reference())
		if err != nil || len(rows) == 0 {
			return err
		}
		r.pages++
		for _, row := range rows {
			if row.CreatedTime.Equal(from) && slices.Contains(again, row.Key) {
				continue
			}
			r.take(row)
		}
		if len(rows) < eventPage && r.pages == 1 {
			r.begun = true // it is all in one page, or the slices are that short
		}
		if r.begin(rows, r.client.config.Now().Sub(started)); r.refused != nil {
			return nil
		}
	}
}

// take passes an event on.
func (r *eventReader) take(row eventRow) {
	r.count++
	switch {
	case row.CreatedTime.After(r.last):
		r.last, r.seen = row.CreatedTime, append(r.seen[:0:0], row.Key)
	case row.CreatedTime.Equal(r.last):
		r.seen = append(r.seen, row.Key)
	}
	e := ReplicationEvent{At: row.CreatedTime, Type: row.EventTypeID, VMID: row.VM.VM.Value}
	if e.VMID == "" {
		e.VMID = row.ObjectID
	}
	for _, argument := range row.Arguments {
		if n, err := strconv.ParseInt(strings.TrimSpace(argument.Value), 10, 64); err == nil {
			e.Bytes = max(0, n)
			break
		}
	}
	if r.wanted[e.VMID] {
		r.each(e)
	}
}

// begin says once how much there is to read.
func (r *eventReader) begin(rows []eventRow, took time.Duration) {
	if r.begun || r.query.Begin == nil {
		return
	}
	r.begun = true
	first, last := rows[0].CreatedTime, rows[len(rows)-1].CreatedTime
	covered := max(last.Sub(first), time.Millisecond)
	pages := 1 + float64(r.query.To.Sub(last))/float64(covered)
	if len(r.query.VMIDs) <= fewVMs {
		pages *= float64(len(r.query.VMIDs))
	}
	r.refused = r.query.Begin(EventOutlook{
		Events:   int64(pages * float64(len(rows))),
		Requests: int64(pages) + 1,
		Duration: time.Duration(pages * float64(took)),
	})
}

// eventRow is what is read of an event: govmomi's own types take several times as long to decode.
type eventRow struct {
	Key         int32     `xml:"key"`
	CreatedTime time.Time `xml:"createdTime"`
	VM          struct {
		VM types.ManagedObjectReference `xml:"vm"`
	} `xml:"vm"`
	EventTypeID string `xml:"eventTypeId"`
	Arguments   []struct {
		Value string `xml:"value"`
	} `xml:"arguments"`
	ObjectID string `xml:"objectId"`
}

type nextEventsBody struct {
	Req *types.ReadNextEvents `xml:"urn:vim25 ReadNextEvents,omitempty"`
	Res *struct {
		Returnval []eventRow `xml:"returnval,omitempty"`
	} `xml:"ReadNextEventsResponse,omitempty"`
	Refusal *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

// Fault returns what vCenter refused.
func (b *nextEventsBody) Fault() *soap.Fault { return b.Refusal }

func nextEvents(
	ctx context.Context,
	vim *vim25.Client,
	collector types.ManagedObjectReference,
) ([]eventRow, error) {
	var answer nextEventsBody
	ask := nextEventsBody{Req: &types.ReadNextEvents{This: collector, MaxCount: eventPage}}
	if err := vim.RoundTrip(ctx, &ask, &answer); err != nil || answer.Res == nil {
		return nil, err
	}
	return answer.Res.Returnval, nil
}
