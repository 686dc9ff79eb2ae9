package vsphere

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// TagResult is the result of a bulk call for one tag.
type TagResult struct {
	Tag Tag
	// Done is true if the change was made. CreateTags also sets it if Err wraps ErrUncertain, because the tag may
	// exist.
	Done bool
	Err  error
}

// CreateTags creates tags, ten at a time, and returns the results, including the new IDs, in the order of the tags.
// After a failure other than a name conflict, it starts no further calls. The results of the remaining tags have
// neither Done nor Err set. The errors are those of CreateTag.
func (c *Client) CreateTags(ctx context.Context, tags []Tag) []TagResult {
	return forEachTag(tags, func(tag Tag) TagResult {
		var err error
		tag.ID, err = c.CreateTag(ctx, tag)
		return TagResult{Tag: tag, Done: tag.ID != "", Err: err}
	})
}

// UpdateTags sets names and descriptions. It behaves like CreateTags, but Done is set only if vCenter confirmed the
// update.
func (c *Client) UpdateTags(ctx context.Context, tags []Tag) []TagResult {
	return forEachTag(tags, func(tag Tag) TagResult {
		err := c.UpdateTag(ctx, tag)
		return TagResult{Tag: tag, Done: err == nil, Err: err}
	})
}

// DeleteTags deletes tags and their associations. It behaves like CreateTags. Tags that no longer exist are ignored.
func (c *Client) DeleteTags(ctx context.Context, ids []string) []TagResult {
	tags := make([]Tag, 0, len(ids))
	for _, id := range ids {
		tags = append(tags, Tag{ID: id})
	}
	return forEachTag(tags, func(tag Tag) TagResult {
		err := c.DeleteTag(ctx, tag.ID)
		return TagResult{Tag: tag, Done: err == nil, Err: err}
	})
}

// forEachTag calls do for each tag. A failure does not cancel calls in progress, because their outcome would then be
// unknown.
func forEachTag(tags []Tag, do func(Tag) TagResult) []TagResult {
	var (
		stopped atomic.Bool
		group   errgroup.Group
	)
	results := make([]TagResult, len(tags))
	group.SetLimit(concurrency)
	for i, tag := range tags {
		group.Go(func() error {
			if stopped.Load() {
				results[i] = TagResult{Tag: tag}
				return nil
			}
			results[i] = do(tag)
			if err := results[i].Err; err != nil && !errors.Is(err, ErrConflict) {
				stopped.Store(true)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are returned in results
	return results
}

// TagsOwned reads the given tags and omits those that do not exist in the category. It sends one listing, shared with
// TagsOfCategory, and one read per tag. If the tags make up at least half of the category, it reads the whole category
// as TagsOfCategory does. In vCenter 9.0 and later, it can list all tags instead. Errors: ErrNotFound if the category
// does not exist, ErrPermission.
func (c *Client) TagsOwned(ctx context.Context, categoryID string, ids []string) ([]Tag, error) {
	if all, err := c.listIfMany(ctx, len(ids)); err != nil || all.supported {
		if err != nil {
			return nil, err
		}
		return c.tagsInCategory(ctx, all, categoryID, ids)
	}
	listed, err := c.tagIDs(ctx, categoryID)
	if err != nil {
		return nil, err
	}
	owned := make(map[string]bool, len(ids))
	for _, id := range ids {
		owned[id] = true
	}
	existing := slices.DeleteFunc(slices.Clone(listed), func(id string) bool { return !owned[id] })
	if 2*len(existing) < len(listed) {
		return readAll(ctx, existing, c.Tag)
	}
	all, err := c.TagsOfCategory(ctx, categoryID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(t Tag) bool { return !owned[t.ID] }), nil
}

// tagIDs caches its result until this client changes a category or tag.
func (c *Client) tagIDs(ctx context.Context, categoryID string) ([]string, error) {
	return c.tagIDsByCategory.Get(ctx, categoryID, func(ctx context.Context) ([]string, error) {
		body := map[string]string{"category_id": categoryID}
		var ids []string
		_, err := c.call(
			ctx,
			request{
				method: http.MethodPost,
				path:   tagPath,
				id:     categoryID,
				action: listTagsOfCategory,
				body:   body,
			},
			&ids,
		)
		return ids, err
	})
}

// CountTags returns the number of tags in a category. It sends one request and shares the response with TagsOfCategory.
// Errors: ErrNotFound, ErrPermission.
func (c *Client) CountTags(ctx context.Context, categoryID string) (int, error) {
	ids, err := c.tagIDs(ctx, categoryID)
	return len(ids), err
}

// AssociationCount is the number of associations that are lost when tags are deleted.
type AssociationCount struct {
	// Tags is the number of tags that are attached to an object. Objects is the number of associations, and ByType is
	// their number by object type.
	Tags, Objects int
	ByType        map[string]int
	// LinkedNodes lists all vCenters of the Enhanced Linked Mode group, including this one. It is empty if this vCenter
	// is not linked. Associations on the other vCenters are not counted. TopologyUnknown is true if vCenter does not
	// list its linked nodes.
	LinkedNodes     []string
	TopologyUnknown bool
	// UnprovenReason explains why a count of zero proves nothing. It is empty if the account can read every object. See
	// InventoryAccess.
	UnprovenReason string
}

// String returns a summary such as "3 associations of 2 tags (1 HostSystem, 2 VirtualMachine)".
func (a AssociationCount) String() string {
	types := make([]string, 0, len(a.ByType))
	for t := range a.ByType {
		types = append(types, t)
	}
	slices.Sort(types)
	list := make([]string, 0, len(types))
	for _, t := range types {
		list = append(list, fmt.Sprintf("%d %s", a.ByType[t], t))
	}
	return fmt.Sprintf(
		"%s of %s (%s)",
		plural(a.Objects, "association"),
		plural(a.Tags, "tag"),
		strings.Join(list, ", "),
	)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// CountAssociations counts the associations of the tags. It sends one request per tagBatch tags. If there are
// associations, it also sends one request per MaxBatch objects to verify them, because a service may list objects that
// no longer have a tag. Concurrent calls with a single tag share a request. The linked vCenters are read once per
// client. Errors: ErrPermission.
func (c *Client) CountAssociations(ctx context.Context, tagIDs []string) (AssociationCount, error) {
	count, err := c.countLocalAssociations(ctx, tagIDs)
	if err != nil {
		return count, err
	}
	return c.withTopology(ctx, count, len(tagIDs))
}

func (c *Client) countLocalAssociations(ctx context.Context, tagIDs []string) (AssociationCount, error) {
	count := AssociationCount{ByType: make(map[string]int)}
	var (
		byTag map[string][]Object
		err   error
	)
	if len(tagIDs) == 1 {
		var objects []Object
		objects, err = c.deleteCheckBatcher.Get(ctx, tagIDs[0], c.ObjectsByTag)
		byTag = map[string][]Object{tagIDs[0]: objects}
	} else {
		byTag, err = c.ObjectsByTag(ctx, tagIDs)
	}
	if err != nil {
		return count, err
	}
	objects := make(map[Object]bool)
	for _, list := range byTag {
		for _, o := range list {
			objects[o] = true
		}
	}
	tagsByObject, err := c.TagsOfObjects(ctx, slices.Collect(maps.Keys(objects)))
	for tag, list := range byTag {
		attached := 0
		for _, o := range list {
			if slices.Contains(tagsByObject[o], tag) {
				attached++
				count.ByType[o.Type]++
			}
		}
		count.Objects += attached
		count.Tags += min(attached, 1)
	}
	return count, err
}

func (c *Client) bulkChangeTags(ctx context.Context, object Object, tagIDs []string, action string, detach bool) error {
	var (
		messages    []localizableMessage
		unconfirmed bool
	)
	c.dropAssociations()
	defer c.dropAssociations()
	for chunk := range slices.Chunk(tagIDs, MaxBatch) {
		var result batchResult
		body := struct {
			Object Object   `json:"object_id"`
			Tags   []string `json:"tag_ids"`
		}{object, chunk}
		if _, err := c.call(ctx, request{method: http.MethodPost, path: associationPath, action: action, body: body},
			&result); err != nil {
			return err
		}
		unconfirmed = unconfirmed || !result.Success
		messages = append(messages, result.Messages...)
	}
	if !unconfirmed {
		return nil
	}
	// The response may contain only the number of failures, so read the object's tags to find out which are unchanged.
	attached, err := c.TagsOfObject(ctx, object)
	if err != nil {
		return err
	}
	var refused []string
	for _, id := range tagIDs {
		hidden := false
		if detach && !slices.Contains(attached, id) { // tags that the account cannot read are missing from the list
			_, err := c.Tag(ctx, id)
			hidden = errors.Is(err, ErrPermission)
			if err != nil && !hidden && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		if hidden || slices.Contains(attached, id) == detach {
			refused = append(refused, id)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return c.newPartialError(action+" "+object.String(), "tags", len(tagIDs), refused, messages)
}

// TagIDs lists the tag IDs of a category. The caller must not modify the slice. The listing is shared with
// TagsOfCategory. Errors: ErrNotFound if the category does not exist, ErrPermission.
func (c *Client) TagIDs(ctx context.Context, categoryID string) ([]string, error) {
	return c.tagIDs(ctx, categoryID)
}
