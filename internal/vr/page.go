package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"terraform-provider-vsla/internal/transport"
)

// maxPages is the maximum number of pages in a list. A vCenter has at most a few tens of thousands of VMs.
const maxPages = 500

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
	for range maxReadAttempts {
		all, stable, err := listOnce(ctx, c, r, c.sortProperty(r, sortBy), key)
		if errors.Is(err, ErrInvalid) && c.sortProperty(r, sortBy) != "" {
			// It is undocumented which properties a list can be sorted by.
			all, stable, err = listOnce(ctx, c, r, "", key)
			if err == nil {
				c.unsortable.Store(r.template, true)
			}
		}
		if err != nil || stable {
			return all, err
		}
	}
	return nil, fmt.Errorf("%s: %w: the list changed during each read", r, ErrPartial)
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
		if first == nil {
			first = p.total()
		}
		next, more := p.nextQuery(pageQuery(base, sortBy, int64(len(all))))
		switch total := p.total(); {
		case total != nil && *total != *first, more && len(p.List) == 0 && total != nil:
			return nil, false, nil // the list changed during the read or is incomplete
		case !more && total != nil && int64(len(all)) < *total:
			return nil, false, nil
		case !more:
			return all, true, nil
		}
		r.query = next
	}
	return nil, false, fmt.Errorf("%s: %w: the list has more than %d pages", r, ErrPartial, maxPages)
}

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

func (p page[T]) total() *int64 {
	if p.Meta == nil {
		return nil
	}
	return p.Meta.Total
}
