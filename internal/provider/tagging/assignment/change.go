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

// TagChange changes the tags of one object.
type TagChange struct {
	ledger  *Ledger
	client  *vsphere.Client
	object  vsphere.Object
	ignored ignored.Categories
	// tags contains the tags that may be detached, by ID.
	tags map[string]Tag
}

// BeginTagChange reads the tags to be detached from an object. It locks these tags, their SINGLE categories and the
// tags to be attached. The caller must call unlock.
func (l *Ledger) BeginTagChange(
	ctx context.Context, c *vsphere.Client, object vsphere.Object, detach, attach []string, skip ignored.Categories,
) (e TagChange, unlock func(), err error) {
	e = TagChange{ledger: l, client: c, object: object, ignored: skip}
	e.tags, err = l.Tags(ctx, c, detach)
	if err != nil {
		return e, nil, err
	}
	all := slices.Collect(maps.Values(e.tags))
	for _, id := range attach {
		all = append(all, Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id}}})
	}
	unlock, err = l.Lock(ctx, true, all)
	return e, unlock, err
}

// Detachable returns the tags in ids that may be detached. It omits tags that another resource attached, and returns an
// error for each tag that is kept because its replacement could not be attached.
func (e TagChange) Detachable(ids []string) (detach []string, errs []error) {
	detach, kept := splitDetachable(e.ledger, ids, func(id string) association { return association{id, e.object} })
	for _, id := range kept {
		errs = append(errs, &NotReplacedError{Path: e.tags[id].Path(), Objects: []vsphere.Object{e.object}})
	}
	return detach, errs
}

// Detach detaches tags. It sends one request.
func (e TagChange) Detach(ctx context.Context, ids []string) error {
	for _, id := range ids {
		e.ledger.recordPrior(e.tags[id], []vsphere.Object{e.object}, true)
	}
	return e.client.DetachTags(ctx, e.object, ids)
}

// Apply detaches and attaches tags, with a single request if vCenter supports this. If the outcome of the detach is
// unknown, it attaches nothing, and certain is false. If the attach fails, it restores the tags of SINGLE categories
// that the object lost.
func (e TagChange) Apply(ctx context.Context, detach, attach []string) (certain bool, errs []error) {
	if len(detach) > 0 && len(attach) > 0 {
		for _, id := range detach {
			e.ledger.recordPrior(e.tags[id], []vsphere.Object{e.object}, true)
		}
		if supported, err := e.client.ChangeTags(ctx, e.object, detach, attach); supported {
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

func (e TagChange) restore(ctx context.Context, detached, attach []string) (errs []error) {
	ctx, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	hasCategory := make(map[string]bool)
	ids, err := e.client.TagsOfObject(ctx, e.object)
	if err == nil {
		var tags map[string]Tag
		tags, err = e.ledger.Tags(ctx, e.client, ids)
		for _, tag := range tags {
			hasCategory[tag.CategoryID] = true
		}
	}
	if err != nil {
		errs = append(errs, err) // continue anyway, because vCenter rejects a second tag of a SINGLE category
	}
	replaced, err := e.ledger.ReplacedTags(ctx, e.client, detached, attach, e.ignored)
	if err != nil {
		replaced = slices.Sorted(maps.Keys(e.tags))
	}
	lost := make(map[string][]vsphere.Object)
	for _, id := range replaced {
		if tag := e.tags[id]; tag.Single && !hasCategory[tag.CategoryID] {
			lost[id] = []vsphere.Object{e.object}
		}
	}
	return append(errs, e.ledger.restore(ctx, e.client, "", lost)...)
}

// ReplacedTags returns the tags in current that are replaced because attach contains another tag of the same SINGLE
// category. It skips ignored categories.
func (l *Ledger) ReplacedTags(
	ctx context.Context, c *vsphere.Client, current, attach []string, skip ignored.Categories,
) ([]string, error) {
	if len(current) == 0 || len(attach) == 0 {
		return nil, nil
	}
	tags, err := l.Tags(ctx, c, current)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, id := range current {
		tag := tags[id]
		if !tag.Single || skip.Match(tag.Category) {
			continue
		}
		siblings, err := c.TagIDs(ctx, tag.CategoryID)
		if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
			return nil, err
		}
		if len(stringset.Intersect(attach, siblings)) > 0 {
			replaced = append(replaced, id)
		}
	}
	return replaced, nil
}
