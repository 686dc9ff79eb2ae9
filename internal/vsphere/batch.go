package vsphere

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"terraform-provider-vsla/internal/transport"
)

// tagBatch is the maximum number of tags per request that lists tagged objects. vCenter returns an error if the
// response would exceed 7 MB, or about 100,000 objects.
const tagBatch = 200

// objectsByTags lists the objects of each tag. It sends one request per tagBatch tags and splits a batch in half if its
// response is too large. Errors: ErrNotFound if any of the tags does not exist, ErrPermission.
func (c *Client) objectsByTags(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all := make(map[string][]Object, len(tagIDs))
	read := func(chunk []string) error {
		var result []struct {
			Tag     string   `json:"tag_id"`
			Objects []Object `json:"object_ids"` // null in govmomi's simulator
		}
		_, err := c.call(ctx, request{
			method:  http.MethodPost,
			path:    associationPath,
			action:  "list-attached-objects-on-tags",
			body:    map[string][]string{"tag_ids": chunk},
			isFinal: batchIsFinal(len(chunk)),
		}, &result)
		for _, a := range result {
			slices.SortFunc(a.Objects, compareObjects)
			all[a.Tag] = a.Objects
		}
		return err
	}
	for chunk := range slices.Chunk(tagIDs, tagBatch) {
		if err := readInHalves(chunk, read, isTooLarge); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ObjectsByTag lists the objects of each tag. A tag that has no objects or does not exist has an empty list or no entry
// in the result. It sends one request per tagBatch tags. Errors: ErrPermission.
func (c *Client) ObjectsByTag(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all, err := c.objectsByTags(ctx, tagIDs)
	if !errors.Is(err, ErrNotFound) {
		return all, err
	}
	// The response does not identify the missing tag, so read each tag separately.
	type attached struct {
		tag     string
		objects []Object
	}
	lists, err := readAll(ctx, tagIDs, func(ctx context.Context, id string) (attached, error) {
		objects, err := c.ObjectsWithTag(ctx, id)
		return attached{id, objects}, err
	})
	all = make(map[string][]Object, len(lists))
	for _, l := range lists {
		all[l.tag] = l.objects
	}
	return all, err
}

func readInHalves[T any](chunk []T, read func([]T) error, shouldSplit func(error) bool) error {
	err := read(chunk)
	if err == nil || len(chunk) < 2 || !shouldSplit(err) {
		return err
	}
	middle := len(chunk) / 2
	if err := readInHalves(chunk[:middle], read, shouldSplit); err != nil {
		return err
	}
	return readInHalves(chunk[middle:], read, shouldSplit)
}

// isTooLarge reports whether the response might have been too large for the endpoint. In this case, the endpoint
// returns a server error, or a 400 without a reason.
func isTooLarge(err error) bool {
	e, ok := transport.AsAPIError(err)
	switch {
	case !ok:
		return false
	case e.Status == http.StatusBadRequest:
		return e.Type == "" && len(e.MessageIDs) == 0
	default:
		return e.Status >= http.StatusInternalServerError && e.Status != http.StatusServiceUnavailable
	}
}

// batchIsFinal returns a function that reports whether an error for a batch of n items must not be retried, because
// smaller batches are tried instead.
func batchIsFinal(n int) func(error) bool {
	if n < 2 {
		return nil
	}
	return isTooLarge
}
