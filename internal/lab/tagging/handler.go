// The HTTP side: /rest/com/vmware/cis/tagging and /api/vcenter/tagging/associations. Sessions are checked before.

package tagging

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Prefix is where the service answers.
const Prefix = "/rest/com/vmware/cis/tagging/"

// ServeHTTP answers one call.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == AssociationsPath {
		s.serveAssociations(w, r)
		return
	}
	resource, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	id := strings.TrimPrefix(rest, "id:")
	action := r.URL.Query().Get("~action")
	if s.isDenied(operation(r.Method, resource, action)) {
		unauthorized("The user lacks the privilege for this operation.").write(w)
		return
	}
	var body struct {
		Create   *wire    `json:"create_spec"`
		Update   *wire    `json:"update_spec"`
		ObjectID *Object  `json:"object_id"`
		Objects  []Object `json:"object_ids"`
		TagIDs   []string `json:"tag_ids"`
		Category string   `json:"category_id"`
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPatch {
		// An empty body is right for the listing calls.
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil && !errors.Is(err, io.EOF) {
			invalid("vapi.json", "The body is not the JSON that the operation takes.").write(w)
			return
		}
	}
	switch {
	case resource == "tag-association":
		s.serveAssociation(w, id, action, body.ObjectID, body.Objects, body.TagIDs)
	case action == "list-tags-for-category":
		s.serveTagsOf(w, id)
	default:
		s.serveObject(w, r.Method, resource, id, body.Create, body.Update)
	}
}

// serveObject creates, reads, changes and deletes categories and tags.
func (s *Store) serveObject(w http.ResponseWriter, method, resource, id string, create, update *wire) {
	switch {
	case method == http.MethodPost && create != nil && id == "":
		s.serveCreate(w, resource, *create)
	case method == http.MethodPatch && update != nil:
		s.serveUpdate(w, resource, id, *update)
	case method == http.MethodGet && id == "":
		s.serveList(w, resource)
	case method == http.MethodGet:
		s.serveGet(w, resource, id)
	case method == http.MethodDelete:
		s.serveDelete(w, resource, id)
	default:
		invalid("vapi.operation", "There is no such operation.").write(w)
	}
}

// operation groups calls by the privilege that they need.
func operation(method, resource, action string) Operation {
	switch {
	case strings.HasPrefix(action, "attach") || strings.HasPrefix(action, "detach"):
		return Assign
	case resource == "tag-association" || action != "" || method == http.MethodGet:
		return Read
	case method == http.MethodPost:
		return Create
	case method == http.MethodPatch:
		return Edit
	default:
		return Delete
	}
}

func (s *Store) isDenied(op Operation) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.denied[op]
}

// wire is a category or a tag in a create or update call.
type wire struct {
	CategoryID      string    `json:"category_id"`
	TagID           string    `json:"tag_id"`
	Name            *string   `json:"name"`
	Description     *string   `json:"description"`
	Cardinality     *string   `json:"cardinality"`
	AssociableTypes *[]string `json:"associable_types"`
}

func (w wire) change() change {
	u := change{Name: w.Name, Description: w.Description, Cardinality: w.Cardinality}
	if w.AssociableTypes != nil {
		bare := make([]string, 0, len(*w.AssociableTypes))
		for _, t := range *w.AssociableTypes {
			t, _, _ = strings.Cut(strings.TrimPrefix(t, "urn:vim25:"), ":")
			bare = append(bare, t)
		}
		u.AssociableTypes = &bare
	}
	return u
}

func (s *Store) serveCreate(w http.ResponseWriter, resource string, spec wire) {
	u := spec.change()
	if u.Name == nil || u.Description == nil ||
		(resource == "category" && (u.Cardinality == nil || u.AssociableTypes == nil)) {
		invalid("vapi.missing_field", "A required field of the specification is missing.").write(w)
		return
	}
	var (
		id string
		f  *fault
	)
	if resource == "category" {
		id, f = s.createCategory(
			Category{
				ID:              spec.CategoryID,
				Name:            *u.Name,
				Description:     *u.Description,
				Cardinality:     *u.Cardinality,
				AssociableTypes: *u.AssociableTypes,
			},
		)
	} else {
		id, f = s.createTag(Tag{ID: spec.TagID, Name: *u.Name, Description: *u.Description, CategoryID: spec.CategoryID})
	}
	answer(w, id, f)
}

func (s *Store) serveUpdate(w http.ResponseWriter, resource, id string, spec wire) {
	if resource == "category" {
		answer(w, nil, s.updateCategory(id, spec.change()))
		return
	}
	answer(w, nil, s.updateTag(id, spec.change()))
}

func (s *Store) serveDelete(w http.ResponseWriter, resource, id string) {
	if resource == "category" {
		answer(w, nil, s.deleteCategory(id))
		return
	}
	answer(w, nil, s.deleteTag(id))
}

func (s *Store) serveList(w http.ResponseWriter, resource string) {
	s.mu.RLock()
	ids := slices.Sorted(maps.Keys(s.tags))
	if resource == "category" {
		ids = slices.Sorted(maps.Keys(s.categories))
	}
	s.mu.RUnlock()
	Value(w, nonNil(ids))
}

func (s *Store) serveTagsOf(w http.ResponseWriter, categoryID string) {
	s.mu.RLock()
	known := s.categories[categoryID] != nil
	var ids []string
	for id, t := range s.tags {
		if t.CategoryID == categoryID {
			ids = append(ids, id)
		}
	}
	s.mu.RUnlock()
	if !known {
		notFound(categoryID).write(w)
		return
	}
	slices.Sort(ids)
	Value(w, nonNil(ids))
}

func (s *Store) serveGet(w http.ResponseWriter, resource, id string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.categories[id]; resource == "category" && c != nil {
		Value(w, map[string]any{
			"id": c.ID, "name": c.Name, "description": c.Description, "cardinality": c.Cardinality,
			"associable_types": nonNil(c.AssociableTypes), "used_by": []string{},
		})
		return
	}
	if t := s.tags[id]; resource == "tag" && t != nil {
		Value(
			w,
			map[string]any{
				"id":          t.ID,
				"name":        t.Name,
				"description": t.Description,
				"category_id": t.CategoryID,
				"used_by":     []string{},
			},
		)
		return
	}
	notFound(id).write(w)
}

func (s *Store) serveAssociation(
	w http.ResponseWriter,
	tagID, action string,
	object *Object,
	objects []Object,
	tagIDs []string,
) {
	if object != nil {
		objects = []Object{*object}
	}
	if tagID != "" {
		tagIDs = []string{tagID}
	}
	switch action {
	case "attach", "detach":
		if object == nil {
			invalid("vapi.missing_field", "The field object_id is missing.").write(w)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		one := s.attach
		if action == "detach" {
			one = s.detach
		}
		answer(w, nil, one(tagID, *object))
	case "attach-tag-to-multiple-objects", "attach-multiple-tags-to-object":
		result, f := s.pairs(s.attach, tagIDs, objects)
		answer(w, result, f)
	case "detach-tag-from-multiple-objects", "detach-multiple-tags-from-object":
		result, f := s.pairs(s.detach, tagIDs, objects)
		answer(w, result, f)
	case "list-attached-objects":
		list, f := s.objectsOf(tagID)
		answer(w, list, f)
	case "list-attached-tags":
		if object == nil {
			invalid("vapi.missing_field", "The field object_id is missing.").write(w)
			return
		}
		Value(w, s.tagsOf(*object))
	case "list-attached-objects-on-tags":
		s.serveObjectsOnTags(w, tagIDs)
	case "list-attached-tags-on-objects":
		s.serveTagsOnObjects(w, objects)
	default:
		invalid("vapi.operation", "There is no such operation.").write(w)
	}
}

func (s *Store) serveObjectsOnTags(w http.ResponseWriter, tagIDs []string) {
	if len(tagIDs) > MaxBatch {
		invalid("cis.tagging.batch", "A call may carry 2,000 ids at most.").write(w)
		return
	}
	list := make([]map[string]any, 0, len(tagIDs))
	for _, id := range tagIDs {
		objects, f := s.objectsOf(id)
		if f != nil {
			f.write(w)
			return
		}
		list = append(list, map[string]any{"tag_id": id, "object_ids": objects})
	}
	Value(w, list)
}

func (s *Store) serveTagsOnObjects(w http.ResponseWriter, objects []Object) {
	if len(objects) > MaxBatch {
		invalid("cis.tagging.batch", "A call may carry 2,000 ids at most.").write(w)
		return
	}
	list := make([]map[string]any, 0, len(objects))
	for _, o := range objects {
		list = append(list, map[string]any{"object_id": o, "tag_ids": s.tagsOf(o)})
	}
	Value(w, list)
}

func answer(w http.ResponseWriter, v any, f *fault) {
	if f != nil {
		f.write(w)
		return
	}
	Value(w, v)
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
