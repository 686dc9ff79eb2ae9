// Writing associations: a tag that takes another's place, and the way back when it cannot.

package tagledger

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

// KeptError names objects that keep a tag because the tag that was to take its place could not be attached.
type KeptError struct {
	// Path is the tag's category and name.
	Path    string
	Objects []vsphere.Object
}

// Error names the first ten.
func (e *KeptError) Error() string {
	return fmt.Sprintf("%s stays on %s: the tag that was to take its place could not be attached", e.Path, List(e.Objects))
}

// Advice returns what a user can do about it.
func (*KeptError) Advice() string {
	return "Another resource of this apply could not tag these objects, so they keep the tag that they had. " +
		"Correct what that resource reports and apply again."
}

// BareError names objects that have lost a tag and neither got the one that was to take its place nor their own back.
type BareError struct {
	Path    string
	Objects []vsphere.Object
	// Certain is false where vCenter could not be asked.
	Certain bool
	Err     error
}

// Error names all of them: no other message does.
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

// Advice returns what a user can do about it.
func (*BareError) Advice() string {
	return "The tag to attach was rejected after the former one had been detached, and attaching that again failed as " +
		"well. The next plan shows what is missing; correct the cause and apply again."
}

// Unwrap returns why the tag could not be attached again.
func (e *BareError) Unwrap() error { return e.Err }

// Detach detaches a tag from objects in bulk. It leaves it on those that another resource of the run has given it to,
// and on those that keep it because of a failed Attach, which are in kept; kept is nil when there are none. Errors as
// of vsphere.Client.ObjectsWithTag, before anything is written, and of DetachTag, whose positions refer to asked.
func (l *Ledger) Detach(
	ctx context.Context,
	c *vsphere.Client,
	tag Tag,
	objects []vsphere.Object,
) (asked []vsphere.Object, kept *KeptError, err error) {
	asked = make([]vsphere.Object, 0, len(objects))
	var keep []vsphere.Object
	l.mu.Lock()
	for _, o := range objects {
		switch at := (placed{tag.ID, o}); {
		case l.kept[at]:
			keep = append(keep, o)
		case !l.attachedForOthers[at]:
			asked = append(asked, o)
		}
	}
	l.mu.Unlock()
	if len(keep) > 0 {
		kept = &KeptError{Path: tag.Path(), Objects: keep}
	}
	if len(asked) == 0 {
		return asked, kept, nil
	}
	// Objects of the state may have lost the tag: Terraform destroys what left the configuration with the values from
	// before the refresh. A hidden object is asked for as well, and the refusal names it.
	carriers, err := c.ObjectsWithTag(ctx, tag.ID)
	if err != nil {
		return asked, kept, err
	}
	l.note(tag, stringset.Both(asked, carriers), true)
	l.note(tag, stringset.Without(asked, carriers), false)
	return asked, kept, named(c.DetachTag(ctx, tag.ID, asked), tag.ID, tag.Path())
}

// Delete notes what carries tags of a category that the caller deletes with force. Errors: vsphere.ErrPermission.
func (l *Ledger) Delete(ctx context.Context, c *vsphere.Client, categoryID string, ids []string) error {
	carriers, err := c.ObjectsByTag(ctx, ids)
	for id, objects := range carriers {
		l.note(Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: categoryID}}}, objects, true)
	}
	return err
}

// Detachable returns those of the tags that may be detached from an object, and those that it keeps because of a failed
// attach; what another resource of the run has given it is in neither.
func (l *Ledger) Detachable(object vsphere.Object, tagIDs []string) (ids, kept []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range tagIDs {
		switch at := (placed{id, object}); {
		case l.kept[at]:
			kept = append(kept, id)
		case !l.attachedForOthers[at]:
			ids = append(ids, id)
		}
	}
	return ids, kept
}

// Give notes that a resource of the run sees to it that objects carry a tag: one that stops doing so leaves it there.
// The caller has locked the tag.
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

// named puts "category/name" in place of a tag's id into what a bulk call reports.
func named(err error, id, path string) error {
	if partial, ok := errors.AsType[*vsphere.PartialError](err); ok {
		partial.Operation = strings.ReplaceAll(partial.Operation, id, path)
	}
	if interrupted, ok := errors.AsType[*vsphere.InterruptedError](err); ok {
		interrupted.Operation = strings.ReplaceAll(interrupted.Operation, id, path)
	}
	return err
}

// Note keeps whether an object carried tags before they are detached or attached by the caller.
func (l *Ledger) Note(object vsphere.Object, tags []Tag, carried bool) {
	for _, tag := range tags {
		l.note(tag, []vsphere.Object{object}, carried)
	}
}

// Restore attaches a tag again that the caller has detached from an object, because no other tag of the category could
// be attached. The context should outlast a cancelled apply, as that of transport.Grace does.
func (l *Ledger) Restore(ctx context.Context, c *vsphere.Client, object vsphere.Object, tag Tag) error {
	err := named(c.AttachTag(ctx, tag.ID, []vsphere.Object{object}), tag.ID, tag.Path())
	l.keep(tag.ID, []vsphere.Object{object})
	if err != nil {
		// A request whose answer was lost may have been carried out.
		_, refused := errors.AsType[*vsphere.PartialError](err)
		return &BareError{Path: tag.Path(), Objects: []vsphere.Object{object}, Certain: refused, Err: err}
	}
	return nil
}

// Attach attaches a tag to objects in bulk, after it has detached the former tags of its category from them. It
// returns the objects that certainly do not carry the tag after a failure. These get their former tags back; a
// *BareError names those that did not.
func (l *Ledger) Attach(
	ctx context.Context,
	c *vsphere.Client,
	tag Tag,
	objects []vsphere.Object,
	former map[vsphere.Object]string,
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
			continue // a tag that is gone is on nothing
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
	// What may have been attached is tried as well: vCenter refuses a second tag.
	back := slices.Collect(maps.Keys(blocked))
	back = append(back, NotDone(err, ask)...)
	errs = append(errs, l.restore(ctx, c, tag, back, former)...)
	return append(left, slices.Collect(maps.Keys(blocked))...), errs
}

// restore attaches the former tags of objects again. A cancelled apply does not stop it at once: it completes what that
// apply has begun.
func (l *Ledger) restore(
	ctx context.Context,
	c *vsphere.Client,
	tag Tag,
	objects []vsphere.Object,
	former map[vsphere.Object]string,
) []error {
	ctx, cancel := transport.Grace(ctx)
	defer cancel()
	lost := make(map[string][]vsphere.Object)
	for _, o := range objects {
		if id, ok := former[o]; ok {
			lost[id] = append(lost[id], o)
		}
	}
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
				return slices.Contains(carried[o], id) || slices.Contains(carried[o], tag.ID)
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

// NotDone returns the objects for which a failed bulk call did not confirm the requested change.
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

// Untouched returns the objects that a failed bulk call certainly did not change. State claims all others: the next
// refresh drops what does not carry the tag, whereas an object that state does not know of would keep its tag for ever.
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

// maxNamed is how many objects a message names; the rest is counted.
const maxNamed = 10

// List returns the ids of the first ten objects, and how many more there are.
func List(objects []vsphere.Object) string {
	return quantity.ListOf(objects, maxNamed, func(o vsphere.Object) string { return o.ID })
}

// Names returns the names and ids of the first ten objects, and how many more there are; an object whose name cannot be
// read has its id only.
func Names(ctx context.Context, c *vsphere.Client, objects []vsphere.Object) string {
	names, err := NamesOf(ctx, c, objects)
	if err != nil {
		return List(objects) // a name is a help, and no reason to fail
	}
	return names
}

// NamesOf is Names for a text that must not depend on whether the names can be read.
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
