package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"terraform-provider-vsla/internal/transport"
)

const (
	pageSize = 200
	// maxPages is the maximum number of pages in a list. A vCenter has at most a few tens of thousands of VMs.
	maxPages = 500
	// maxReadAttempts is the maximum number of attempts to read a list that changes during the read.
	maxReadAttempts = 3
)

// page is one page of a list.
type page[T any] struct {
	List transport.List[T] `json:"list"`
	Meta *struct {
		Total *int64 `json:"total"`
		Links *struct {
			Next *struct {
				Href string `json:"href"`
			} `json:"next"`
		} `json:"links"`
	} `json:"_meta"`
}

// list reads all pages, sorted by sortBy if the gateway supports sorting. key returns the ID of an element. A duplicate
// element means that the list changed during the read, so another element might be missing.
func list[T any](ctx context.Context, c *Client, r request, sortBy string, key func(T) string) ([]T, error) {
	r.method = http.MethodGet
	sortBy = c.sortProperty(r, sortBy)
	for range maxReadAttempts {
		all, stable, err := listOnce(ctx, c, r, sortBy, key)
		if errors.Is(err, ErrInvalid) && sortBy != "" {
			// It is undocumented which properties a list can be sorted by.
			sortBy = ""
			all, stable, err = listOnce(ctx, c, r, sortBy, key)
			if err == nil {
				c.quirks.unsortable.Store(r.template, true)
			}
		}
		if err != nil || stable {
			return all, err
		}
	}
	return nil, fmt.Errorf("%s: %w: the list changed during each read", r, ErrPartial)
}

// listFiltered is like list, but if the gateway rejects the filter, it reads the whole list from then on. Callers must
// therefore filter the result again. It is undocumented which properties can be used in filters.
func listFiltered[T any](ctx context.Context, c *Client, r request, sortBy string, key func(T) string) ([]T, error) {
	filter := r.template + " " + r.query.Get("filter_property")
	_, refused := c.quirks.unfilterable.Load(filter)
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
		c.quirks.unfilterable.Store(filter, true)
	}
	return all, err
}

// sortProperty returns sortBy, or "" if the gateway has refused to sort the list.
func (c *Client) sortProperty(r request, sortBy string) string {
	if _, refused := c.quirks.unsortable.Load(r.template); refused {
		return ""
	}
	return sortBy
}

// listOnce reads all pages once. stable is false if the list changed during the read or is incomplete, so that it must
// be read again.
func listOnce[T any](
	ctx context.Context,
	c *Client,
	r request,
	sortBy string,
	key func(T) string,
) (all []T, stable bool, err error) {
	base := r.query
	seen := make(map[string]bool)
	var first *int64
	r.query = pageQuery(base, sortBy, 0)
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
		total := p.total()
		if first == nil {
			first = total
		}
		next, more := p.nextQuery(pageQuery(base, sortBy, int64(len(all))))
		if total != nil {
			hasChanged := *total != *first
			isEmpty := more && len(p.List) == 0
			isTooShort := !more && int64(len(all)) < *total
			if hasChanged || isEmpty || isTooShort {
				return nil, false, nil
			}
		}
		if !more {
			return all, true, nil
		}
		r.query = next
	}
	return nil, false, fmt.Errorf("%s: %w: the list has more than %d pages", r, ErrPartial, maxPages)
}

// pageQuery returns the query for the page that begins at an offset.
func pageQuery(query url.Values, sortBy string, offset int64) url.Values {
	paged := url.Values{"limit": {strconv.Itoa(pageSize)}, "offset": {strconv.FormatInt(offset, 10)}}
	if sortBy != "" {
		paged.Set("sort_by", sortBy)
	}
	for name, values := range query {
		if _, isPaging := paged[name]; !isPaging {
			paged[name] = values
		}
	}
	return paged
}

// total returns the length of the list, or nil if the gateway does not report it.
func (p page[T]) total() *int64 {
	if p.Meta == nil {
		return nil
	}
	return p.Meta.Total
}

// nextQuery returns the query for the next page, and false if there is no such page. It takes only the query from the
// gateway's link, because the session must not be sent to another host. Without a link, the total determines whether
// there is a next page. Without a total, the list ends at the first page that is empty or has no next link.
func (p page[T]) nextQuery(offset url.Values) (url.Values, bool) {
	if p.Meta != nil && p.Meta.Links != nil && p.Meta.Links.Next != nil {
		if link, err := url.Parse(p.Meta.Links.Next.Href); err == nil && link.RawQuery != "" {
			return link.Query(), true
		}
	}
	if total := p.total(); total != nil {
		n, err := strconv.ParseInt(offset.Get("offset"), 10, 64)
		return offset, err == nil && n < *total
	}
	hasLinks := p.Meta != nil && p.Meta.Links != nil
	return offset, len(p.List) > 0 && !hasLinks
}

func sortedList[W, D any](
	ctx context.Context,
	c *Client,
	r request,
	property string,
	id func(W) string,
	domain func(W) D,
) ([]D, error) {
	found, err := list(ctx, c, r, property, id)
	if err != nil {
		return nil, err
	}
	sortByID(found, id)
	all := make([]D, 0, len(found))
	for _, w := range found {
		all = append(all, domain(w))
	}
	return all, nil
}
