// The listing of all replications that all callers share, and the proof that a replication absent from it is gone:
// see docs/adr/0008-reading-replications.md.

package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"terraform-provider-vsla/internal/transport/reading"
)

// listing is one reading of all replications of a pairing.
type listing struct {
	replications []Replication
	// incomplete maps an id to what its entry lacks.
	incomplete map[string]error
	at         time.Time
	// begun is the client's tick at which the reading began.
	begun int64
	// sessions are those from before the reading, as sessionNames returns them. They are the same after it if it is
	// proven.
	sessions string
	proof    reading.Shared[bool]
}

// tick orders changes and readings.
func (c *Client) tick() int64 { return c.ticks.Add(1) }

// changed notes that this client has changed an object, a VM or a replication. Earlier readings of it are stale.
func (c *Client) changed(object string) {
	at := c.tick()
	c.changes.Store(object, at)
	c.changes.Store(AnyVM, at)
}

// changedAt is the tick of an object's last change; 0 without one.
func (c *Client) changedAt(object string) int64 {
	at, _ := c.changes.Load(object)
	tick, _ := at.(int64)
	return tick
}

// listing returns a reading that began after this client last changed the object, and is not older than age.
func (c *Client) listing(ctx context.Context, pairing, object string, age time.Duration) (*listing, error) {
	called := c.ticks.Load()
	after := c.changedAt(object)
	return c.listings.GetIf(ctx, pairing,
		func(ctx context.Context) (*listing, error) { return c.readListing(ctx, pairing) },
		func(l *listing) bool {
			// One that began after the call is taken however long it took to read.
			return l.begun > after && (l.begun > called || c.config.Now().Sub(l.at) <= age)
		})
}

// readListing reads all replications, and again when something is missing of one and the remote session turns out to
// have ended since: the gateway then omits what it cannot see, without a notice.
func (c *Client) readListing(ctx context.Context, pairing string) (*listing, error) {
	for range readings {
		before, err := c.sessionNames(ctx, pairing)
		if err != nil {
			return nil, err
		}
		l, err := c.search(ctx, pairing, nil)
		if err != nil {
			return nil, err
		}
		l.sessions = before
		if len(l.incomplete) == 0 {
			return l, nil
		}
		switch proven, err := c.proven(ctx, pairing, l); {
		case err != nil:
			return nil, err
		case proven:
			maps.DeleteFunc(l.incomplete, func(_ string, err error) bool { return tolerated(err) == nil })
			return l, nil
		}
	}
	return nil, fmt.Errorf(
		"list replications of pairing %s: %w: the remote session ends again and again",
		pairing,
		ErrRemote,
	)
}

// proven reports whether the sessions lasted all the time while the listing was read, so that a replication absent from
// it does not exist. The gateway is asked once for all callers.
func (c *Client) proven(ctx context.Context, pairing string, l *listing) (bool, error) {
	return l.proof.Get(ctx, "", func(ctx context.Context) (bool, error) {
		after, err := c.confirmRemote(ctx, pairing)
		return err == nil && after == l.sessions, err
	})
}

// provenListing is listing for a caller that concludes something from an absence.
func (c *Client) provenListing(ctx context.Context, pairing, object string, age time.Duration) (*listing, error) {
	for range readings {
		l, err := c.listing(ctx, pairing, object, age)
		if err != nil {
			return nil, err
		}
		if proven, err := c.proven(ctx, pairing, l); err != nil || proven {
			return l, err
		}
		c.listings.Replace(pairing, func(kept *listing) bool { return kept == l })
	}
	return nil, fmt.Errorf(
		"list replications of pairing %s: %w: the remote session ends again and again",
		pairing,
		ErrRemote,
	)
}

// search lists replications past the shared listing.
func (c *Client) search(ctx context.Context, pairing string, filter url.Values) (*listing, error) {
	l := &listing{incomplete: make(map[string]error), at: c.config.Now(), begun: c.tick()}
	query := url.Values{"extended_info": {"true"}}
	maps.Copy(query, filter)
	r := request{template: replicationsTemplate, ids: []string{pairing}, pairing: pairing, query: query}
	found, err := filtered(ctx, c, r, "id", func(w wireReplication) string { return w.ID })
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("list replications of pairing %s: %w", pairing, ErrPairing)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		if err := w.complete(); err != nil {
			l.incomplete[w.ID] = err
		}
		l.replications = append(l.replications, w.domain())
	}
	sortBy(l.replications, func(r Replication) string { return r.ID })
	return l, nil
}

// gap returns an error for the first of the replications of a VM whose entry is incomplete; without any, for an entry
// without a VM: it may be the missing one.
func (l *listing) gap(of []Replication) error {
	if len(of) == 0 {
		of = slices.DeleteFunc(slices.Clone(l.replications), func(r Replication) bool { return r.VMID != "" })
	}
	for _, r := range of {
		if err := l.incomplete[r.ID]; err != nil {
			return err
		}
	}
	return nil
}
