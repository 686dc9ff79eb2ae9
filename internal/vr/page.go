// Lists: paging by offset, with guards against a list that changes meanwhile or a server that never ends.

package vr

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

const (
	pageSize = 200
	// maxPages bounds a list; a vCenter has at most some ten thousand VMs.
	maxPages = 500
	// readings is how often a list that changed while it was read is begun afresh.
	readings = 3
)

type page[T any] struct {
	List []T `json:"list"`
	Meta *struct {
		Total *int64 `json:"total"`
	} `json:"_meta"`
}

// list reads all pages, sorted by sortBy where it is given. key identifies an element: one that comes twice means
// that the list has changed meanwhile, and so may have lost another.
func list[T any](ctx context.Context, c *Client, r request, sortBy string, key func(T) string) ([]T, error) {
	for range readings {
		all, stable, err := listOnce(ctx, c, r, sortBy, key)
		if err != nil || stable {
			return all, err
		}
	}
	return nil, fmt.Errorf("%s: %w: the list changed each time while it was read", r, ErrPartial)
}

func listOnce[T any](
	ctx context.Context,
	c *Client,
	r request,
	sortBy string,
	key func(T) string,
) (all []T, stable bool, err error) {
	r.method = http.MethodGet
	seen := make(map[string]bool)
	var offset, first int64
	for number := range maxPages {
		var p page[T]
		r.query = withPage(r.query, sortBy, offset)
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
		offset += int64(len(p.List))
		if p.Meta == nil || p.Meta.Total == nil {
			if len(p.List) == 0 { // nothing says how many there are, so only an empty page is the end
				return all, true, nil
			}
			continue
		}
		total := *p.Meta.Total
		if number == 0 {
			first = total
		}
		switch {
		case total != first, len(p.List) == 0 && offset < total: // it changed meanwhile, or is shorter than announced
			return nil, false, nil
		case offset == total, len(p.List) < pageSize && offset > total:
			return all, true, nil
		}
	}
	return nil, false, fmt.Errorf("%s: %w: the list has no end after %d pages", r, ErrPartial, maxPages)
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
