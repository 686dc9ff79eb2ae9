package tagging

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/order"
)

// attach attaches a tag to an object, unless it is already attached. The caller must hold the lock.
func (s *Store) attach(tagID string, o Object) *fault {
	t := s.tags[tagID]
	if t == nil {
		return notFound(tagID)
	}
	if f := s.touch(o); f != nil {
		return f
	}
	if s.attached[tagID][o] {
		return nil
	}
	if s.unattached[[2]string{tagID, o.ID}] || s.unattached[[2]string{"", o.ID}] {
		return unauthorized("The user may not attach the tag to the object.", o.ID)
	}
	if f := s.attachable(t, o); f != nil {
		return f
	}
	if s.attached[tagID] == nil {
		s.attached[tagID] = make(map[Object]bool)
	}
	if s.carried[o] == nil {
		s.carried[o] = make(map[string]bool)
	}
	s.attached[tagID][o] = true
	s.carried[o][tagID] = true
	return nil
}

// attachable checks the category's associable types and cardinality. The caller must hold the lock.
func (s *Store) attachable(t *Tag, o Object) *fault {
	c := s.categories[t.CategoryID]
	if len(c.AssociableTypes) > 0 && !slices.Contains(c.AssociableTypes, o.Type) {
		return invalid("cis.tagging.attach.invalidArgument.associable_types.error",
			"The tag cannot be attached to an object of this type.", o.ID)
	}
	if c.Cardinality == "SINGLE" {
		for other := range s.carried[o] {
			if other != t.ID && s.tags[other].CategoryID == t.CategoryID {
				return invalid("cis.tagging.attach.invalidArgument.cardinality.error",
					"The object has a tag of this category already, and its cardinality is SINGLE.", o.ID)
			}
		}
	}
	return nil
}

// detach detaches a tag from an object, if it is attached. The caller must hold the lock.
func (s *Store) detach(tagID string, o Object) *fault {
	if s.tags[tagID] == nil {
		return notFound(tagID)
	}
	if f := s.touch(o); f != nil {
		return f
	}
	delete(s.attached[tagID], o)
	delete(s.carried[o], tagID)
	return nil
}

// touch checks whether an object can be tagged. vCenter returns the same error for missing objects and for missing
// privileges.
func (s *Store) touch(o Object) *fault {
	if !s.exists(o) || s.refused[o.ID] || s.hidden[o.ID] || s.isSettling(o) {
		return unauthorized("The object does not exist, or the user may not tag it.", o.ID)
	}
	return nil
}

func (s *Store) isSettling(o Object) bool {
	if s.settling[o.ID] == 0 {
		return false
	}
	s.settling[o.ID]--
	return true
}

// pairs calls the function one for each combination of a tag and an object, and collects the failures. If named is set,
// the tag is part of the path, so a missing tag makes the entire call fail.
func (s *Store) pairs(one func(string, Object) *fault, named bool, tagIDs []string, objects []Object) (batch, *fault) {
	if len(tagIDs) > MaxBatch || len(objects) > MaxBatch {
		return batch{}, tooMany()
	}
	defer s.lock()()
	result := batch{Success: true, Messages: []message{}}
	for _, tagID := range tagIDs {
		if s.tags[tagID] == nil && named {
			return batch{}, notFound(tagID)
		}
		for _, o := range objects {
			if f := one(tagID, o); f != nil {
				result.Success = false
				m := f.messages[0]
				m.Args = []string{tagID, s.urn(o)}
				result.Messages = append(result.Messages, m)
			}
		}
	}
	return result, nil
}

func (s *Store) objectsOf(tagID string) ([]Object, *fault) {
	defer s.lock()()
	if s.tags[tagID] == nil {
		return nil, notFound(tagID)
	}
	objects := make([]Object, 0, len(s.attached[tagID]))
	for o := range s.attached[tagID] {
		if s.exists(o) && !s.hidden[o.ID] {
			objects = append(objects, o)
		}
	}
	order.By(objects, Object.key)
	return objects, nil
}

// tagsOf returns the IDs of an object's tags. For a missing object, it returns none, or an error if ForbidGone is set.
func (s *Store) tagsOf(o Object) ([]string, *fault) {
	defer s.lock()()
	switch {
	case s.isSettling(o), s.hidden[o.ID], s.forbidGone && !s.exists(o):
		return nil, unauthorized("The object does not exist, or the user may not read it.", s.urn(o))
	case !s.exists(o):
		return []string{}, nil
	}
	return nonNil(slices.SortedFunc(maps.Keys(s.carried[o]), order.Compare)), nil
}

func (o Object) key() string { return o.Type + ":" + o.ID }
