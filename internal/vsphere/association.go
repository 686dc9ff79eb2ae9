package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const (
	// MaxBatch is the maximum number of IDs per bulk call, according to VMware's tagging best practices for vSphere 7.
	MaxBatch = 2000
)

// Object identifies a managed object within a vCenter.
type Object struct {
	// Type is the managed object type, for example "VirtualMachine".
	Type string `json:"type"`
	// ID is the managed object ID, for example "vm-42".
	ID string `json:"id"`
}

// String returns the type and the ID, for example "VirtualMachine vm-42".
func (o Object) String() string { return o.Type + " " + o.ID }

// Refusal describes an object or tag that a bulk call left unchanged.
type Refusal struct {
	ID string
	// Message is vCenter's reason. It can be empty.
	Message string
}

// PartialError lists the objects or tags that a bulk call did not change. All others were changed.
type PartialError struct {
	// Operation names the request. Kind is "objects" or "tags".
	Operation, Kind string
	// Total is the number of items in the call.
	Total   int
	Refused []Refusal
	// forbidden is true if vCenter reported a missing privilege, which it also does for a few seconds after an object
	// is created. missing is true if vCenter reported an unknown tag or object.
	forbidden, missing bool
}

// AllRefused reports whether the call changed none of its items.
func (e *PartialError) AllRefused() bool { return len(e.Refused) == e.Total }

// maxListed is the maximum number of refusals listed in an error. The rest are only counted.
const maxListed = 10

// Error lists the first ten refusals with vCenter's reasons.
func (e *PartialError) Error() string {
	lines := make([]string, 0, maxListed+1)
	for i, r := range e.Refused {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Refused)-maxListed))
			break
		}
		line := r.ID
		if r.Message != "" {
			line += " (" + r.Message + ")"
		}
		lines = append(lines, line)
	}
	return fmt.Sprintf("%s: vCenter refused %d of the %s: %s", e.Operation, len(e.Refused), e.Kind,
		strings.Join(lines, ", "))
}

// InterruptedError reports how far a bulk operation had progressed when one of its requests failed. It wraps the cause.
type InterruptedError struct {
	Operation string
	// The requests for the first Confirmed objects succeeded. The request that failed may have changed the objects
	// after these, up to and including object number Reached. No later objects were changed.
	Confirmed, Reached, Total int
	Err                       error
}

// Error returns the progress and the cause.
func (e *InterruptedError) Error() string {
	if e.Total <= MaxBatch {
		return fmt.Sprintf("%s: %v", e.Operation, e.Err)
	}
	return fmt.Sprintf("%s: stopped after %d of %d objects: %v", e.Operation, e.Confirmed, e.Total, e.Err)
}

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Err }

type batchResult struct {
	Success  bool                 `json:"success"`
	Messages []localizableMessage `json:"error_messages"`
}

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
// order. It sends one request per tagBatch tags. The tags must be distinct. Errors: ErrNotFound, ErrPermission.
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
	read := func(chunk []Object) error {
		var result []struct {
			Object Object   `json:"object_id"`
			Tags   []string `json:"tag_ids"` // null in govmomi's simulator
		}
		_, err := c.call(ctx, request{
			method:  http.MethodPost,
			path:    associationPath,
			action:  "list-attached-tags-on-objects",
			body:    map[string][]Object{"object_ids": chunk},
			isFinal: batchIsFinal(len(chunk)),
		}, &result)
		if len(chunk) == 1 {
			err = c.detectGoneObject(ctx, chunk[0], err)
		}
		if errors.Is(err, ErrObjectGone) {
			return nil
		}
		for _, a := range result {
			if len(a.Tags) > 0 {
				slices.Sort(a.Tags)
				tags[a.Object] = a.Tags
			}
		}
		return err
	}
	shouldSplit := func(err error) bool { return isTooLarge(err) || errors.Is(err, ErrPermission) }
	for chunk := range slices.Chunk(objects, MaxBatch) {
		if err := readInHalves(chunk, read, shouldSplit); err != nil {
			return nil, err
		}
	}
	return tags, nil
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

// newPartialError assigns each message to the refused items that it mentions. A message that mentions none of them
// applies to all items without a message of their own.
func (c *Client) newPartialError(op, kind string, total int, refused []string, messages []localizableMessage) error {
	index := make(map[string]bool, len(refused))
	for _, id := range refused {
		index[id] = true
	}
	messageByID := make(map[string]string, len(messages))
	general := ""
	for _, m := range messages {
		text, hit := c.scrubber.Text(m.Default), false
		for _, word := range append(splitWords(m.Args), m.Args...) {
			if index[word] {
				messageByID[word], hit = text, true
			}
		}
		if !hit && general == "" {
			general = text
		}
	}
	e := &PartialError{Operation: op, Kind: kind, Total: total}
	for _, m := range messages {
		e.forbidden = e.forbidden || strings.Contains(m.ID, "unauthorized")
		e.missing = e.missing || strings.Contains(m.ID, "objectNotFound")
	}
	for _, id := range refused {
		message, ok := messageByID[id]
		if !ok {
			message = general
		}
		e.Refused = append(e.Refused, Refusal{ID: id, Message: message})
	}
	return e
}

// splitWords splits message arguments into words, so that "vm-4" does not match "VirtualMachine:vm-42".
func splitWords(args []string) []string {
	return strings.FieldsFunc(
		strings.Join(args, " "),
		func(r rune) bool { return strings.ContainsRune(" :/,'\"()[]", r) },
	)
}

func compareObjects(a, b Object) int {
	if n := strings.Compare(a.Type, b.Type); n != 0 {
		return n
	}
	return strings.Compare(a.ID, b.ID)
}
