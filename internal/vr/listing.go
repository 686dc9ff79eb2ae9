package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"terraform-provider-vsla/internal/transport/reading"
)

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

const (
	pageSize = 200
	// maxPages bounds a list; a vCenter has at most some ten thousand VMs.
	maxPages = 500
	// readings is how often a list that changed while it was read is started again.
	readings = 3
)

type page[T any] struct {
	List []T `json:"list"`
	Meta *struct {
		Total *int64 `json:"total"`
		Links *struct {
			Next *struct {
				Href string `json:"href"`
			} `json:"next"`
		} `json:"links"`
	} `json:"_meta"`
}

// list reads all pages, sorted by sortBy where it is given and the gateway allows it. key identifies an element: one
// that comes twice means that the list has changed while it was read, and may have lost another.
func list[T any](ctx context.Context, c *Client, r request, sortBy string, key func(T) string) ([]T, error) {
	for range readings {
		all, stable, err := listOnce(ctx, c, r, c.sortable(r, sortBy), key)
		if errors.Is(err, ErrInvalid) && c.sortable(r, sortBy) != "" {
			// Which properties a list can be sorted by is not documented.
			all, stable, err = listOnce(ctx, c, r, "", key)
			if err == nil {
				c.unsorted.Store(r.template, true)
			}
		}
		if err != nil || stable {
			return all, err
		}
	}
	return nil, fmt.Errorf("%s: %w: the list changed each time while it was read", r, ErrPartial)
}

// filtered is list for a caller that filters again. A gateway that refuses the filter is asked for the whole list from
// then on: which properties a list can be filtered by is not documented.
func filtered[T any](ctx context.Context, c *Client, r request, sortBy string, key func(T) string) ([]T, error) {
	filter := r.template + " " + r.query.Get("filter_property")
	_, refused := c.unfiltered.Load(filter)
	if !refused {
		all, err := list(ctx, c, r, sortBy, key)
		if !errors.Is(err, ErrInvalid) || !r.query.Has("filter_property") {
			return all, err
		}
	}
	r.query = maps.Clone(r.query)
	r.query.Del("filter_property")
	r.query.Del("filter")
	all, err := list(ctx, c, r, sortBy, key)
	if err == nil {
		c.unfiltered.Store(filter, true)
	}
	return all, err
}

// sortable returns the property to sort a list by; empty where the gateway has refused one.
func (c *Client) sortable(r request, sortBy string) string {
	if _, refused := c.unsorted.Load(r.template); refused {
		return ""
	}
	return sortBy
}

func listOnce[T any](
	ctx context.Context,
	c *Client,
	r request,
	sortBy string,
	key func(T) string,
) (all []T, stable bool, err error) {
	r.method = http.MethodGet
	base := r.query
	seen := make(map[string]bool)
	var first *int64
	r.query = withPage(base, sortBy, 0)
	for range maxPages {
		var p page[T]
		if err := c.call(ctx, r, &p); err != nil {
			return nil, false, err
		}
		for _, element := range p.List {
			if seen[key(element)] {
				return nil, false, nil
			}
			seen[key(element)] = true
			all = append(all, element)
		}
		if first == nil {
			first = p.total()
		}
		next, more := p.next(withPage(base, sortBy, int64(len(all))))
		switch total := p.total(); {
		case total != nil && *total != *first, more && len(p.List) == 0 && total != nil:
			return nil, false, nil // the list changed or is incomplete
		case !more && total != nil && int64(len(all)) < *total:
			return nil, false, nil
		case !more:
			return all, true, nil
		}
		r.query = next
	}
	return nil, false, fmt.Errorf("%s: %w: the list has no end after %d pages", r, ErrPartial, maxPages)
}

func (p page[T]) total() *int64 {
	if p.Meta == nil {
		return nil
	}
	return p.Meta.Total
}

// next returns the query of the next page, and whether there is one. A link of the gateway takes precedence over the
// offset, but only its query: its host need not be the one that this client was told to send its session to. Without
// a link the total decides; without a total the list ends where links have no next one, or with an empty page.
func (p page[T]) next(offset url.Values) (url.Values, bool) {
	if p.Meta != nil && p.Meta.Links != nil && p.Meta.Links.Next != nil {
		if link, err := url.Parse(p.Meta.Links.Next.Href); err == nil && link.RawQuery != "" {
			return link.Query(), true
		}
	}
	if total := p.total(); total != nil {
		n, err := strconv.ParseInt(offset.Get("offset"), 10, 64)
		return offset, err == nil && n < *total
	}
	linked := p.Meta != nil && p.Meta.Links != nil
	return offset, len(p.List) > 0 && !linked
}

func withPage(query url.Values, sortBy string, offset int64) url.Values {
	paged := url.Values{"limit": {strconv.Itoa(pageSize)}, "offset": {strconv.FormatInt(offset, 10)}}
	if sortBy != "" {
		paged.Set("sort_by", sortBy)
	}
	for name, values := range query {
		if _, own := paged[name]; !own {
			paged[name] = values
		}
	}
	return paged
}
