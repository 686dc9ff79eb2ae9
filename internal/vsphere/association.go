package vsphere

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// MaxBatch is the maximum number of IDs per bulk call, according to VMware's tagging best practices for vSphere 7.
const MaxBatch = 2000

// Object identifies a managed object within a vCenter.
type Object struct {
	// Type is the managed object type, for example "VirtualMachine".
	Type string `json:"type"`
	// ID is the managed object ID, for example "vm-42".
	ID string `json:"id"`
}

// String returns the type and the ID, for example "VirtualMachine vm-42".
func (o Object) String() string { return o.Type + " " + o.ID }

// ObjectsWithTag lists the objects that have the tag, sorted by type and ID. It sends one request. Errors: ErrNotFound,
// ErrPermission.
func (c *Client) ObjectsWithTag(ctx context.Context, tagID string) ([]Object, error) {
	var objects []Object
	_, err := c.call(ctx, request{method: http.MethodPost, path: associationPath, id: tagID, action: listObjectsOfTag},
		&objects)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(objects, compareObjects)
	return objects, nil
}

// ObjectsWithTags lists the objects that have all of the tags, or any of them if matchAny is set, in no particular
// order. It sends one request per 200 tags. The tags must be distinct. Errors: ErrNotFound, ErrPermission.
func (c *Client) ObjectsWithTags(ctx context.Context, tagIDs []string, matchAny bool) ([]Object, error) {
	if len(tagIDs) == 1 {
		return c.ObjectsWithTag(ctx, tagIDs[0])
	}
	byTag, err := c.objectsByTags(ctx, tagIDs)
	if err != nil {
		return nil, err
	}
	tagCount := make(map[Object]int)
	for _, objects := range byTag {
		for _, o := range objects {
			tagCount[o]++
		}
	}
	list := make([]Object, 0, len(tagCount))
	for o, n := range tagCount {
		if matchAny || n == len(tagIDs) {
			list = append(list, o)
		}
	}
	return list, nil
}

// TagsOfObjects returns the sorted tag IDs of each object. It omits objects that have no tags or do not exist. It sends
// one request per MaxBatch objects. vCenter rejects a batch that contains a missing object, so such a batch is split in
// half. Errors: ErrPermission.
func (c *Client) TagsOfObjects(ctx context.Context, objects []Object) (map[Object][]string, error) {
	tags := make(map[Object][]string, len(objects))
	read := func(chunk []Object) error { return c.addTags(ctx, chunk, tags) }
	shouldSplit := func(err error) bool { return isTooLarge(err) || errors.Is(err, ErrPermission) }
	for chunk := range slices.Chunk(objects, MaxBatch) {
		if err := readInHalves(chunk, read, shouldSplit); err != nil {
			return nil, err
		}
	}
	return tags, nil
}

// addTags adds the sorted tag IDs of a batch of objects to tags.
func (c *Client) addTags(ctx context.Context, objects []Object, tags map[Object][]string) error {
	var result []struct {
		Object Object   `json:"object_id"`
		Tags   []string `json:"tag_ids"` // null in govmomi's simulator
	}
	_, err := c.call(ctx, request{
		method:  http.MethodPost,
		path:    associationPath,
		action:  "list-attached-tags-on-objects",
		body:    map[string][]Object{"object_ids": objects},
		isFinal: batchIsFinal(len(objects)),
	}, &result)
	if len(objects) == 1 {
		err = c.detectGoneObject(ctx, objects[0], err)
	}
	if errors.Is(err, ErrObjectGone) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, a := range result {
		if len(a.Tags) > 0 {
			slices.Sort(a.Tags)
			tags[a.Object] = a.Tags
		}
	}
	return nil
}

func compareObjects(a, b Object) int {
	return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.ID, b.ID))
}
