// Package tagledger records the tag associations that one run of the provider changes.
//
// Terraform plans a change again just before it applies it, in another process than the first time, and insists on the
// same values. Between the two, other resources of the same apply have written. The ledger notes each write, so that a
// plan can be made from the state before the first of them. It also orders the writes of a category that allows
// one tag per object, and finds objects that two resources want to tag differently. docs/adr/0007-tier-moves.md has the
// reasons.
package tagledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vsphere"
)

// Tag is a tag with the limits of its category.
type Tag struct {
	vsphere.NamedTag

	// Single reports whether an object may carry one tag of the category only.
	Single bool
	// types are the object types that the category allows; empty means every type.
	types []string
}

// Attachable reports whether a tag can be attached to objects of a type, by the types that its category allows or that
// this run plans for it.
func (l *Ledger) Attachable(tag Tag, objectType string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	allowed, planned := l.types[tag.CategoryID]
	if !planned {
		allowed = tag.types
	}
	// vCenter names a distributed switch by its class or by that of its vendor.
	same := func(t string) bool {
		return t == objectType ||
			(strings.HasSuffix(t, distributedSwitch) && strings.HasSuffix(objectType, distributedSwitch))
	}
	return vsphere.MeansEveryType(allowed) || slices.ContainsFunc(allowed, same)
}

const distributedSwitch = "DistributedVirtualSwitch"

// PlanTypes notes which object types a category allows after this run; none means every type.
func (l *Ledger) PlanTypes(categoryID string, types []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.types == nil {
		l.types = make(map[string][]string)
	}
	l.types[categoryID] = types
}

// Ledger is safe for concurrent use; the zero value is empty.
type Ledger struct {
	tags       reading.Shared[Tag]
	categories reading.Shared[vsphere.Category]
	former     reading.Shared[map[vsphere.Object]string]

	mu                sync.Mutex
	before            map[string]*written
	kept              map[placed]bool
	attachedForOthers map[placed]bool
	claimed           map[placed]bool
	replacedBy        map[placed]string
	nextTag           map[placed]string // by category and object
	moves             map[string]bool   // tags whose associations this run plans to change
	locks             map[string]*semaphore.Weighted
	types             map[string][]string // by category, as this run plans them
}

// placed is a tag on an object.
type placed struct {
	tag    string
	object vsphere.Object
}

// written records the changes of one tag: whether each object carried it before the first change.
type written struct {
	category string
	carried  map[vsphere.Object]bool
}

// Tag reads a tag and its category, once for each run. Errors: vsphere.ErrNotFound, vsphere.ErrPermission.
func (l *Ledger) Tag(ctx context.Context, c *vsphere.Client, id string) (Tag, error) {
	return l.tags.Get(ctx, id, func(ctx context.Context) (Tag, error) {
		tag, err := c.RefreshTag(ctx, id)
		if err != nil {
			return Tag{}, err
		}
		category, err := l.Category(ctx, c, tag.CategoryID)
		return Tag{
			NamedTag: vsphere.NamedTag{Tag: tag, Category: category.Name},
			Single:   category.Cardinality == vsphere.Single,
			types:    category.AssociableTypes,
		}, err
	})
}

// Tags reads tags by id, ten at a time, each once for each run. One that no longer exists is absent. Errors:
// vsphere.ErrPermission.
func (l *Ledger) Tags(ctx context.Context, c *vsphere.Client, ids []string) (map[string]Tag, error) {
	found := make([]Tag, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(10)
	for i, id := range ids {
		group.Go(func() error {
			tag, err := l.Tag(ctx, c, id)
			if errors.Is(err, vsphere.ErrNotFound) {
				return nil
			}
			found[i] = tag
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	tags := make(map[string]Tag, len(ids))
	for _, tag := range found {
		if tag.ID != "" {
			tags[tag.ID] = tag
		}
	}
	return tags, nil
}

// Category reads a category, once for each run. A caller that changes its cardinality calls this first: the plans of
// the run were made with the former one.
func (l *Ledger) Category(ctx context.Context, c *vsphere.Client, id string) (vsphere.Category, error) {
	return l.categories.Get(
		ctx,
		id,
		func(ctx context.Context) (vsphere.Category, error) { return c.RefreshCategory(ctx, id) },
	)
}

// Path returns "category/name" of a tag, or its id where it cannot be read.
func (l *Ledger) Path(ctx context.Context, c *vsphere.Client, id string) string {
	tag, err := l.Tag(ctx, c, id)
	if err != nil {
		return id
	}
	return tag.Path()
}

// Carriers lists what carried a tag before this run changed that, sorted. A tag that is gone has none. Errors:
// vsphere.ErrPermission.
func (l *Ledger) Carriers(ctx context.Context, c *vsphere.Client, tagID string) ([]vsphere.Object, error) {
	objects, err := c.RefreshObjectsWithTag(ctx, tagID)
	if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.before[tagID]; w != nil {
		objects = slices.DeleteFunc(objects, func(o vsphere.Object) bool { _, changed := w.carried[o]; return changed })
		for o, carried := range w.carried {
			if carried {
				objects = append(objects, o)
			}
		}
	}
	slices.SortFunc(objects, func(a, b vsphere.Object) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
	return objects, nil
}

// TagsOf lists the tags that an object carried before this run changed that, sorted. Errors: vsphere.ErrPermission.
func (l *Ledger) TagsOf(ctx context.Context, c *vsphere.Client, object vsphere.Object) ([]string, error) {
	now, err := c.RefreshTagsOfObject(ctx, object)
	if errors.Is(err, vsphere.ErrPermission) {
		now, err = c.TagsOfNewObject(ctx, object) // the same apply may have just created it
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tags := slices.Clone(now)
	for id, w := range l.before {
		carried, changed := w.carried[object]
		if !changed {
			continue
		}
		tags = slices.DeleteFunc(tags, func(t string) bool { return t == id })
		if carried {
			tags = append(tags, id)
		}
	}
	slices.Sort(tags)
	return tags, nil
}

// Former returns, of a category that allows one tag per object, which other tag each of the objects carried before this
// run changed that; objects without one are absent, as are all for other categories. It costs two requests for each
// category and run. Errors: vsphere.ErrPermission.
func (l *Ledger) Former(
	ctx context.Context,
	c *vsphere.Client,
	tag Tag,
	objects []vsphere.Object,
) (map[vsphere.Object]string, error) {
	former := make(map[vsphere.Object]string)
	if !tag.Single || len(objects) == 0 {
		return former, nil
	}
	all, err := l.former.Get(ctx, tag.CategoryID, func(ctx context.Context) (map[vsphere.Object]string, error) {
		return l.readFormer(ctx, c, tag.CategoryID)
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

func (l *Ledger) readFormer(
	ctx context.Context,
	c *vsphere.Client,
	categoryID string,
) (map[vsphere.Object]string, error) {
	ids, err := c.TagIDs(ctx, categoryID)
	if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		return nil, err
	}
	byTag, err := c.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	on := make(map[vsphere.Object]string)
	for id, objects := range byTag {
		for _, o := range objects {
			on[o] = id
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// What the run has attached goes first: the object may have carried another tag of the category then.
	for _, before := range []bool{false, true} {
		for id, w := range l.before {
			if w.category != categoryID && !slices.Contains(ids, id) {
				continue
			}
			for o, carried := range w.carried {
				switch {
				case carried != before:
				case carried:
					on[o] = id
				case on[o] == id:
					delete(on, o)
				}
			}
		}
	}
	return on, nil
}

// note keeps whether objects carried a tag before a write; the first write decides.
func (l *Ledger) note(tag Tag, objects []vsphere.Object, carried bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before == nil {
		l.before = make(map[string]*written)
	}
	w := l.before[tag.ID]
	if w == nil {
		w = &written{category: tag.CategoryID, carried: make(map[vsphere.Object]bool, len(objects))}
		l.before[tag.ID] = w
	}
	for _, o := range objects {
		if _, known := w.carried[o]; !known {
			w.carried[o] = carried
		}
	}
}

const whole = 1 << 30

// Lock waits for the writes of others to tags, and to the categories of those that are Single, and returns what ends
// the own ones. With shared set, others that share may write at the same time.
func (l *Ledger) Lock(ctx context.Context, shared bool, tags []Tag) (unlock func(), err error) {
	weight := int64(whole)
	if shared {
		weight = 1
	}
	keys := make([]string, 0, 2*len(tags))
	for _, tag := range tags {
		keys = append(keys, tag.ID)
		if tag.Single {
			keys = append(keys, tag.CategoryID)
		}
	}
	slices.Sort(keys) // one order for all, so that no two wait for each other
	var locked []*semaphore.Weighted
	unlock = func() {
		for _, lock := range locked {
			lock.Release(weight)
		}
	}
	for _, key := range slices.Compact(keys) {
		lock := l.lock(key)
		if err := lock.Acquire(ctx, weight); err != nil {
			unlock()
			return nil, err
		}
		locked = append(locked, lock)
	}
	return unlock, nil
}

func (l *Ledger) lock(key string) *semaphore.Weighted {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks = make(map[string]*semaphore.Weighted)
	}
	if l.locks[key] == nil {
		l.locks[key] = semaphore.NewWeighted(whole)
	}
	return l.locks[key]
}
