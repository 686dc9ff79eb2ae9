package assignment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
)

// priorTagging records, for each changed object, whether it had the tag before the first change.
type priorTagging struct {
	categoryID string
	hadTag     map[vsphere.Object]bool
}

// PriorObjects returns the sorted objects that had a tag before this run's changes. If the tag does not exist, the list
// is empty. Errors: vsphere.ErrPermission.
func (l *Ledger) PriorObjects(ctx context.Context, c *vsphere.Client, tagID string) ([]vsphere.Object, error) {
	objects, err := c.RefreshObjectsWithTag(ctx, tagID)
	if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.prior[tagID]; w != nil {
		objects = slices.DeleteFunc(objects, func(o vsphere.Object) bool {
			_, changed := w.hadTag[o]
			return changed
		})
		for o, hadTag := range w.hadTag {
			if hadTag {
				objects = append(objects, o)
			}
		}
	}
	slices.SortFunc(objects, func(a, b vsphere.Object) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
	return objects, nil
}

// PriorTags returns the sorted tags that an object had before this run's changes. Errors: vsphere.ErrPermission.
func (l *Ledger) PriorTags(ctx context.Context, c *vsphere.Client, object vsphere.Object) ([]string, error) {
	current, err := c.RefreshTagsOfObject(ctx, object)
	if errors.Is(err, vsphere.ErrPermission) {
		current, err = c.TagsOfNewObject(ctx, object) // vCenter may not yet find an object created in this apply
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tags := slices.Clone(current)
	for id, w := range l.prior {
		hadTag, changed := w.hadTag[object]
		if !changed {
			continue
		}
		tags = slices.DeleteFunc(tags, func(t string) bool { return t == id })
		if hadTag {
			tags = append(tags, id)
		}
	}
	slices.Sort(tags)
	return tags, nil
}

// PriorTagByObject maps each object to the tag that it had before this run's changes in the SINGLE category of the
// given tag. It omits objects that had no such tag or already had the given one. If the category is not SINGLE, the
// result is empty. Each category is read once per run. Errors: vsphere.ErrPermission.
func (l *Ledger) PriorTagByObject(
	ctx context.Context, c *vsphere.Client, tag Tag, objects []vsphere.Object,
) (map[vsphere.Object]string, error) {
	former := make(map[vsphere.Object]string)
	if !tag.Single || len(objects) == 0 {
		return former, nil
	}
	all, err := l.priorTags.Get(ctx, tag.CategoryID, func(ctx context.Context) (map[vsphere.Object]string, error) {
		return l.readPriorTagByObject(ctx, c, tag.CategoryID)
	})
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if id, ok := all[o]; ok && id != tag.ID {
			former[o] = id
		}
	}
	return former, nil
}

func (l *Ledger) readPriorTagByObject(
	ctx context.Context, c *vsphere.Client, categoryID string,
) (map[vsphere.Object]string, error) {
	ids, err := c.TagIDs(ctx, categoryID)
	if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		return nil, err
	}
	byTag, err := c.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	tagByObject := make(map[vsphere.Object]string)
	for id, objects := range byTag {
		for _, o := range objects {
			tagByObject[o] = id
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// First remove the tags that this run attached, then add the tags that it detached.
	for _, attached := range []bool{false, true} {
		for id, w := range l.prior {
			if w.categoryID != categoryID && !slices.Contains(ids, id) {
				continue
			}
			for o, hadTag := range w.hadTag {
				switch {
				case hadTag != attached:
				case hadTag:
					tagByObject[o] = id
				case tagByObject[o] == id:
					delete(tagByObject, o)
				}
			}
		}
	}
	return tagByObject, nil
}

// recordPrior records whether objects had a tag before a write. It keeps only the first record for each object.
func (l *Ledger) recordPrior(tag Tag, objects []vsphere.Object, hadTag bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.prior == nil {
		l.prior = make(map[string]*priorTagging)
	}
	w := l.prior[tag.ID]
	if w == nil {
		w = &priorTagging{categoryID: tag.CategoryID, hadTag: make(map[vsphere.Object]bool, len(objects))}
		l.prior[tag.ID] = w
	}
	for _, o := range objects {
		if _, known := w.hadTag[o]; !known {
			w.hadTag[o] = hadTag
		}
	}
}

// HasWritten reports whether this run has attached the tag to the VM or detached it from the VM.
func (l *Ledger) HasWritten(tagID, vmID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, written := l.prior[tagID]
	if written {
		_, written = w.hadTag[vsphere.Object{Type: "VirtualMachine", ID: vmID}]
	}
	return written
}
