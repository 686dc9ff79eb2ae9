package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
)

const (
	tagListPath      = "/api/vcenter/tagging/tags"
	categoryListPath = "/api/vcenter/tagging/categories"

	// listSize is the largest page, maxListPages how many one listing reads at most.
	listSize     = 1000
	maxListPages = 200
	// maxListStarts is how often a listing starts again because its marker is no longer valid.
	maxListStarts = 3
	// fewReads is how many tags are read one at a time before all are listed: a listing costs a request for each 1,000
	// tags of the vCenter, whoever needs them.
	fewReads = 10
)

// feature is whether the server has an operation that only newer releases have.
type feature struct{ state atomic.Int32 }

const (
	untried int32 = iota
	present
	missing
)

func (f *feature) missing() bool { return f.state.Load() == missing }

// note uses only the first answer, because services that are starting look alike.
func (f *feature) note(has bool) {
	next := missing
	if has {
		next = present
	}
	f.state.CompareAndSwap(untried, next)
}

// lacks reports whether an answer means that the server lacks the feature, which has not been seen to work.
func (f *feature) lacks(err error) bool { return f.state.Load() != present && absent(err) }

// namedTags are all tags of a vCenter; offered is false where they cannot be listed with their names.
type namedTags struct {
	offered    bool
	byID       map[string]Tag
	byCategory map[string][]Tag
}

// namedCategories are all categories of a vCenter; offered as of namedTags.
type namedCategories struct {
	offered bool
	list    []Category
	byID    map[string]Category
}

// listTags lists all tags with their names, once until this client changes a tag or category.
func (c *Client) listTags(ctx context.Context) (namedTags, error) {
	if c.listings.missing() {
		return namedTags{}, nil
	}
	return c.allTags.Get(ctx, "", func(ctx context.Context) (namedTags, error) {
		items, offered, err := pages(ctx, c, tagListPath, wireListedTag.tag)
		all := namedTags{offered: offered, byID: make(map[string]Tag, len(items)), byCategory: make(map[string][]Tag)}
		for _, tag := range items {
			if _, twice := all.byID[tag.ID]; !twice {
				all.byID[tag.ID] = tag
				all.byCategory[tag.CategoryID] = append(all.byCategory[tag.CategoryID], tag)
			}
		}
		return all, err
	})
}

func (c *Client) listCategories(ctx context.Context) (namedCategories, error) {
	if c.listings.missing() {
		return namedCategories{}, nil
	}
	return c.listedCategories.Get(ctx, "", func(ctx context.Context) (namedCategories, error) {
		items, offered, err := pages(ctx, c, categoryListPath, wireListedCategory.category)
		all := namedCategories{offered: offered, byID: make(map[string]Category, len(items))}
		for _, category := range items {
			if _, twice := all.byID[category.ID]; !twice {
				all.byID[category.ID] = category
				all.list = append(all.list, category)
			}
		}
		return all, err
	})
}

func (c *Client) tagsNamed(ctx context.Context, name string) (tags []Tag, offered bool, err error) {
	if c.listings.missing() {
		return nil, false, nil
	}
	list, _, err := page[wireListedTag](ctx, c, tagListPath, url.Values{"names": {name}})
	if offered, err = c.listable(err); err != nil || !offered {
		return nil, false, err
	}
	for _, item := range list {
		tags = append(tags, item.tag())
	}
	return tags, true, nil
}

type wireListedTag struct {
	ID   string `json:"tag"`
	Info struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Category    string `json:"category"`
	} `json:"info"`
}

func (w wireListedTag) tag() Tag {
	return Tag{ID: w.ID, Name: w.Info.Name, Description: w.Info.Description, CategoryID: w.Info.Category}
}

type wireListedCategory struct {
	ID   string       `json:"category_id"`
	Info wireCategory `json:"info"`
}

func (w wireListedCategory) category() Category {
	w.Info.ID = w.ID
	return w.Info.category()
}

// pages reads a listing to its end. A marker that is no longer valid starts it again.
func pages[W, T any](ctx context.Context, c *Client, path string, convert func(W) T) ([]T, bool, error) {
	for start := 1; ; start++ {
		items, stale, err := pagesOnce(ctx, c, path, convert)
		if stale && start < maxListStarts {
			continue
		}
		if stale {
			return nil, false, fmt.Errorf("%s: the listing ended early %d times: %w: %w", path, start, ErrUnavailable, err)
		}
		offered, err := c.listable(err)
		return items, offered, err
	}
}

// pagesOnce reads a listing once. It is stale when the server no longer knows the marker of the next page.
func pagesOnce[W, T any](
	ctx context.Context,
	c *Client,
	path string,
	convert func(W) T,
) (all []T, stale bool, err error) {
	query := url.Values{"page_size": {strconv.Itoa(listSize)}}
	for range maxListPages {
		items, next, err := page[W](ctx, c, path, query)
		if err != nil {
			return nil, query.Has("marker") && errors.Is(err, ErrNotFound), err
		}
		for _, item := range items {
			all = append(all, convert(item))
		}
		if next == "" || next == query.Get("marker") {
			return all, false, nil
		}
		query.Set("marker", next)
	}
	return nil, false, fmt.Errorf("%s: more than %d pages: %w", path, maxListPages, ErrInvalid)
}

func page[W any](ctx context.Context, c *Client, path string, query url.Values) (items []W, marker string, err error) {
	var answer struct {
		Items  []W    `json:"items"`
		Marker string `json:"marker"`
	}
	_, err = c.call(ctx, request{method: http.MethodGet, path: path, query: query, final: c.listings.lacks}, &answer)
	return answer.Items, answer.Marker, err
}

// listable reports whether listings with names can be used. Where the server has none, does not allow them to the user
// or refuses them, each tag is read by itself.
func (c *Client) listable(err error) (bool, error) {
	switch {
	case err == nil:
		c.listings.note(true)
		return true, nil
	case c.listings.lacks(err), errors.Is(err, ErrPermission), errors.Is(err, ErrInvalid):
		c.listings.note(false)
		return false, nil
	case errors.Is(err, ErrNotFound):
		// It is about the listing. Only the answer to a read of an object itself proves that the object is gone.
		return false, fmt.Errorf("listing with names: %w: %s", ErrUnavailable, err.Error())
	default:
		return false, err
	}
}

// RefreshTag returns what Tag returns, for one of many tags that are asked for in one run: the first ten are read by
// themselves, and the others from a listing of all where the server has one with names. Errors: ErrNotFound,
// ErrPermission.
func (c *Client) RefreshTag(ctx context.Context, id string) (Tag, error) {
	all, err := c.listFor(ctx, 1)
	if err != nil {
		return Tag{}, err
	}
	if tag, ok := all.byID[id]; ok {
		return tag, nil
	}
	return c.Tag(ctx, id)
}

// RefreshCategory returns what Category returns, as RefreshTag does; the first is read by itself. Errors: ErrNotFound,
// ErrPermission.
func (c *Client) RefreshCategory(ctx context.Context, id string) (Category, error) {
	if c.categoryReads.Add(1) > 1 {
		all, err := c.listCategories(ctx)
		if err != nil {
			return Category{}, err
		}
		if category, ok := all.byID[id]; ok {
			return category, nil
		}
	}
	return c.Category(ctx, id)
}

func (c *Client) listFor(ctx context.Context, n int) (namedTags, error) {
	if c.tagReads.Add(int64(n)) <= fewReads {
		return namedTags{}, nil
	}
	return c.listTags(ctx)
}

// tagsByID reads tags in the order of their ids; what no longer exists is left out. One that a listing lacks is read by
// itself: pages are not read at one moment.
func (c *Client) tagsByID(ctx context.Context, ids []string) ([]Tag, error) {
	all, err := c.listFor(ctx, len(ids))
	if err != nil {
		return nil, err
	}
	return readAll(ctx, ids, func(ctx context.Context, id string) (Tag, error) {
		if tag, ok := all.byID[id]; ok {
			return tag, nil
		}
		return c.Tag(ctx, id)
	})
}

func (c *Client) ownedListed(ctx context.Context, all namedTags, categoryID string, ids []string) ([]Tag, error) {
	lacks := func(id string) bool { return all.byID[id].CategoryID != categoryID }
	if slices.ContainsFunc(ids, lacks) {
		listed, err := c.tagIDs(ctx, categoryID)
		if err != nil {
			return nil, err
		}
		exists := make(map[string]bool, len(listed))
		for _, id := range listed {
			exists[id] = true
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return lacks(id) && !exists[id] })
	}
	return c.tagsByID(ctx, ids)
}
