// Many tags on one object, in bulk.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// TagsOfObject lists the ids of the tags on one object, sorted, in one request. Errors: ErrObjectGone, ErrPermission.
func (c *Client) TagsOfObject(ctx context.Context, object Object) ([]string, error) {
	var ids []string
	body := map[string]Object{"object_id": object}
	_, err := c.call(
		ctx,
		request{method: http.MethodPost, path: associationPath, action: "list-attached-tags", body: body},
		&ids,
	)
	slices.Sort(ids)
	return ids, c.ofObject(ctx, object, err)
}

// AttachTags attaches every tag to one object, MaxBatch of them per request. It may be repeated. A tag that the
// object has already is a success; one that vCenter refuses is in the *PartialError and does not hold up the others.
// Any other error leaves open which tags were attached.
func (c *Client) AttachTags(ctx context.Context, object Object, tagIDs []string) error {
	for {
		err := c.bulkTags(ctx, object, tagIDs, "attach-multiple-tags-to-object", false)
		refused, ok := errors.AsType[*PartialError](err)
		if !ok || !refused.missing || !c.mayArrive(ctx, refused.Refused[0].ID) {
			return err
		}
	}
}

// DetachTags detaches every tag from one object, like AttachTags. A tag that the object does not have is a success.
func (c *Client) DetachTags(ctx context.Context, object Object, tagIDs []string) error {
	return c.bulkTags(ctx, object, tagIDs, "detach-multiple-tags-from-object", true)
}

// tagChange attaches or detaches one tag of an object.
type tagChange struct {
	Operation string `json:"operation"`
	Tag       string `json:"tag_id"`
}

// ChangeTags detaches some tags of one object and attaches others in one request, of which vCenter does all or nothing.
// It reports whether the server has that request (since 9.1); where it has not, nothing was done. When vCenter refuses
// any of the tags the *PartialError names all. It may be repeated. Other errors: ErrNotFound for the object,
// ErrPermission.
func (c *Client) ChangeTags(ctx context.Context, object Object, detach, attach []string) (offered bool, err error) {
	if c.patches.missing() || len(detach)+len(attach) > MaxBatch {
		return false, nil
	}
	var result struct {
		Success bool                 `json:"success"`
		Errors  []localizableMessage `json:"errors"`
	}
	changes := make([]tagChange, 0, len(detach)+len(attach))
	for _, id := range detach {
		changes = append(changes, tagChange{"DETACH", id})
	}
	for _, id := range attach {
		changes = append(changes, tagChange{"ATTACH", id})
	}
	body := struct {
		Object  Object      `json:"object"`
		Changes []tagChange `json:"tag_spec_list"`
	}{object, changes}
	c.reattached()
	defer c.reattached()
	r := request{method: http.MethodPatch, path: associationsPath, body: body, final: c.patches.lacks}
	_, err = c.call(ctx, r, &result)
	switch {
	case c.patches.lacks(err):
		c.patches.note(false)
		return false, nil
	case err != nil:
		return true, err
	}
	c.patches.note(true)
	if !result.Success {
		return true, c.partial("change the tags of "+object.String(), "tags", len(changes), ids(changes), result.Errors)
	}
	return true, nil
}

func ids(changes []tagChange) []string {
	list := make([]string, 0, len(changes))
	for _, change := range changes {
		list = append(list, change.Tag)
	}
	return list
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
	// A batch result counts failures but may not name them: ask which tags are as they were.
	has, err := c.TagsOfObject(ctx, object)
	if err != nil {
		return err
	}
	var refused []string
	for _, id := range tagIDs {
		hidden := false
		if detach && !slices.Contains(has, id) { // the list lacks tags that the account may not read
			_, err := c.Tag(ctx, id)
			hidden = errors.Is(err, ErrPermission)
			if err != nil && !hidden && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		if hidden || slices.Contains(has, id) == detach {
			refused = append(refused, id)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return c.partial(action+" "+object.String(), "tags", len(tagIDs), refused, messages)
}
