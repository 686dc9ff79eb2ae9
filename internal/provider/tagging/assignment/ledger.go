package assignment

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

// Tag is a tag with the restrictions of its category.
type Tag struct {
	vsphere.NamedTag

	// Single reports whether the category allows only one tag per object.
	Single bool
	// types lists the allowed object types. If it is empty, all types are allowed.
	types []string
}

// Attachable reports whether a tag can be attached to objects of a type. Types that this run adds to the tag's category
// count as allowed.
func (l *Ledger) Attachable(tag Tag, objectType string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	allowed, planned := l.plannedTypes[tag.CategoryID]
	if !planned {
		allowed = tag.types
	}
	// vCenter reports a distributed switch as either the base class or the vendor's subclass.
	same := func(t string) bool {
		bothSwitches := strings.HasSuffix(t, distributedSwitch) && strings.HasSuffix(objectType, distributedSwitch)
		return t == objectType || bothSwitches
	}
	return vsphere.AllowsAllTypes(allowed) || slices.ContainsFunc(allowed, same)
}

const distributedSwitch = "DistributedVirtualSwitch"

// PlanTypes records the planned object types of a category. If types is empty, all types are allowed.
func (l *Ledger) PlanTypes(categoryID string, types []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plannedTypes == nil {
		l.plannedTypes = make(map[string][]string)
	}
	l.plannedTypes[categoryID] = types
}

// PlanName records the planned name of a tag or a category. An apply renames it before what refers to it is planned
// again, so a plan must show the same name.
func (l *Ledger) PlanName(id, name string) {
	if name != "" {
		l.plannedNames.Store(id, name)
	}
}

func (l *Ledger) nameOf(id, name string) string {
	if planned, ok := l.plannedNames.Load(id); ok {
		name, _ = planned.(string)
	}
	return name
}

// Ledger records the tag associations that this run changes. It is safe for concurrent use. The zero value is empty.
type Ledger struct {
	tags       reading.Shared[Tag]
	categories reading.Shared[vsphere.Category]
	priorTags  reading.Shared[map[vsphere.Object]string]

	mu            sync.Mutex
	prior         map[string]*priorTagging
	kept          map[association]bool
	managed       map[association]bool
	attachPlanned map[association]bool
	replacedBy    map[association]string
	plannedTag    map[association]string // keyed by category and object
	movePlanned   map[string]bool        // tags whose objects will change
	locks         map[string]*semaphore.Weighted
	plannedTypes  map[string][]string
	plannedNames  sync.Map
}

type association struct {
	tagID  string
	object vsphere.Object
}

// priorTagging records, for each changed object, whether it had the tag before the first change.
type priorTagging struct {
	categoryID string
	hadTag     map[vsphere.Object]bool
}

// Tag returns a tag with its category and their planned names. The result is cached for the run. Errors:
// vsphere.ErrNotFound, vsphere.ErrPermission.
func (l *Ledger) Tag(ctx context.Context, c *vsphere.Client, id string) (Tag, error) {
	tag, err := l.tags.Get(ctx, id, func(ctx context.Context) (Tag, error) {
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
	tag.Name = l.nameOf(id, tag.Name)
	tag.Category = l.nameOf(tag.CategoryID, tag.Category)
	return tag, err
}

// Tags returns tags by ID and caches them for the run. It reads up to ten at a time and skips tags that do not exist.
// Errors: vsphere.ErrPermission.
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

// Category returns a category and caches it for the run. Call it before the cardinality changes, because the run's
// plans are based on the former cardinality.
func (l *Ledger) Category(ctx context.Context, c *vsphere.Client, id string) (vsphere.Category, error) {
	return l.categories.Get(ctx, id,
		func(ctx context.Context) (vsphere.Category, error) { return c.RefreshCategory(ctx, id) })
}

// Path returns "category/name" for a tag, or its ID if the tag cannot be read.
func (l *Ledger) Path(ctx context.Context, c *vsphere.Client, id string) string {
	tag, err := l.Tag(ctx, c, id)
	if err != nil {
		return id
	}
	return tag.Path()
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

const exclusiveWeight = 1 << 30

// Lock locks tags and their SINGLE categories. Callers that set shared do not block each other. The caller must call
// unlock.
func (l *Ledger) Lock(ctx context.Context, shared bool, tags []Tag) (unlock func(), err error) {
	weight := int64(exclusiveWeight)
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
	slices.Sort(keys) // a common order prevents deadlocks
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
		l.locks[key] = semaphore.NewWeighted(exclusiveWeight)
	}
	return l.locks[key]
}

// guard locks the ledger. The result unlocks it.
