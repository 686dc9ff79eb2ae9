// One reading of all events for the data sources of a run.

package vsphere

import (
	"context"
	"time"
)

const (
	// keptEvents is how many events of a reading are kept for other callers: some 10 MiB.
	keptEvents = 100_000
	// presentAge is how old vCenter's time may be, so that the periods of a run end at the same moment.
	presentAge = time.Minute
)

// clockReading is vCenter's time, and when it was read.
type clockReading struct{ time, read time.Time }

// Present returns vCenter's time as it was read at most a minute ago: callers of one run share it.
func (c *Client) Present(ctx context.Context) (time.Time, error) {
	p, err := c.presents.GetIf(ctx, "", func(ctx context.Context) (clockReading, error) {
		now, err := c.Time(ctx)
		return clockReading{now, c.config.Now()}, err
	}, func(p clockReading) bool { return c.config.Now().Sub(p.read) <= presentAge })
	return p.time, err
}

// eventLog has the events of all VMs in a period. It is not shared where they are too many, or were not all read.
type eventLog struct {
	from, to time.Time
	shared   bool
	count    int64
	events   []ReplicationEvent
	texts    map[string]string // by themselves, so that each is stored once
}

// keep adds an event.
func (l *eventLog) keep(e ReplicationEvent) {
	if !l.shared {
		return
	}
	if len(l.events) == keptEvents {
		l.shared, l.events = false, nil
		return
	}
	for _, text := range []*string{&e.Type, &e.VMID} {
		if known, ok := l.texts[*text]; ok {
			*text = known
		} else {
			l.texts[*text] = *text
		}
	}
	l.events = append(l.events, e)
}

// covers reports whether the log has all that a query asks for, or is not shared.
func (l *eventLog) covers(query EventQuery) bool {
	return !l.shared || !query.From.Before(l.from) && !query.To.After(l.to)
}

// shareAll reads the events of all VMs, which the callers that ask at the same time or later share.
func (r *eventReader) shareAll(ctx context.Context) error {
	own := false
	l, err := r.client.eventLogs.GetIf(ctx, "", func(ctx context.Context) (*eventLog, error) {
		own = true
		l := &eventLog{from: r.query.From, to: r.query.To, shared: true, texts: make(map[string]string)}
		r.keep = l.keep
		err := r.readAll(ctx)
		r.keep, l.texts = nil, nil
		l.count, l.shared = r.count, l.shared && !r.byEntity
		if !l.shared {
			l.events = nil
		}
		return l, err
	}, func(l *eventLog) bool { return l.covers(r.query) })
	switch {
	case own || err != nil:
		return err
	case !l.shared:
		return r.readAll(ctx)
	}
	r.count = l.count
	for _, e := range l.events {
		if r.wanted[e.VMID] && !e.At.Before(r.query.From) && !e.At.After(r.query.To) {
			r.each(e)
		}
	}
	return nil
}
