// The listing of all replications, shared by all callers; single reads; and what it takes to call a replication gone.

package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"terraform-provider-vsla/internal/reading"
)

const (
	// refreshAge is how long a listing serves who compares or refreshes: any number of replications, at the request limit.
	refreshAge = time.Minute
	// waitAge is how long it serves who waits for a status, or is about to do what cannot be undone.
	waitAge = 10 * time.Second
)

// listing is one reading of all replications of a pairing.
type listing struct {
	replications []Replication
	// incomplete maps an id to what its entry lacks.
	incomplete map[string]error
	at         time.Time
	// begun is the client's tick at which the reading began.
	begun int64
	// sessions are those that stood before the reading, as standing names them; they stood after it if it is proven.
	sessions string
	proof    reading.Shared[bool]
}

// tick counts changes and readings, so that they can be put in order.
func (c *Client) tick() int64 { return c.ticks.Add(1) }

// everything stands for all objects.
const everything = ""

// changed notes that this client has changed an object, a VM or a replication: what was read of it before is of no
// more use.
func (c *Client) changed(object string) {
	at := c.tick()
	c.changes.Store(object, at)
	c.changes.Store(everything, at)
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
// have ended meanwhile: the gateway then leaves out what it cannot see, and need not say so.
func (c *Client) readListing(ctx context.Context, pairing string) (*listing, error) {
	for range readings {
		before, err := c.standing(ctx, pairing)
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
		switch stood, err := c.proven(ctx, pairing, l); {
		case err != nil:
			return nil, err
		case stood:
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

// proven reports whether the sessions stood all the time while the listing was read, so that what is not in it is not
// there. It is asked once for all callers.
func (c *Client) proven(ctx context.Context, pairing string, l *listing) (bool, error) {
	return l.proof.Get(ctx, "", func(ctx context.Context) (bool, error) {
		after, err := c.examine(ctx, pairing)
		return err == nil && after == l.sessions, err
	})
}

// whole returns a listing as listing does, one from which an absence may be concluded.
func (c *Client) whole(ctx context.Context, pairing, object string, age time.Duration) (*listing, error) {
	for range readings {
		l, err := c.listing(ctx, pairing, object, age)
		if err != nil {
			return nil, err
		}
		if stood, err := c.proven(ctx, pairing, l); err != nil || stood {
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
	found, err := list(ctx, c, r, "id", func(w wireReplication) string { return w.ID })
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

// Replications lists all replications of a pairing, incoming and outgoing, sorted by id; ErrPartial when the gateway
// leaves out anything. The listing is shared by all callers and at most a minute old.
func (c *Client) Replications(ctx context.Context, pairing string) ([]Replication, error) {
	l, err := c.whole(ctx, pairing, everything, refreshAge)
	if err != nil {
		return nil, err
	}
	return l.replications, l.lacks(l.replications)
}

// Replication returns one replication out of the shared listing, at most a minute old and newer than what this client
// has done to it: ErrNotFound only when it is certain that there is none. A replication that is not in the listing is
// asked for by its id, and its absence counts only while pairing, session and remote session are well: without them,
// or without the privilege to see it, it would look absent just so.
func (c *Client) Replication(ctx context.Context, pairing, id string) (Replication, error) {
	return c.replication(ctx, pairing, id, refreshAge)
}

// Recent is Replication, at most ten seconds old.
func (c *Client) Recent(ctx context.Context, pairing, id string) (Replication, error) {
	return c.replication(ctx, pairing, id, waitAge)
}

func (c *Client) replication(ctx context.Context, pairing, id string, age time.Duration) (Replication, error) {
	l, err := c.listing(ctx, pairing, id, age)
	if err != nil {
		return Replication{}, err
	}
	for _, r := range l.replications {
		if r.ID == id && l.incomplete[id] == nil {
			return r, nil
		}
	}
	return c.Fresh(ctx, pairing, id)
}

// Fresh reads one replication past the shared listing; otherwise as Replication.
func (c *Client) Fresh(ctx context.Context, pairing, id string) (Replication, error) {
	for range readings {
		before, err := c.standing(ctx, pairing)
		if err != nil {
			return Replication{}, err
		}
		found, err := c.readOne(ctx, pairing, id)
		if err == nil || (!errors.Is(err, ErrNotFound) && !errors.Is(err, ErrPartial)) {
			return found, err
		}
		after, failed := c.examine(ctx, pairing)
		if failed == nil {
			_, failed = c.readPairing(ctx, pairing)
		}
		if failed != nil {
			return Replication{}, failed
		}
		if before == after {
			return found, tolerated(err)
		}
	}
	return Replication{}, fmt.Errorf("read replication %s: %w: the remote session ends again and again", id, ErrRemote)
}

func (c *Client) readOne(ctx context.Context, pairing, id string) (Replication, error) {
	r := request{method: http.MethodGet, template: replicationTemplate, ids: []string{pairing, id}, pairing: pairing}
	var w wireReplication
	if err := c.call(ctx, r, &w); err != nil {
		return Replication{}, err
	}
	return w.domain(), w.complete()
}

// Of finds the replications of a VM past the shared listing. A VM has one outgoing replication at most. That
// there is none is not proven.
func (c *Client) Of(ctx context.Context, pairing, vm string) ([]Replication, error) {
	filter := url.Values{"filter_property": {"vm_id"}, "filter": {vm}}
	if vcenter := VCenterOf(vm); vcenter != "" {
		filter.Set("source_vc_guid", vcenter)
	}
	l, err := c.search(ctx, pairing, filter)
	if err != nil {
		return nil, err
	}
	return ofVM(l.replications, vm), nil
}

// KnownOf finds the replications of a VM in the shared listing, at most a minute old and newer than what this client
// has done to the VM. None is the certainty that there was none then.
func (c *Client) KnownOf(ctx context.Context, pairing, vm string) ([]Replication, error) {
	of, err := c.SeenOf(ctx, pairing, vm)
	if err != nil || len(of) > 0 {
		return of, err
	}
	l, err := c.whole(ctx, pairing, vm, refreshAge)
	if err != nil {
		return nil, err
	}
	of = ofVM(l.replications, vm)
	return of, l.lacks(of)
}

// SeenOf is KnownOf without the certainty: it saves the proof that both sites answered.
func (c *Client) SeenOf(ctx context.Context, pairing, vm string) ([]Replication, error) {
	l, err := c.listing(ctx, pairing, vm, refreshAge)
	if err != nil {
		return nil, err
	}
	of := ofVM(l.replications, vm)
	for _, r := range of {
		if c.changedAt(r.ID) < l.begun {
			continue
		}
		// This client has done something to it since; it may have ended.
		if l, err = c.listing(ctx, pairing, r.ID, refreshAge); err != nil {
			return nil, err
		}
		of = ofVM(l.replications, vm)
		break
	}
	return of, l.lacks(of)
}

// lacks returns an error for the first of the replications whose entry is incomplete; where there are none, for any
// entry: it may be the one that was looked for.
func (l *listing) lacks(of []Replication) error {
	if len(of) == 0 {
		of = l.replications
	}
	for _, r := range of {
		if err := l.incomplete[r.ID]; err != nil {
			return err
		}
	}
	return nil
}

// ofVM checks for itself: how the gateway's filter matches is not documented.
func ofVM(all []Replication, vm string) []Replication {
	var of []Replication
	for _, r := range all {
		if r.VMID == vm {
			of = append(of, r)
		}
	}
	return of
}
