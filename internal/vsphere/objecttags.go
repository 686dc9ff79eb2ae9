// Many tags on one object, in bulk.

package vsphere

import (
	"context"
	"net/http"
	"slices"
)

// TagsOfObject lists the ids of the tags on one object, sorted, in one request. Errors: ErrPermission.
func (c *Client) TagsOfObject(ctx context.Context, object Object) ([]string, error) {
	var ids []string
	body := map[string]Object{"object_id": object}
	_, err := c.call(
		ctx,
		request{method: http.MethodPost, path: associationPath, action: "list-attached-tags", body: body},
		&ids,
	)
	slices.Sort(ids)
	return ids, err
}

// AttachTags attaches every tag to one object, MaxBatch of them per request. It may be repeated. A tag that the
// object has already is a success; one that vCenter refuses is in the *PartialError and does not hold up the others.
// Any other error leaves open what was done.
func (c *Client) AttachTags(ctx context.Context, object Object, tagIDs []string) error {
	return c.bulkTags(ctx, object, tagIDs, "attach-multiple-tags-to-object", false)
}

// DetachTags takes every tag off one object, like AttachTags. A tag that the object does not have is a success.
func (c *Client) DetachTags(ctx context.Context, object Object, tagIDs []string) error {
	return c.bulkTags(ctx, object, tagIDs, "detach-multiple-tags-from-object", true)
}

func (c *Client) bulkTags(ctx context.Context, object Object, tagIDs []string, action string, detach bool) error {
	var (
		messages []localizableMessage
		doubtful bool
	)
	c.reattached()
	defer c.reattached()
	for chunk := range slices.Chunk(tagIDs, MaxBatch) {
		var result batchResult
		body := struct {
			Object Object   `json:"object_id"`
			Tags   []string `json:"tag_ids"`
		}{object, chunk}
		if _, err := c.call(
			ctx,
			request{method: http.MethodPost, path: associationPath, action: action, body: body},
			&result,
		); err != nil {
			return err
		}
		doubtful = doubtful || !result.Success
		messages = append(messages, result.Messages...)
	}
	if !doubtful {
		return nil
	}
	// A batch result counts failures but does not have to say where: ask which tags are as they were.
	has, err := c.TagsOfObject(ctx, object)
	if err != nil {
		return err
	}
	var refused []string
	for _, id := range tagIDs {
		if slices.Contains(has, id) == detach {
			refused = append(refused, id)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return partial(action+" "+object.String(), "tags", len(tagIDs), refused, messages)
}
