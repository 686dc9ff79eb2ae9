package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/transport"
)

const (
	tagListPath      = "/api/vcenter/tagging/tags"
	categoryListPath = "/api/vcenter/tagging/categories"

	listPageSize = 1000
	maxListPages = 200
	// maxListStarts is the maximum number of times that a listing is started, including restarts after its marker has
	// expired.
	maxListStarts = 3
	// maxSingleReads is the number of tags that are read one at a time before all tags are listed. A listing takes one
	// request per 1,000 tags in vCenter.
	maxSingleReads = 10
)

// tagListing contains all tags of a vCenter. supported is false if the server cannot list tags with their names.
type tagListing struct {
	supported  bool
	byID       map[string]Tag
	byCategory map[string][]Tag
}

// categoryListing contains all categories of a vCenter. supported is false if the server cannot list categories with
// their names.
type categoryListing struct {
	supported bool
	list      []Category
	byID      map[string]Category
}

// listTags caches its result until this client changes a tag or category.
func (c *Client) listTags(ctx context.Context) (tagListing, error) {
	if c.namedListings.isMissing() {
		return tagListing{}, nil
	}
	return c.allTags.Get(ctx, "", func(ctx context.Context) (tagListing, error) {
		items, supported, err := listPages(ctx, c, tagListPath, wireListedTag.tag)
		all := tagListing{
			supported:  supported,
			byID:       make(map[string]Tag, len(items)),
			byCategory: make(map[string][]Tag),
		}
		for _, tag := range items {
			if _, duplicate := all.byID[tag.ID]; !duplicate {
				all.byID[tag.ID] = tag
				all.byCategory[tag.CategoryID] = append(all.byCategory[tag.CategoryID], tag)
			}
		}
		return all, err
	})
}

func (c *Client) listCategories(ctx context.Context) (categoryListing, error) {
	if c.namedListings.isMissing() {
		return categoryListing{}, nil
	}
	return c.listedCategories.Get(ctx, "", func(ctx context.Context) (categoryListing, error) {
		items, supported, err := listPages(ctx, c, categoryListPath, wireListedCategory.category)
		all := categoryListing{supported: supported, byID: make(map[string]Category, len(items))}
		for _, category := range items {
			if _, duplicate := all.byID[category.ID]; !duplicate {
				all.byID[category.ID] = category
				all.list = append(all.list, category)
			}
		}
		return all, err
	})
}

func (c *Client) tagsWithName(ctx context.Context, name string) (tags []Tag, supported bool, err error) {
	if c.namedListings.isMissing() {
		return nil, false, nil
	}
	list, _, err := listPage[wireListedTag](ctx, c, tagListPath, url.Values{"names": {name}})
	if supported, err = c.canList(err); err != nil || !supported {
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

// listPages reads all pages of a listing. It starts again if a marker has expired.
func listPages[W, T any](ctx context.Context, c *Client, path string, convert func(W) T) ([]T, bool, error) {
	for start := 1; ; start++ {
		items, stale, err := listPagesOnce(ctx, c, path, convert)
		if stale && start < maxListStarts {
			continue
		}
		if stale {
			return nil, false, fmt.Errorf(
				"%s: the listing ended early %d times: %w: %w",
				path,
				start,
				ErrUnavailable,
				err,
			)
		}
		supported, err := c.canList(err)
		return items, supported, err
	}
}

// listPagesOnce reads a listing once. stale is true if the server no longer accepts the marker of the next page.
func listPagesOnce[W, T any](
	ctx context.Context,
	c *Client,
	path string,
	convert func(W) T,
) (all []T, stale bool, err error) {
	query := url.Values{"page_size": {strconv.Itoa(listPageSize)}}
	for range maxListPages {
		items, next, err := listPage[W](ctx, c, path, query)
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

func listPage[W any](
	ctx context.Context, c *Client, path string, query url.Values,
) (items []W, marker string, err error) {
	var result struct {
		Items  transport.List[W] `json:"items"`
		Marker string            `json:"marker"`
	}
	r := request{method: http.MethodGet, path: path, query: query, isFinal: c.namedListings.meansMissing}
	_, err = c.call(ctx, r, &result)
	return result.Items, result.Marker, err
}

// canList takes the error of a listing, or nil, and reports whether listings with names can be used. If the server does
// not support them or the user lacks the privilege, tags are read one at a time.
func (c *Client) canList(err error) (bool, error) {
	switch {
	case err == nil:
		c.namedListings.record(true)
		return true, nil
	case c.namedListings.meansMissing(err), errors.Is(err, ErrPermission), errors.Is(err, ErrInvalid):
		c.namedListings.record(false)
		return false, nil
	case errors.Is(err, ErrNotFound):
		// The error is about the listing. Only reading the object itself can prove that it is gone.
		return false, fmt.Errorf("listing with names: %w: %s", ErrUnavailable, err.Error())
	default:
		return false, err
	}
}

// RefreshTag is like Tag, but for callers that refresh many tags in one run. The first ten tags are read separately.
// After that, all tags are listed if the server supports listings with names. Errors: ErrNotFound, ErrPermission.
func (c *Client) RefreshTag(ctx context.Context, id string) (Tag, error) {
	all, err := c.listIfMany(ctx, 1)
	if err != nil {
		return Tag{}, err
	}
	if tag, ok := all.byID[id]; ok {
		return tag, nil
	}
	return c.Tag(ctx, id)
}

// RefreshCategory is like Category, but for callers that refresh many categories in one run. The first call reads one
// category. From the second call on, it lists all categories in one request if the response of the server contains
// names. Errors: ErrNotFound, ErrPermission.
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

func (c *Client) listIfMany(ctx context.Context, n int) (tagListing, error) {
	if c.tagReads.Add(int64(n)) <= maxSingleReads {
		return tagListing{}, nil
	}
	return c.listTags(ctx)
}

// tagsByID reads tags in the given order and skips missing ones. A tag that is not in the listing is read separately,
// because tags can change between two pages.
func (c *Client) tagsByID(ctx context.Context, ids []string) ([]Tag, error) {
	all, err := c.listIfMany(ctx, len(ids))
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

func (c *Client) tagsInCategory(ctx context.Context, all tagListing, categoryID string, ids []string) ([]Tag, error) {
	isElsewhere := func(id string) bool { return all.byID[id].CategoryID != categoryID }
	if slices.ContainsFunc(ids, isElsewhere) {
		listed, err := c.tagIDs(ctx, categoryID)
		if err != nil {
			return nil, err
		}
		exists := make(map[string]bool, len(listed))
		for _, id := range listed {
			exists[id] = true
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return isElsewhere(id) && !exists[id] })
	}
	return c.tagsByID(ctx, ids)
}
