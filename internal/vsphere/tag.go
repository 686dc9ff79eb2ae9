package vsphere

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/transport"
)

// Tag is a vCenter tag.
type Tag struct {
	ID          string
	Name        string
	Description string
	CategoryID  string
}

type wireTag struct {
	ID          string `json:"id,omitempty"`
	TagID       string `json:"tag_id,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description"`
	CategoryID  string `json:"category_id,omitempty"`
}

func (w wireTag) tag() Tag {
	return Tag{ID: w.ID, Name: w.Name, Description: w.Description, CategoryID: w.CategoryID}
}

// CreateTag creates a tag and returns its ID. It is safe to retry. The ID is also returned with ErrUncertain, because
// the tag may exist. Other errors: ErrConflict if the category already has a tag with that name, ErrNotFound if the
// category does not exist, ErrPermission, ErrInvalid.
func (c *Client) CreateTag(ctx context.Context, tag Tag) (string, error) {
	spec := wireTag{
		TagID:       newURN("InventoryServiceTag"),
		Name:        tag.Name,
		Description: tag.Description,
		CategoryID:  tag.CategoryID,
	}
	return c.create(ctx, tagPath, spec.TagID, tag.Name, spec)
}

// Tag reads a tag by ID. Errors: ErrNotFound, ErrPermission.
func (c *Client) Tag(ctx context.Context, id string) (Tag, error) {
	var w wireTag
	_, err := c.call(ctx, request{method: http.MethodGet, path: tagPath, id: id}, &w)
	return w.tag(), err
}

// TagsOfCategory returns all tags of a category. The caller must not modify the slice. It sends one listing request and
// one request per tag or, in vCenter 9.0 and later, only a listing of all tags. The result is cached until this client
// changes a category or tag. Errors: ErrNotFound, ErrPermission.
func (c *Client) TagsOfCategory(ctx context.Context, categoryID string) ([]Tag, error) {
	all, err := c.listTags(ctx)
	if tags := all.byCategory[categoryID]; err != nil || len(tags) > 0 {
		return tags, err
	}
	// The release lacks the listing, or the category is empty or does not exist.
	return c.tagsByCategory.Get(ctx, categoryID,
		func(ctx context.Context) ([]Tag, error) { return c.readTags(ctx, categoryID) })
}

func (c *Client) readTags(ctx context.Context, categoryID string) ([]Tag, error) {
	ids, err := c.tagIDs(ctx, categoryID)
	if err != nil {
		return nil, err
	}
	return readAll(ctx, ids, c.Tag)
}

// TagByName returns the tag with the given name in a category. It sends as many requests as TagsOfCategory. In vCenter
// 9.0 and later, the first call sends only one request. Errors: ErrNotFound, ErrAmbiguous, ErrPermission.
func (c *Client) TagByName(ctx context.Context, categoryID, name string) (Tag, error) {
	var (
		tags   []Tag
		byName bool
		err    error
	)
	if c.nameReads.Add(1) == 1 {
		tags, byName, err = c.tagsWithName(ctx, name)
		tags = slices.DeleteFunc(tags, func(tag Tag) bool { return tag.CategoryID != categoryID })
	}
	if err == nil && !byName {
		tags, err = c.TagsOfCategory(ctx, categoryID)
	}
	if err != nil {
		return Tag{}, err
	}
	tag, err := findByName(tags, "category "+categoryID+": tag", name, func(tag Tag) string { return tag.Name })
	if missing, ok := errors.AsType[*transport.NameError](err); ok && byName {
		missing.Names = nil // tags with other names were not read
	}
	return tag, err
}

// TagByPath reads a tag by "category/name". Both names can contain slashes, so every way to split the path is tried. If
// several tags match, it returns ErrAmbiguous. Other errors: ErrNotFound, ErrPermission.
func (c *Client) TagByPath(ctx context.Context, path string) (Tag, error) {
	categories, err := c.categories(ctx)
	if err != nil {
		return Tag{}, err
	}
	var found []Tag
	var missing error
	for _, category := range categories {
		name, ok := strings.CutPrefix(path, category.Name+"/")
		if !ok || name == "" {
			continue
		}
		switch tag, err := c.TagByName(ctx, category.ID, name); {
		case err == nil:
			found = append(found, tag)
		case !errors.Is(err, ErrNotFound):
			return Tag{}, err
		default:
			missing = err
		}
	}
	switch len(found) {
	case 0:
		if name, _, _ := strings.Cut(path, "/"); missing == nil {
			_, missing = findByName(
				categories,
				"category",
				name,
				func(category Category) string { return category.Name },
			)
		}
		return Tag{}, fmt.Errorf("tag %q (category/name): %w", path, cmp.Or(missing, ErrNotFound))
	case 1:
		return found[0], nil
	default:
		return Tag{}, fmt.Errorf("tag %q (category/name): %w", path, ErrAmbiguous)
	}
}

// UpdateTag sets the name and description of a tag. It is idempotent. An empty description removes the existing one.
// Errors: ErrNotFound, ErrConflict if the name is taken, ErrPermission.
func (c *Client) UpdateTag(ctx context.Context, tag Tag) error {
	c.dropCaches()
	defer c.dropCaches()
	spec := wireTag{Name: tag.Name, Description: tag.Description}
	_, err := c.call(ctx, request{method: http.MethodPatch, path: tagPath, id: tag.ID, spec: spec}, nil)
	return err
}

// DeleteTag deletes a tag and its associations. A missing tag is ignored. Errors: ErrPermission.
func (c *Client) DeleteTag(ctx context.Context, id string) error {
	return c.remove(ctx, tagPath, id)
}

// readAll reads one object per ID, ten at a time, and returns the objects in the order of the IDs. It skips objects
// that do not exist.
func readAll[K, T any](ctx context.Context, ids []K, read func(context.Context, K) (T, error)) ([]T, error) {
	all := make([]T, len(ids))
	gone := make([]bool, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i, id := range ids {
		group.Go(func() error {
			var err error
			all[i], err = read(ctx, id)
			if errors.Is(err, ErrNotFound) {
				gone[i] = true
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	kept := all[:0]
	for i, one := range all {
		if !gone[i] {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// FindTag reads a tag by ID ("urn:vmomi:InventoryServiceTag:...") or by "category/name". It returns the errors of Tag
// and TagByPath.
func (c *Client) FindTag(ctx context.Context, idOrPath string) (Tag, error) {
	if strings.HasPrefix(idOrPath, "urn:vmomi:") {
		return c.Tag(ctx, idOrPath)
	}
	return c.TagByPath(ctx, idOrPath)
}

// TagName contains the names of a tag and its category.
type TagName struct{ Category, Tag string }

// TagNames returns the names of all tags in tagsByObject, by tag ID. Missing tags are omitted. It reads each tag and
// each category, or lists all of them. Errors: ErrPermission.
func (c *Client) TagNames(ctx context.Context, tagsByObject map[Object][]string) (map[string]TagName, error) {
	distinct := make(map[string]bool)
	for _, ids := range tagsByObject {
		for _, id := range ids {
			distinct[id] = true
		}
	}
	tags, err := c.tagsByID(ctx, slices.Sorted(maps.Keys(distinct)))
	if err != nil {
		return nil, err
	}
	clear(distinct)
	for _, tag := range tags {
		distinct[tag.CategoryID] = true
	}
	categories, err := readAll(ctx, slices.Sorted(maps.Keys(distinct)), c.RefreshCategory)
	if err != nil {
		return nil, err
	}
	categoryNames := make(map[string]string, len(categories))
	for _, category := range categories {
		categoryNames[category.ID] = category.Name
	}
	names := make(map[string]TagName, len(tags))
	for _, tag := range tags {
		if category, ok := categoryNames[tag.CategoryID]; ok {
			names[tag.ID] = TagName{Category: category, Tag: tag.Name}
		}
	}
	return names, nil
}

// NamedTag is a tag together with the name of its category.
type NamedTag struct {
	Tag

	Category string
}

// Path returns "category/name".
func (t NamedTag) Path() string { return t.Category + "/" + t.Name }

// NamedTags returns the tags of the categories for which include returns true, sorted by category and name. Errors:
// ErrPermission.
func (c *Client) NamedTags(ctx context.Context, include func(Category) bool) ([]NamedTag, error) {
	categories, err := c.categories(ctx)
	if err != nil {
		return nil, err
	}
	var list []NamedTag
	for _, category := range categories {
		if !include(category) {
			continue
		}
		tags, err := c.TagsOfCategory(ctx, category.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		for _, tag := range tags {
			list = append(list, NamedTag{Tag: tag, Category: category.Name})
		}
	}
	slices.SortFunc(list, func(a, b NamedTag) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// Categories returns the categories for which include returns true, sorted by name. Errors: ErrPermission.
func (c *Client) Categories(ctx context.Context, include func(Category) bool) ([]Category, error) {
	all, err := c.categories(ctx)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(category Category) bool { return !include(category) })
	slices.SortFunc(kept, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	return kept, nil
}
