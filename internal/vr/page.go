// Lists: page by page, with guards against a list that changes while it is read or a server that never ends.

package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

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
			return nil, false, nil // it has changed, or is shorter than announced
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
