package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

type batchResult struct {
	Success  bool                 `json:"success"`
	Messages []localizableMessage `json:"error_messages"`
}

// AttachTag attaches a tag to objects, up to MaxBatch per request. It is idempotent. It returns a *PartialError if
// vCenter refuses some of the objects, and an *InterruptedError if a request fails, for example with ErrNotFound for
// the tag or with ErrPermission. Refusals due to a missing privilege are retried for a few seconds, because vCenter
// also refuses new objects in this way at first.
func (c *Client) AttachTag(ctx context.Context, tagID string, objects []Object) error {
	err := c.bulkChange(ctx, tagID, objects, "attach")
	for _, wait := range newObjectDelays {
		refused, ok := errors.AsType[*PartialError](err)
		if !ok || !refused.forbidden || c.config.Sleep(ctx, wait) != nil {
			break
		}
		remaining := make([]Object, 0, len(refused.Refused))
		for _, o := range objects {
			if slices.ContainsFunc(refused.Refused, func(r Refusal) bool { return r.ID == o.ID }) {
				remaining = append(remaining, o)
			}
		}
		next := c.bulkChange(ctx, tagID, remaining, "attach")
		left, ok := errors.AsType[*PartialError](next)
		if next != nil && !ok {
			break // return the error of the previous attempt
		}
		if err = next; ok {
			left.Total = len(objects)
		}
	}
	return err
}

// DetachTag detaches a tag from objects. It returns the same errors as AttachTag, but does not retry refusals. It is
// not an error if an object does not have the tag.
func (c *Client) DetachTag(ctx context.Context, tagID string, objects []Object) error {
	return c.bulkChange(ctx, tagID, objects, "detach")
}

func (c *Client) bulkChange(ctx context.Context, tagID string, objects []Object, verb string) error {
	action := map[string]string{
		"attach": "attach-tag-to-multiple-objects",
		"detach": "detach-tag-from-multiple-objects",
	}[verb]
	op := fmt.Sprintf("%s tag %s", verb, tagID)
	var (
		unconfirmed   []Object // objects in requests that were not fully successful
		messages      []localizableMessage
		emptyResponse bool // a bulk call returned an empty body
	)
	c.dropAssociations()
	defer c.dropAssociations()
	confirmed := 0
	for chunk := range slices.Chunk(objects, MaxBatch) {
		var result batchResult
		body := map[string][]Object{"object_ids": chunk}
		o, err := c.call(ctx,
			request{method: http.MethodPost, path: associationPath, id: tagID, action: action, body: body}, &result)
		if err != nil {
			reached := confirmed
			if o.sent && !isRefusal(err) {
				reached += len(chunk)
			}
			return &InterruptedError{
				Operation: op,
				Confirmed: confirmed,
				Reached:   reached,
				Total:     len(objects),
				Err:       err,
			}
		}
		confirmed += len(chunk)
		if !result.Success {
			unconfirmed = append(unconfirmed, chunk...)
			messages = append(messages, result.Messages...)
			emptyResponse = emptyResponse || !o.hasBody
		}
	}
	if len(unconfirmed) == 0 {
		return nil
	}
	refused, err := c.unchangedObjects(ctx, tagID, unconfirmed, verb)
	if err != nil || len(refused) == 0 {
		return err
	}
	if emptyResponse && verb == "detach" {
		return c.detachEach(ctx, op, tagID, refused, len(objects))
	}
	ids := make([]string, 0, len(refused))
	for _, o := range refused {
		ids = append(ids, o.ID)
	}
	return c.newPartialError(op, "objects", len(objects), ids, messages)
}

// unchangedObjects determines which objects a bulk call did not change, because its response may not identify them.
// After a detach, objects that the account cannot read count as unchanged, because listings omit them.
func (c *Client) unchangedObjects(ctx context.Context, tagID string, objects []Object, verb string) ([]Object, error) {
	attached, err := c.ObjectsWithTag(ctx, tagID)
	if err != nil {
		return nil, err
	}
	hasTag := make(map[Object]bool, len(attached))
	for _, o := range attached {
		hasTag[o] = true
	}
	var unchanged, detached []Object
	for _, o := range objects {
		switch {
		case hasTag[o] == (verb == "detach"):
			unchanged = append(unchanged, o)
		case verb == "detach":
			detached = append(detached, o)
		}
	}
	hidden, err := c.unreadableObjects(ctx, detached)
	return append(unchanged, hidden...), err
}

func (c *Client) unreadableObjects(ctx context.Context, objects []Object) ([]Object, error) {
	var hidden []Object
	read := func(chunk []Object) error {
		_, err := c.TagsOfObjects(ctx, chunk)
		if len(chunk) == 1 && errors.Is(err, ErrPermission) {
			hidden = append(hidden, chunk[0])
			return nil
		}
		return err
	}
	shouldSplit := func(err error) bool { return errors.Is(err, ErrPermission) }
	for chunk := range slices.Chunk(objects, MaxBatch) {
		if err := readInHalves(chunk, read, shouldSplit); err != nil {
			return nil, err
		}
	}
	return hidden, nil
}

// detachEach detaches objects one at a time, for servers that do not implement the bulk call, such as govmomi's
// simulator, which accepts it but does nothing.
func (c *Client) detachEach(ctx context.Context, op, tagID string, objects []Object, total int) error {
	refused := &PartialError{Operation: op, Kind: "objects", Total: total}
	for _, o := range objects {
		body := map[string]Object{"object_id": o}
		_, err := c.call(ctx,
			request{method: http.MethodPost, path: associationPath, id: tagID, action: "detach", body: body}, nil)
		switch {
		case err == nil:
		case isRefusal(err):
			refused.Refused = append(refused.Refused, Refusal{ID: o.ID, Message: err.Error()})
		default:
			return err
		}
	}
	if len(refused.Refused) > 0 {
		return refused
	}
	return nil
}

func isRefusal(err error) bool {
	return errors.Is(err, ErrPermission) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) ||
		errors.Is(err, ErrConflict)
}
