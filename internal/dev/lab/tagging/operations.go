package tagging

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/order"
)

type operation struct {
	privilege Operation
	status    int // success status under /api
	since     Release
	run       func(*Store, request) (any, *fault)
}

const sinceListings = Release90

const sincePatch = Release91

var operations = map[string]operation{
	"GET category":                            {Read, 200, sinceAPI, listCategories},
	"POST category":                           {Create, 201, sinceAPI, createCategory},
	"GET category/{id}":                       {Read, 200, sinceAPI, getCategory},
	"PATCH category/{id}":                     {Edit, 204, sinceAPI, updateCategory},
	"DELETE category/{id}":                    {Delete, 204, sinceAPI, deleteCategory},
	"GET tag":                                 {Read, 200, sinceAPI, listTags},
	"POST tag":                                {Create, 201, sinceAPI, createTag},
	"GET tag/{id}":                            {Read, 200, sinceAPI, getTag},
	"PATCH tag/{id}":                          {Edit, 204, sinceAPI, updateTag},
	"DELETE tag/{id}":                         {Delete, 204, sinceAPI, deleteTag},
	"POST tag?list-tags-for-category":         {Read, 200, sinceAPI, listTagsOfCategory},
	"POST tag-association/{id}?attach":        {Assign, 204, sinceAPI, attachOne},
	"POST tag-association/{id}?detach":        {Assign, 204, sinceAPI, detachOne},
	"POST tag-association?list-attached-tags": {Read, 200, sinceAPI, listAttachedTags},
	"POST tag-association/{id}?list-attached-objects": {Read, 200, sinceAPI, func(s *Store, c request) (any, *fault) {
		return orFault(s.objectsOf(c.id))
	}},
	"POST tag-association/{id}?attach-tag-to-multiple-objects":   {Assign, 200, sinceAPI, attachToMany},
	"POST tag-association/{id}?detach-tag-from-multiple-objects": {Assign, 200, sinceAPI, detachFromMany},
	"POST tag-association?attach-multiple-tags-to-object":        {Assign, 200, sinceAPI, attachMany},
	"POST tag-association?detach-multiple-tags-from-object":      {Assign, 200, sinceAPI, detachMany},
	"POST tag-association?list-attached-objects-on-tags":         {Read, 200, sinceAPI, listObjectsOnTags},
	"POST tag-association?list-attached-tags-on-objects":         {Read, 200, sinceAPI, listTagsOnObjects},

	"GET vcenter/associations":   {Read, 200, Release70, listAssociations},
	"GET vcenter/tags":           {Read, 200, sinceListings, pageTags},
	"GET vcenter/categories":     {Read, 200, sinceListings, pageCategories},
	"PATCH vcenter/associations": {Assign, 200, sincePatch, updateAssociations},
}

func orFault[T any](v T, f *fault) (any, *fault) {
	if f != nil {
		return nil, f
	}
	return v, nil
}

func createCategory(s *Store, c request) (any, *fault) {
	if c.spec == nil {
		return nil, missingField("create_spec")
	}
	u := c.spec.change()
	for name, missing := range map[string]bool{
		"name":             u.Name == nil,
		"description":      u.Description == nil,
		"cardinality":      u.Cardinality == nil,
		"associable_types": u.AssociableTypes == nil,
	} {
		if missing {
			return nil, missingField(name)
		}
	}
	return orFault(s.createCategory(Category{
		ID:              c.spec.CategoryID,
		Name:            *u.Name,
		Description:     *u.Description,
		Cardinality:     *u.Cardinality,
		AssociableTypes: *u.AssociableTypes,
	}))
}

func createTag(s *Store, c request) (any, *fault) {
	switch {
	case c.spec == nil:
		return nil, missingField("create_spec")
	case c.spec.Name == nil:
		return nil, missingField("name")
	case c.spec.Description == nil:
		return nil, missingField("description")
	}
	return orFault(s.createTag(Tag{
		ID:          c.spec.TagID,
		Name:        *c.spec.Name,
		Description: *c.spec.Description,
		CategoryID:  c.spec.CategoryID,
	}))
}

func updateCategory(s *Store, c request) (any, *fault) {
	if c.spec == nil {
		return nil, missingField("update_spec")
	}
	return nil, s.updateCategory(c.id, c.spec.change())
}

func updateTag(s *Store, c request) (any, *fault) {
	if c.spec == nil {
		return nil, missingField("update_spec")
	}
	return nil, s.updateTag(c.id, c.spec.change())
}

func deleteCategory(s *Store, c request) (any, *fault) { return nil, s.deleteCategory(c.id) }

func deleteTag(s *Store, c request) (any, *fault) { return nil, s.deleteTag(c.id) }

func listCategories(s *Store, _ request) (any, *fault) {
	defer s.lock()()
	return nonNil(slices.SortedFunc(maps.Keys(s.categories), order.Compare)), nil
}

func listTags(s *Store, _ request) (any, *fault) {
	defer s.lock()()
	return nonNil(slices.SortedFunc(maps.Keys(s.tags), order.Compare)), nil
}

func listTagsOfCategory(s *Store, c request) (any, *fault) {
	defer s.lock()()
	if s.categories[c.categoryID] == nil {
		return nil, notFound(c.categoryID)
	}
	return s.tagIDs(func(t *Tag) bool { return t.CategoryID == c.categoryID }), nil
}

// tagIDs returns the sorted IDs of the matching tags. The caller must hold the lock.
func (s *Store) tagIDs(match func(*Tag) bool) []string {
	ids := []string{}
	for id, t := range s.tags {
		if match(t) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, order.Compare)
	return ids
}

func getCategory(s *Store, r request) (any, *fault) {
	defer s.lock()()
	c := s.categories[r.id]
	if c == nil {
		return nil, notFound(r.id)
	}
	model := c.info()
	model["id"] = c.ID
	return model, nil
}

func (c Category) info() map[string]any {
	return map[string]any{
		"name":             c.Name,
		"description":      c.Description,
		"cardinality":      c.Cardinality,
		"associable_types": nonNil(c.AssociableTypes),
		"used_by":          []string{},
	}
}

func getTag(s *Store, r request) (any, *fault) {
	defer s.lock()()
	t := s.tags[r.id]
	if t == nil {
		return nil, notFound(r.id)
	}
	return map[string]any{
		"id":          t.ID,
		"name":        t.Name,
		"description": t.Description,
		"category_id": t.CategoryID,
		"used_by":     []string{},
	}, nil
}

func tooMany() *fault { return invalid("cis.tagging.batch", "A call may carry 2,000 ids at most.") }

func attachOne(s *Store, c request) (any, *fault) { return s.one(c, s.attach) }

func detachOne(s *Store, c request) (any, *fault) { return s.one(c, s.detach) }

func (s *Store) one(c request, do func(string, Object) *fault) (any, *fault) {
	if c.object == nil {
		return nil, missingField("object_id")
	}
	defer s.lock()()
	return nil, do(c.id, *c.object)
}

func attachToMany(s *Store, c request) (any, *fault) { return s.toMany(c, s.attach) }

func detachFromMany(s *Store, c request) (any, *fault) { return s.toMany(c, s.detach) }

func (s *Store) toMany(c request, do func(string, Object) *fault) (any, *fault) {
	if c.objects == nil {
		return nil, missingField("object_ids")
	}
	return orFault(s.pairs(do, true, []string{c.id}, c.objects))
}

func attachMany(s *Store, c request) (any, *fault) { return s.many(c, s.attach) }

func detachMany(s *Store, c request) (any, *fault) { return s.many(c, s.detach) }

func (s *Store) many(c request, do func(string, Object) *fault) (any, *fault) {
	switch {
	case c.object == nil:
		return nil, missingField("object_id")
	case c.tagIDs == nil:
		return nil, missingField("tag_ids")
	}
	return orFault(s.pairs(do, false, c.tagIDs, []Object{*c.object}))
}

func listAttachedTags(s *Store, c request) (any, *fault) {
	if c.object == nil {
		return nil, missingField("object_id")
	}
	return orFault(s.tagsOf(*c.object))
}

func listObjectsOnTags(s *Store, c request) (any, *fault) {
	switch {
	case c.tagIDs == nil:
		return nil, missingField("tag_ids")
	case len(c.tagIDs) > MaxBatch:
		return nil, tooMany()
	}
	list := make([]map[string]any, 0, len(c.tagIDs))
	for _, id := range c.tagIDs {
		objects, f := s.objectsOf(id)
		if f != nil {
			return nil, f
		}
		list = append(list, map[string]any{"tag_id": id, "object_ids": objects})
	}
	return list, nil
}

func listTagsOnObjects(s *Store, c request) (any, *fault) {
	switch {
	case c.objects == nil:
		return nil, missingField("object_ids")
	case len(c.objects) > MaxBatch:
		return nil, tooMany()
	}
	list := make([]map[string]any, 0, len(c.objects))
	for _, o := range c.objects {
		ids, f := s.tagsOf(o)
		if f != nil {
			return nil, f
		}
		list = append(list, map[string]any{"object_id": o, "tag_ids": ids})
	}
	return list, nil
}
