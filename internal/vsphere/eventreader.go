package vsphere

import (
	"context"
	"slices"
	"time"

	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	// eventPageSize is the maximum page size that vCenter supports.
	eventPageSize = 1000
	// confirmingPages is the number of additional empty pages that confirm the end of a collector.
	confirmingPages = 1
	// requestsPerCollector is the number of requests per collector in addition to its pages: create, two empty pages,
	// and destroy.
	requestsPerCollector = 4
	// initialSlice is the period covered by the first collector. Slices are short because a collector is lost when its
	// session ends.
	initialSlice = 24 * time.Hour
	// maxPagesToDouble is the maximum number of pages in a slice after which the length of slices is doubled.
	maxPagesToDouble = 16
	// maxQuietGap is the largest gap between the newest event and the end of a slice that needs no check. If the gap is
	// larger, one VM is queried to verify that no events are missing. With more than 16 VMs, gaps are usually smaller.
	maxQuietGap = 10 * time.Minute
)

// eventReader reads events in slices and remembers its position in case the session ends.
type eventReader struct {
	client      *Client
	query       EventQuery
	visit       func(ReplicationEvent)
	selectedVMs map[string]bool
	record      func(ReplicationEvent) // called for every event; can be nil

	started       time.Time
	count, pages  int64
	matches       int64 // events of selected VMs
	first         time.Time
	perVM         bool    // each VM is queried separately
	vmsRead       float64 // number of VMs already queried separately
	newestVM      string  // the selected VM with the newest event
	verifications int
	checkErr      error
	// lastTime is the time of the newest event. lastKeys contains the keys of all events at that time.
	lastTime time.Time
	lastKeys []int32
}

// readAll reads the events of all VMs, one time slice after another. It returns early if each VM has to be queried
// separately.
func (r *eventReader) readAll(ctx context.Context) error {
	length := initialSlice
	for from := r.query.From; !from.After(r.query.To); {
		to, pages := from.Add(length), r.pages
		if to.After(r.query.To) {
			to = r.query.To
		}
		if err := r.read(ctx, "", from, to); err != nil || r.perVM {
			return err
		}
		if err := r.verifyEnd(ctx, from, to); err != nil || r.perVM {
			return err
		}
		if to.Equal(r.query.To) {
			break
		}
		from = to
		if r.pages-pages <= maxPagesToDouble {
			length *= 2
		}
	}
	return nil
}

// verifyEnd queries one VM if the newest event is much older than the end of the slice. Objects that the account cannot
// read cause empty pages, which look like the end of the events. If the VM has further events, the reader switches to
// one query per VM.
func (r *eventReader) verifyEnd(ctx context.Context, from, to time.Time) error {
	newest := from
	if r.lastTime.After(from) {
		newest = r.lastTime
	}
	if to.Sub(newest) <= maxQuietGap {
		return nil
	}
	vm := r.newestVM
	if vm == "" {
		vm = r.query.VMIDs[r.verifications%len(r.query.VMIDs)]
	}
	r.verifications++
	probe := &eventReader{
		client:      r.client,
		query:       EventQuery{VMIDs: []string{vm}, From: newest, To: to},
		started:     r.started,
		selectedVMs: map[string]bool{vm: true},
		visit:       func(e ReplicationEvent) { r.perVM = r.perVM || e.At.After(newest) || !newest.Equal(r.lastTime) },
	}
	return probe.read(ctx, vm, newest, to)
}

func (r *eventReader) readSeparately(ctx context.Context) error {
	last, lastKeys := r.lastTime, r.lastKeys
	for i, id := range r.query.VMIDs {
		r.lastTime = last
		r.lastKeys = lastKeys
		r.vmsRead = float64(i)
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

// read reads the events of a VM, or of all VMs if vmID is empty. A retry continues where the previous attempt stopped.
func (r *eventReader) read(ctx context.Context, vmID string, from, to time.Time) error {
	err := r.client.withSOAP(ctx, "read replication events", func(ctx context.Context, vim *vim25.Client) error {
		begin := from
		if r.lastTime.After(from) {
			begin = r.lastTime
		}
		return r.collect(ctx, vim, vmID, begin, to)
	})
	if err == nil {
		err = r.checkErr
	}
	return err
}

// collect reads a collector to its end and destroys it.
//
// vCenter first divides the events into pages and then drops those of objects that the account cannot read (govmomi
// issue 3450). A page can therefore be short or empty although more events follow, so an empty page must be confirmed
// by another one. If events were dropped, any number of pages can be empty, so the reader switches to one query per VM.
// Events of a readable VM are never dropped.
func (r *eventReader) collect(ctx context.Context, vim *vim25.Client, vmID string, from, to time.Time) error {
	collector, err := event.NewManager(vim).CreateCollectorForEvents(ctx, eventFilter(vmID, from, to))
	if err != nil {
		return err
	}
	// Destroy the collector even after a failure, because a user can have only 32 of them.
	defer release(ctx, collector.Destroy)
	alreadyRead := r.lastKeys
	if !r.lastTime.Equal(from) {
		alreadyRead = nil
	}
	empty, short := 0, false
	for {
		rows, err := readEvents(ctx, vim, collector.Reference())
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if empty++; empty > confirmingPages {
				return nil
			}
			continue
		}
		dropped := empty > 0 || short
		empty, short = 0, len(rows) < eventPageSize
		r.pages++
		r.addNew(rows, from, alreadyRead)
		if r.checkEstimate(vmID, len(rows)); r.checkErr != nil {
			return nil
		}
		if vmID == "" && (dropped || r.pages == 1 && r.isCheaperPerVM()) {
			r.perVM = true
			return nil
		}
	}
}

func (r *eventReader) addNew(rows []eventRow, from time.Time, alreadyRead []int32) {
	for _, row := range rows {
		if !row.CreatedTime.Equal(from) || !slices.Contains(alreadyRead, row.Key) {
			r.add(row)
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

func (r *eventReader) add(row eventRow) {
	if r.count++; r.count == 1 {
		r.first = row.CreatedTime
	}
	switch {
	case row.CreatedTime.After(r.lastTime):
		r.lastTime, r.lastKeys = row.CreatedTime, append(r.lastKeys[:0:0], row.Key)
	case row.CreatedTime.Equal(r.lastTime):
		r.lastKeys = append(slices.Clip(r.lastKeys), row.Key)
	}
	e := row.event()
	if r.record != nil {
		r.record(e)
	}
	if r.selectedVMs[e.VMID] {
		r.matches++
		r.newestVM = e.VMID
		r.visit(e)
	}
}

func (r *eventReader) estimatePages() float64 {
	covered := max(r.lastTime.Sub(r.first), time.Millisecond)
	return float64(r.pages) * float64(r.query.To.Sub(r.first)) / float64(covered)
}

func (r *eventReader) isCheaperPerVM() bool {
	pages := r.estimatePages()
	own := pages * float64(r.matches) / float64(r.count)
	return float64(len(r.query.VMIDs)*requestsPerCollector)+own < pages
}

func (r *eventReader) checkEstimate(vmID string, rows int) {
	if r.query.Check == nil {
		return
	}
	o := EventEstimate{Elapsed: r.client.config.Now().Sub(r.started)}
	pages := 0.0
	switch {
	case vmID == "" && (rows == eventPageSize || r.pages > 1):
		pages = r.estimatePages()
	case vmID != "":
		pages = float64(r.pages) * float64(len(r.query.VMIDs)) / (r.vmsRead + 1)
	}
	if share := pages / float64(r.pages); share > 1 {
		o.Events = int64(share * float64(r.count))
		o.Requests = int64(pages) + 1
		o.Duration = time.Duration(share * float64(o.Elapsed))
	}
	r.checkErr = r.query.Check(o)
}
