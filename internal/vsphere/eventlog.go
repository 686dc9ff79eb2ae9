package vsphere

import (
	"context"
	"time"
)

const (
	// maxCachedEvents is the maximum number of cached events. 100,000 events take about 10 MiB.
	maxCachedEvents = 100_000
	// maxClockAge is the maximum age of a cached vCenter time. Caching it makes all periods of a run end at the same
	// time.
	maxClockAge = time.Minute
)

type clockReading struct{ vcenterTime, readAt time.Time }

// CachedTime returns a vCenter time that was read at most a minute ago. All callers share the same reading.
func (c *Client) CachedTime(ctx context.Context) (time.Time, error) {
	reading, err := c.clockReadings.GetIf(ctx, "", func(ctx context.Context) (clockReading, error) {
		now, err := c.Time(ctx)
		return clockReading{now, c.config.Now()}, err
	}, func(reading clockReading) bool { return c.config.Now().Sub(reading.readAt) <= maxClockAge })
	return reading.vcenterTime, err
}

// eventLog contains the events of all VMs in a period. It is not shared if there are more than maxCachedEvents, or if
// the reader switched to one query per VM.
type eventLog struct {
	from, to time.Time
	shared   bool
	count    int64
	events   []ReplicationEvent
	texts    map[string]string // interns strings
}

func (l *eventLog) add(e ReplicationEvent) {
	if !l.shared {
		return
	}
	if len(l.events) == maxCachedEvents {
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

// covers reports whether the log contains the query's period. It also returns true if the log is not shared, because a
// new one would not be shared either.
func (l *eventLog) covers(query EventQuery) bool {
	return !l.shared || !query.From.Before(l.from) && !query.To.After(l.to)
}

// readShared reads the events of all VMs, or takes them from a shared log. It returns false if each VM has to be
// queried separately.
func (r *eventReader) readShared(ctx context.Context) (complete bool, err error) {
	isReader := false
	l, err := r.client.eventLogs.GetIf(ctx, "", func(ctx context.Context) (*eventLog, error) {
		isReader = true
		l := &eventLog{from: r.query.From, to: r.query.To, shared: true, texts: make(map[string]string)}
		r.record = l.add
		err := r.readAll(ctx)
		r.record, l.texts = nil, nil
		l.count, l.shared = r.count, l.shared && !r.perVM
		if !l.shared {
			l.events = nil
		}
		return l, err
	}, func(l *eventLog) bool { return l.covers(r.query) })
	switch {
	case isReader || err != nil:
		return !r.perVM, err
	case !l.shared:
		err := r.readAll(ctx)
		return !r.perVM, err
	}
	r.count = l.count
	for _, e := range l.events {
		if r.selectedVMs[e.VMID] && !e.At.Before(r.query.From) && !e.At.After(r.query.To) {
			r.visit(e)
		}
	}
	return true, nil
}
