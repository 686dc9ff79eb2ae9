package assignment

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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

// distributedSwitch is the end of the names of all types of distributed switches.
const distributedSwitch = "DistributedVirtualSwitch"

// nameOf returns the name that this run plans for a tag or category, and otherwise the name that it has.
func (l *Ledger) nameOf(id, name string) string {
	if planned, ok := l.plannedNames.Load(id); ok {
		name, _ = planned.(string)
	}
	return name
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
