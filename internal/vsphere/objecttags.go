package vsphere

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// TagsOfObject lists the sorted tag IDs of an object. It sends one request. Errors: ErrObjectGone, ErrPermission.
func (c *Client) TagsOfObject(ctx context.Context, object Object) ([]string, error) {
	var ids []string
	body := map[string]Object{"object_id": object}
	_, err := c.call(ctx,
		request{method: http.MethodPost, path: associationPath, action: "list-attached-tags", body: body}, &ids)
	slices.Sort(ids)
	return ids, c.detectGoneObject(ctx, object, err)
}

// AttachTags attaches tags to one object, up to MaxBatch per request. It is idempotent. A *PartialError lists the tags
// that vCenter refused. After any other error, it is unknown which tags were attached.
func (c *Client) AttachTags(ctx context.Context, object Object, tagIDs []string) error {
	for {
		err := c.bulkChangeTags(ctx, object, tagIDs, "attach-multiple-tags-to-object", false)
		refused, ok := errors.AsType[*PartialError](err)
		if !ok || !refused.missing || !c.awaitArrival(ctx, refused.Refused[0].ID) {
			return err
		}
	}
}

// DetachTags detaches tags from one object. It behaves like AttachTags. It is not an error if the object does not have
// one of the tags.
func (c *Client) DetachTags(ctx context.Context, object Object, tagIDs []string) error {
	return c.bulkChangeTags(ctx, object, tagIDs, "detach-multiple-tags-from-object", true)
}

type tagChange struct {
	Operation string `json:"operation"`
	Tag       string `json:"tag_id"`
}

// ChangeTags detaches and attaches tags of one object in a single atomic request. It is idempotent. supported is false
// if there are more than MaxBatch changes or the server does not support the request, which was introduced in vCenter
// 9.1. If vCenter refuses any change, the returned *PartialError contains the tags of all changes. In both cases,
// nothing is changed. Other errors: ErrNotFound if the object does not exist, ErrPermission.
func (c *Client) ChangeTags(ctx context.Context, object Object, detach, attach []string) (supported bool, err error) {
	if c.atomicChanges.isMissing() || len(detach)+len(attach) > MaxBatch {
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
	c.dropAssociations()
	defer c.dropAssociations()
	r := request{method: http.MethodPatch, path: associationsPath, body: body, isFinal: c.atomicChanges.meansMissing}
	_, err = c.call(ctx, r, &result)
	switch {
	case c.atomicChanges.meansMissing(err):
		c.atomicChanges.record(false)
		return false, nil
	case err != nil:
		return true, err
	}
	c.atomicChanges.record(true)
	if !result.Success {
		op := "change the tags of " + object.String()
		return true, c.newPartialError(op, "tags", len(changes), tagIDsOf(changes), result.Errors)
	}
	return true, nil
}

func tagIDsOf(changes []tagChange) []string {
	list := make([]string, 0, len(changes))
	for _, change := range changes {
		list = append(list, change.Tag)
	}
	return list
}
