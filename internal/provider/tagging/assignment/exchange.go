package assignment

import (
	"context"
	"errors"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// Exchange changes the tags of one object.
type Exchange struct {
	ledger  *Ledger
	client  *vsphere.Client
	object  vsphere.Object
	ignored ignored.Categories
	// tags may be detached.
	tags map[string]Tag
}

// Exchange reads the tags to detach from an object and locks them, their SINGLE categories and the tags to attach. The
// caller must call unlock.
func (l *Ledger) Exchange(
	ctx context.Context, c *vsphere.Client, object vsphere.Object, detach, attach []string, skip ignored.Categories,
) (e Exchange, unlock func(), err error) {
	e = Exchange{ledger: l, client: c, object: object, ignored: skip}
	if e.tags, err = l.Tags(ctx, c, detach); err != nil {
		return e, nil, err
	}
	all := slices.Collect(maps.Values(e.tags))
	for _, id := range attach {
		all = append(all, Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id}}})
	}
	unlock, err = l.Lock(ctx, true, all)
	return e, unlock, err
}

// Detachable returns the tags without those that another resource has attached, and an error for each tag that stays
// because its replacement could not be attached.
func (e Exchange) Detachable(ids []string) (detach []string, errs []error) {
	detach, keep := split(e.ledger, ids, func(id string) placed { return placed{id, e.object} })
	for _, id := range keep {
		errs = append(errs, &KeptError{Path: e.tags[id].Path(), Objects: []vsphere.Object{e.object}})
	}
	return detach, errs
}

// Detach detaches tags in one request.
func (e Exchange) Detach(ctx context.Context, ids []string) error {
	for _, id := range ids {
		e.ledger.note(e.tags[id], []vsphere.Object{e.object}, true)
	}
	return e.client.DetachTags(ctx, e.object, ids)
}

// Change detaches tags and attaches others, in one request if vCenter supports it. It attaches nothing and returns
// certain = false if the result of detaching is unknown. After a failed attach it restores the tags of SINGLE
// categories that the object lost.
func (e Exchange) Change(ctx context.Context, detach, attach []string) (certain bool, errs []error) {
	if len(detach) > 0 && len(attach) > 0 {
		for _, id := range detach {
			e.ledger.note(e.tags[id], []vsphere.Object{e.object}, true)
		}
		if offered, err := e.client.ChangeTags(ctx, e.object, detach, attach); offered {
			if err != nil {
				errs = append(errs, err)
			}
			return true, errs
		}
	}
	if err := e.Detach(ctx, detach); err != nil {
		errs = append(errs, err)
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return false, errs
		}
	}
	if err := e.client.AttachTags(ctx, e.object, attach); err != nil {
		errs = append(errs, err)
		errs = append(errs, e.restore(ctx, detach, attach)...)
	}
	return true, errs
}

func (e Exchange) restore(ctx context.Context, detached, attach []string) (errs []error) {
	ctx, cancel := transport.Grace(ctx)
	defer cancel()
	carried := make(map[string]bool)
	now, err := e.client.TagsOfObject(ctx, e.object)
	if err == nil {
		var on map[string]Tag
		on, err = e.ledger.Tags(ctx, e.client, now)
		for _, tag := range on {
			carried[tag.CategoryID] = true
		}
	}
	if err != nil {
		errs = append(errs, err) // safe to try, because vCenter rejects a second tag of the category
	}
	replaced, err := e.ledger.Replaced(ctx, e.client, detached, attach, e.ignored)
	if err != nil {
		replaced = slices.Sorted(maps.Keys(e.tags))
	}
	lost := make(map[string][]vsphere.Object)
	for _, id := range replaced {
		if tag := e.tags[id]; tag.Single && !carried[tag.CategoryID] {
			lost[id] = []vsphere.Object{e.object}
		}
	}
	return append(errs, e.ledger.restore(ctx, e.client, "", lost)...)
}

// Replaced returns the tags of an object in SINGLE categories of the tags to attach.
func (l *Ledger) Replaced(
	ctx context.Context, c *vsphere.Client, has, attach []string, skip ignored.Categories,
) ([]string, error) {
	if len(has) == 0 || len(attach) == 0 {
		return nil, nil
	}
	tags, err := l.Tags(ctx, c, has)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, id := range has {
		tag := tags[id]
		if !tag.Single || skip.Match(tag.Category) {
			continue
		}
		siblings, err := c.TagIDs(ctx, tag.CategoryID)
		if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
			return nil, err
		}
		if len(stringset.Both(attach, siblings)) > 0 {
			replaced = append(replaced, id)
		}
	}
	return replaced, nil
}
