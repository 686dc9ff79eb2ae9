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

// listing contains the replications of a pairing.
type listing struct {
	replications []Replication
	// incomplete maps the IDs of replications with missing fields to errors.
	incomplete map[string]error
	readAt     time.Time
	startTick  int64
	// sessionKey is the result of Client.sessionKey before the read. If it is still the same afterwards, the listing is
	// known to be complete.
	sessionKey string
	conclusive reading.Shared[bool]
}

// tick returns the next number of the order in which this client starts listings and changes objects.
func (c *Client) tick() int64 { return c.ticks.Add(1) }

// recordChange records that this client has changed a VM or a replication, which makes earlier reads of it stale.
func (c *Client) recordChange(object string) {
	at := c.tick()
	c.changeTicks.Store(object, at)
	c.changeTicks.Store(AnyVM, at)
}

// lastChangeTick returns the tick of this client's last change to an object, or 0.
func (c *Client) lastChangeTick(object string) int64 {
	at, _ := c.changeTicks.Load(object)
	tick, _ := at.(int64)
	return tick
}

// listing returns a listing that is no older than age and was started after this client's last change to the object.
func (c *Client) listing(ctx context.Context, pairing, object string, age time.Duration) (*listing, error) {
	called := c.ticks.Load()
	after := c.lastChangeTick(object)
	return c.listings.GetIf(ctx, pairing,
		func(ctx context.Context) (*listing, error) { return c.readListing(ctx, pairing) },
		func(l *listing) bool {
			// A read that started after this call is accepted regardless of its duration.
			isRecent := l.startTick > called || c.config.Now().Sub(l.readAt) <= age
			return l.startTick > after && isRecent
		})
}

// readListing lists all replications. If one of them is incomplete and the remote session has ended in the meantime,
// readListing tries again, because without that session the gateway silently omits the other site's data.
func (c *Client) readListing(ctx context.Context, pairing string) (*listing, error) {
	for range maxReadAttempts {
		before, err := c.sessionKey(ctx, pairing)
		if err != nil {
			return nil, err
		}
		l, err := c.readReplications(ctx, pairing, nil)
		if err != nil {
			return nil, err
		}
		l.sessionKey = before
		if len(l.incomplete) == 0 {
			return l, nil
		}
		conclusive, err := c.isConclusive(ctx, pairing, l)
		if err != nil {
			return nil, err
		}
		if conclusive {
			maps.DeleteFunc(l.incomplete, func(_ string, err error) bool { return ignoreNonEssential(err) == nil })
			return l, nil
		}
	}
	return nil, fmt.Errorf("list replications of pairing %s: %w: the remote session ended on each attempt", pairing,
		ErrRemote)
}

// isConclusive reports whether both sessions were valid throughout the listing. If they were, a replication that is
// missing from the listing does not exist. All callers share one check.
func (c *Client) isConclusive(ctx context.Context, pairing string, l *listing) (bool, error) {
	return l.conclusive.Get(ctx, "", func(ctx context.Context) (bool, error) {
		after, err := c.verifyRemote(ctx, pairing)
		return err == nil && after == l.sessionKey, err
	})
}

// conclusiveListing is like listing, but from a listing in which a missing replication is known not to exist.
func (c *Client) conclusiveListing(ctx context.Context, pairing, object string, age time.Duration) (*listing, error) {
	for range maxReadAttempts {
		l, err := c.listing(ctx, pairing, object, age)
		if err != nil {
			return nil, err
		}
		if conclusive, err := c.isConclusive(ctx, pairing, l); err != nil || conclusive {
			return l, err
		}
		c.listings.DropIf(pairing, func(kept *listing) bool { return kept == l })
	}
	return nil, fmt.Errorf("list replications of pairing %s: %w: the remote session ended on each attempt", pairing,
		ErrRemote)
}

// readReplications lists the replications that match a filter, which may be nil.
func (c *Client) readReplications(ctx context.Context, pairing string, filter url.Values) (*listing, error) {
	l := &listing{incomplete: make(map[string]error), readAt: c.config.Now(), startTick: c.tick()}
	query := url.Values{"extended_info": {"true"}}
	maps.Copy(query, filter)
	r := request{template: replicationsTemplate, ids: []string{pairing}, pairing: pairing, query: query}
	found, err := listFiltered(ctx, c, r, "id", func(w wireReplication) string { return w.ID })
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("list replications of pairing %s: %w", pairing, ErrPairing)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		if err := w.checkComplete(); err != nil {
			l.incomplete[w.ID] = err
		}
		l.replications = append(l.replications, w.domain())
	}
	sortByID(l.replications, func(r Replication) string { return r.ID })
	return l, nil
}

// firstIncomplete returns the error of the first incomplete replication. If replications is empty, it checks the listed
// replications without a VM ID instead, because one of them might belong to the VM that the caller asked for.
func (l *listing) firstIncomplete(replications []Replication) error {
	if len(replications) == 0 {
		replications = slices.DeleteFunc(slices.Clone(l.replications), func(r Replication) bool { return r.VMID != "" })
	}
	for _, r := range replications {
		if err := l.incomplete[r.ID]; err != nil {
			return err
		}
	}
	return nil
}
