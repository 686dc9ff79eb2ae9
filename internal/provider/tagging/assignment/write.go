package assignment

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// Detach detaches a tag from objects in bulk. It skips objects that another resource tagged, and objects that keep the
// tag because Attach failed. kept contains the latter. requested contains the objects in the order in which they are
// sent, and positions in an error of DetachTag refer to this order. If vsphere.Client.ObjectsWithTag fails, Detach
// returns the error without detaching anything.
func (l *Ledger) Detach(
	ctx context.Context, c *vsphere.Client, tag Tag, objects []vsphere.Object,
) (requested []vsphere.Object, kept *NotReplacedError, err error) {
	requested, keptObjects := splitDetachable(l, objects,
		func(o vsphere.Object) association { return association{tag.ID, o} })
	if len(keptObjects) > 0 {
		kept = &NotReplacedError{Path: tag.Path(), Objects: keptObjects}
	}
	if len(requested) == 0 {
		return requested, kept, nil
	}
	// Objects in state may have lost the tag already, because Terraform destroys resources with their state from before
	// the refresh. The request includes objects that the account cannot read, so that the error lists them.
	tagged, err := c.ObjectsWithTag(ctx, tag.ID)
	if err != nil {
		return requested, kept, err
	}
	l.recordPrior(tag, stringset.Intersect(requested, tagged), true)
	l.recordPrior(tag, stringset.Without(requested, tagged), false)
	return requested, kept, withTagPath(c.DetachTag(ctx, tag.ID, requested), tag.ID, tag.Path())
}

// RecordDelete records the associations of tags before the caller deletes the tags. Errors: vsphere.ErrPermission.
func (l *Ledger) RecordDelete(ctx context.Context, c *vsphere.Client, categoryID string, ids []string) error {
	objectsByTag, err := c.ObjectsByTag(ctx, ids)
	for id, objects := range objectsByTag {
		l.recordPrior(Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: categoryID}}}, objects, true)
	}
	return err
}

// splitDetachable splits elements into those whose tag may be detached, and those that keep the tag because its
// replacement could not be attached. It omits elements that another resource has tagged.
func splitDetachable[T any](l *Ledger, all []T, key func(T) association) (detach, kept []T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range all {
		k := key(e)
		switch {
		case l.kept[k]:
			kept = append(kept, e)
		case !l.managed[k]:
			detach = append(detach, e)
		}
	}
	return detach, kept
}

// MarkManaged records that a resource manages a tag on objects, so that other resources do not detach it. The caller
// must hold the tag's lock.
func (l *Ledger) MarkManaged(tagID string, objects ...vsphere.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.managed == nil {
		l.managed = make(map[association]bool)
	}
	for _, o := range objects {
		l.managed[association{tagID, o}] = true
	}
}

func withTagPath(err error, id, path string) error {
	if partial, ok := errors.AsType[*vsphere.PartialError](err); ok {
		partial.Operation = strings.ReplaceAll(partial.Operation, id, path)
	}
	if interrupted, ok := errors.AsType[*vsphere.InterruptedError](err); ok {
		interrupted.Operation = strings.ReplaceAll(interrupted.Operation, id, path)
	}
	return err
}

// Attach attaches a tag to objects in bulk, after detaching the former tags of its SINGLE category. If a call fails,
// Attach restores the former tags of the affected objects and returns the objects that are known not to have the new
// tag. If a former tag cannot be restored, errs contains a *TagLostError that lists its objects.
func (l *Ledger) Attach(
	ctx context.Context, c *vsphere.Client, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) (untagged []vsphere.Object, errs []error) {
	blocked := make(map[vsphere.Object]bool)
	byFormerTag := make(map[string][]vsphere.Object)
	for _, o := range objects {
		if id, ok := former[o]; ok {
			byFormerTag[id] = append(byFormerTag[id], o)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byFormerTag)) {
		formerTag := Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: tag.CategoryID}}}
		l.recordPrior(formerTag, byFormerTag[id], true)
		err := c.DetachTag(ctx, id, byFormerTag[id])
		if err == nil || errors.Is(err, vsphere.ErrNotFound) {
			continue // a deleted tag has no associations
		}
		errs = append(errs, withTagPath(err, id, l.Path(ctx, c, id)))
		for _, o := range Unconfirmed(err, byFormerTag[id]) {
			blocked[o] = true
		}
	}
	requested := slices.DeleteFunc(slices.Clone(objects), func(o vsphere.Object) bool { return blocked[o] })
	l.recordPrior(tag, requested, false)
	err := withTagPath(c.AttachTag(ctx, tag.ID, requested), tag.ID, tag.Path())
	if err != nil {
		errs = append(errs, err)
		untagged = Unchanged(err, requested)
	}
	if len(errs) == 0 {
		return nil, nil
	}
	// Also restore the former tag of objects that might have the new one. If they have it, vCenter rejects the former
	// tag.
	unconfirmed := slices.Collect(maps.Keys(blocked))
	unconfirmed = append(unconfirmed, Unconfirmed(err, requested)...)
	lost := make(map[string][]vsphere.Object)
	for _, o := range unconfirmed {
		if id, ok := former[o]; ok {
			lost[id] = append(lost[id], o)
		}
	}
	errs = append(errs, l.restore(ctx, c, tag.ID, lost)...)
	return append(untagged, slices.Collect(maps.Keys(blocked))...), errs
}

// restore reattaches lost tags. lost maps each tag to the objects that lost it. For objects that then have neither the
// former tag nor the new one, restore returns a *TagLostError. After a cancellation, it continues until the grace
// period ends.
func (l *Ledger) restore(
	ctx context.Context, c *vsphere.Client, newTag string, lost map[string][]vsphere.Object,
) []error {
	ctx, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		path := l.Path(ctx, c, id)
		err := withTagPath(c.AttachTag(ctx, id, lost[id]), id, path)
		l.markKept(id, lost[id])
		if err == nil {
			continue
		}
		unconfirmed := Unconfirmed(err, lost[id])
		lostErr := &TagLostError{Path: path, Objects: unconfirmed, Err: err}
		if tagsByObject, readErr := c.TagsOfObjects(ctx, unconfirmed); readErr == nil {
			lostErr.Certain = true
			lostErr.Objects = slices.DeleteFunc(unconfirmed, func(o vsphere.Object) bool {
				return slices.Contains(tagsByObject[o], id) || slices.Contains(tagsByObject[o], newTag)
			})
		}
		if len(lostErr.Objects) > 0 {
			errs = append(errs, lostErr)
		}
	}
	return errs
}

func (l *Ledger) markKept(tagID string, objects []vsphere.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = make(map[association]bool)
	}
	for _, o := range objects {
		l.kept[association{tagID, o}] = true
	}
}

// Unconfirmed returns the objects for which a failed bulk call did not confirm the change.
func Unconfirmed(err error, objects []vsphere.Object) []vsphere.Object {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &partial):
		return rejectedObjects(partial, objects)
	case errors.As(err, &interrupted):
		return slices.Clone(objects[interrupted.Confirmed:])
	}
	return slices.Clone(objects)
}

// Unchanged returns the objects that a failed bulk call is known not to have changed. The caller should save all others
// to state: a refresh removes objects that do not have the tag, but never adds objects.
func Unchanged(err error, objects []vsphere.Object) []vsphere.Object {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case errors.As(err, &partial):
		return rejectedObjects(partial, objects)
	case errors.As(err, &interrupted):
		return slices.Clone(objects[interrupted.Reached:])
	}
	return nil
}

func rejectedObjects(partial *vsphere.PartialError, objects []vsphere.Object) []vsphere.Object {
	ids := make(map[string]bool, len(partial.Refused))
	for _, r := range partial.Refused {
		ids[r.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o vsphere.Object) bool { return !ids[o.ID] })
}
