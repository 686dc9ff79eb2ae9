package assignment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// KeptError lists objects that keep a tag because its replacement could not be attached.
type KeptError struct {
	// Path is the tag's category and name.
	Path    string
	Objects []vsphere.Object
}

// Error lists up to ten objects.
func (e *KeptError) Error() string {
	return fmt.Sprintf("%s stays on %s: the tag that was to take its place could not be attached", e.Path, List(e.Objects))
}

// Advice returns the remedy.
func (*KeptError) Advice() string {
	return "Another resource of this apply could not tag these objects, so they keep the tag that they had. " +
		"Correct what that resource reports and apply again."
}

// BareError lists objects that lost a tag because neither its replacement nor the tag could be attached.
type BareError struct {
	Path    string
	Objects []vsphere.Object
	// Certain is false if it is unknown whether the objects have a tag, because vCenter could not be read.
	Certain bool
	Err     error
}

// Error lists all objects, because no other message lists them.
func (e *BareError) Error() string {
	ids := make([]string, 0, len(e.Objects))
	for _, o := range e.Objects {
		ids = append(ids, o.ID)
	}
	text := "no tag of the category of %s is left on %s: %v"
	if !e.Certain {
		text = "it is not known whether a tag of the category of %s is left on %s: %v"
	}
	return fmt.Sprintf(text, e.Path, strings.Join(ids, ", "), e.Err)
}

// Advice returns the remedy.
func (*BareError) Advice() string {
	return "The tag to attach was rejected after the former one had been detached, and attaching that again failed as " +
		"well. The next plan shows what is missing; correct the cause and apply again."
}

// Unwrap returns the error of restoring the tag.
func (e *BareError) Unwrap() error { return e.Err }

// Detach detaches a tag from objects in bulk. It skips objects that another resource has tagged, and objects that keep
// the tag after a failed Attach. kept lists the latter, asked the objects of the request. Before any write, it returns
// the errors of vsphere.Client.ObjectsWithTag. Positions in errors of DetachTag refer to asked.
func (l *Ledger) Detach(
	ctx context.Context, c *vsphere.Client, tag Tag, objects []vsphere.Object,
) (asked []vsphere.Object, kept *KeptError, err error) {
	asked, keep := split(l, objects, func(o vsphere.Object) placed { return placed{tag.ID, o} })
	if len(keep) > 0 {
		kept = &KeptError{Path: tag.Path(), Objects: keep}
	}
	if len(asked) == 0 {
		return asked, kept, nil
	}
	// Objects in state may have lost the tag, because Terraform destroys resources with values from before the refresh.
	// The request includes hidden objects, so the error lists them.
	carriers, err := c.ObjectsWithTag(ctx, tag.ID)
	if err != nil {
		return asked, kept, err
	}
	l.note(tag, stringset.Intersect(asked, carriers), true)
	l.note(tag, stringset.Without(asked, carriers), false)
	return asked, kept, named(c.DetachTag(ctx, tag.ID, asked), tag.ID, tag.Path())
}

// Delete records the associations of tags before the caller deletes the tags. Errors: vsphere.ErrPermission.
func (l *Ledger) Delete(ctx context.Context, c *vsphere.Client, categoryID string, ids []string) error {
	carriers, err := c.ObjectsByTag(ctx, ids)
	for id, objects := range carriers {
		l.note(Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: categoryID}}}, objects, true)
	}
	return err
}

// split returns the elements whose tag the caller may detach, and the elements that keep the tag because its
// replacement could not be attached. It omits tags that another resource has attached.
func split[T any](l *Ledger, all []T, at func(T) placed) (detach, keep []T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range all {
		switch at := at(e); {
		case l.kept[at]:
			keep = append(keep, e)
		case !l.attachedForOthers[at]:
			detach = append(detach, e)
		}
	}
	return detach, keep
}

// Give records that a resource manages a tag on objects. Other resources then do not detach it. The caller must have
// locked the tag.
func (l *Ledger) Give(tagID string, objects ...vsphere.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.attachedForOthers == nil {
		l.attachedForOthers = make(map[placed]bool)
	}
	for _, o := range objects {
		l.attachedForOthers[placed{tagID, o}] = true
	}
}

func named(err error, id, path string) error {
	if partial, ok := errors.AsType[*vsphere.PartialError](err); ok {
		partial.Operation = strings.ReplaceAll(partial.Operation, id, path)
	}
	if interrupted, ok := errors.AsType[*vsphere.InterruptedError](err); ok {
		interrupted.Operation = strings.ReplaceAll(interrupted.Operation, id, path)
	}
	return err
}

// Attach detaches the former tags of a SINGLE category from objects and attaches a tag in bulk. After an error, it
// restores the former tags and returns the objects that certainly do not have the tag. If a former tag cannot be
// restored, errs contains a *BareError with its objects.
func (l *Ledger) Attach(
	ctx context.Context, c *vsphere.Client, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) (left []vsphere.Object, errs []error) {
	blocked := make(map[vsphere.Object]bool)
	moved := make(map[string][]vsphere.Object)
	for _, o := range objects {
		if id, ok := former[o]; ok {
			moved[id] = append(moved[id], o)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(moved)) {
		was := Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: tag.CategoryID}}}
		l.note(was, moved[id], true)
		err := c.DetachTag(ctx, id, moved[id])
		if err == nil || errors.Is(err, vsphere.ErrNotFound) {
			continue // a deleted tag has no associations
		}
		errs = append(errs, named(err, id, l.Path(ctx, c, id)))
		for _, o := range NotDone(err, moved[id]) {
			blocked[o] = true
		}
	}
	ask := slices.DeleteFunc(slices.Clone(objects), func(o vsphere.Object) bool { return blocked[o] })
	l.note(tag, ask, false)
	err := named(c.AttachTag(ctx, tag.ID, ask), tag.ID, tag.Path())
	if err != nil {
		errs = append(errs, err)
		left = Untouched(err, ask)
	}
	if len(errs) == 0 {
		return nil, nil
	}
	// Restore objects even if they may have the tag, because vCenter rejects a second one.
	back := slices.Collect(maps.Keys(blocked))
	back = append(back, NotDone(err, ask)...)
	lost := make(map[string][]vsphere.Object)
	for _, o := range back {
		if id, ok := former[o]; ok {
			lost[id] = append(lost[id], o)
		}
	}
	errs = append(errs, l.restore(ctx, c, tag.ID, lost)...)
	return append(left, slices.Collect(maps.Keys(blocked))...), errs
}

// restore attaches lost tags again to objects without the new tag. lost maps tags to objects. It continues after a
// cancellation for the grace time.
func (l *Ledger) restore(
	ctx context.Context, c *vsphere.Client, newTag string, lost map[string][]vsphere.Object,
) []error {
	ctx, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		path := l.Path(ctx, c, id)
		err := named(c.AttachTag(ctx, id, lost[id]), id, path)
		l.keep(id, lost[id])
		if err == nil {
			continue
		}
		doubtful := NotDone(err, lost[id])
		bare := &BareError{Path: path, Objects: doubtful, Err: err}
		if carried, readErr := c.TagsOfObjects(ctx, doubtful); readErr == nil {
			bare.Certain = true
			bare.Objects = slices.DeleteFunc(doubtful, func(o vsphere.Object) bool {
				return slices.Contains(carried[o], id) || slices.Contains(carried[o], newTag)
			})
		}
		if len(bare.Objects) > 0 {
			errs = append(errs, bare)
		}
	}
	return errs
}

func (l *Ledger) keep(tagID string, objects []vsphere.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = make(map[placed]bool)
	}
	for _, o := range objects {
		l.kept[placed{tagID, o}] = true
	}
}

// NotDone returns the objects whose change a failed bulk call did not confirm.
func NotDone(err error, objects []vsphere.Object) []vsphere.Object {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &partial):
		return refused(partial, objects)
	case errors.As(err, &interrupted):
		return slices.Clone(objects[interrupted.Confirmed:])
	}
	return slices.Clone(objects)
}

// Untouched returns the objects that a failed bulk call certainly did not change. All other objects are saved to state:
// a refresh removes objects without the tag, but never adds missing ones.
func Untouched(err error, objects []vsphere.Object) []vsphere.Object {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case errors.As(err, &partial):
		return refused(partial, objects)
	case errors.As(err, &interrupted):
		return slices.Clone(objects[interrupted.Reached:])
	}
	return nil
}

func refused(partial *vsphere.PartialError, objects []vsphere.Object) []vsphere.Object {
	ids := make(map[string]bool, len(partial.Refused))
	for _, r := range partial.Refused {
		ids[r.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o vsphere.Object) bool { return !ids[o.ID] })
}

const maxNamed = 10

// List lists up to ten object ids and the number of omitted ones.
func List(objects []vsphere.Object) string {
	return quantity.ListOf(objects, maxNamed, func(o vsphere.Object) string { return o.ID })
}

// Names lists names and ids of up to ten objects and the number of omitted ones. Without a readable name, it lists
// only the id.
func Names(ctx context.Context, c *vsphere.Client, objects []vsphere.Object) string {
	names, err := NamesOf(ctx, c, objects)
	if err != nil {
		return List(objects) // fall back to ids, because names are optional
	}
	return names
}

// NamesOf is like Names, but returns an error if the names cannot be read.
func NamesOf(ctx context.Context, c *vsphere.Client, objects []vsphere.Object) (string, error) {
	var ids []string
	for _, o := range objects[:min(len(objects), maxNamed)] {
		if o.Type == "VirtualMachine" {
			ids = append(ids, o.ID)
		}
	}
	known := make(map[string]string)
	if len(ids) > 0 {
		var err error
		if known, err = c.VMNames(ctx, ids); err != nil {
			return "", err
		}
	}
	return quantity.ListOf(objects, maxNamed, func(o vsphere.Object) string {
		if known[o.ID] != "" {
			return known[o.ID] + " (" + o.ID + ")"
		}
		return o.ID
	}), nil
}
