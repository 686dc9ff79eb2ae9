// Package tagging is a vCenter's tagging service, in memory: categories, tags and associations with the rules that a
// real vCenter enforces and govmomi's simulator does not (cardinality, associable types, unknown objects, batch
// results).
//
// It is written from the API's description and shares no code with the client that it tests. Which behaviours are
// vCenter's for certain, and which are assumed, is in docs/adr/0004-lab-fidelity.md.
package tagging

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The limits of the service.
const (
	// MaxBatch is how many ids a bulk call may carry.
	MaxBatch = 2000
	// maxName is how long a name may be, in characters.
	maxName = 256
)

// Object identifies a managed object.
type Object struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Category is a tag category. AssociableTypes are bare type names; empty means every type.
type Category struct {
	ID, Name, Description, Cardinality string
	AssociableTypes                    []string
}

// Tag is a tag.
type Tag struct {
	ID, Name, Description, CategoryID string
}

// Operation is a group of calls that one privilege guards.
type Operation string

// The operations that Deny takes.
const (
	Read   Operation = "read"
	Create Operation = "create"
	Edit   Operation = "edit"
	Delete Operation = "delete"
	Assign Operation = "assign"
)

// Store holds the service's state. It is safe for concurrent use.
type Store struct {
	exists func(Object) bool

	mu         sync.RWMutex
	next       int
	categories map[string]*Category
	tags       map[string]*Tag
	byName     map[string]string // category id and tag name, and "" and category name, to id
	attached   map[string]map[Object]bool
	carried    map[Object]map[string]bool
	refused    map[string]bool
	denied     map[Operation]bool
	older      bool
}

// New makes an empty service for a vCenter in which exists tells which objects there are.
func New(exists func(Object) bool) *Store {
	return &Store{
		exists:     exists,
		categories: make(map[string]*Category), tags: make(map[string]*Tag), byName: make(map[string]string),
		attached: make(map[string]map[Object]bool), carried: make(map[Object]map[string]bool),
		refused: make(map[string]bool), denied: make(map[Operation]bool),
	}
}

// Refuse makes every attach and detach of an object fail; in a batch, that of the others goes on. False ends it.
func (s *Store) Refuse(objectID string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[objectID] = refuse
}

// Deny takes the privilege for an operation away, or gives it back.
func (s *Store) Deny(op Operation, deny bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[op] = deny
}

// Older makes the service that of a vCenter before 7.0, without the listing of all associations.
func (s *Store) Older() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.older = true
}

func nameKey(categoryID, name string) string { return categoryID + "\x00" + name }

// newID numbers objects in the form of vCenter's ids, so that two runs give the same ids.
func (s *Store) newID(kind string) string {
	s.next++
	digits := strconv.Itoa(s.next)
	return "urn:vmomi:" + kind + ":00000000-0000-4000-8000-" + strings.Repeat("0", 12-len(digits)) + digits + ":GLOBAL"
}

func (s *Store) createCategory(c Category) (string, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := checkName(c.Name); f != nil {
		return "", f
	}
	if c.Cardinality != "SINGLE" && c.Cardinality != "MULTIPLE" {
		return "", invalid("cis.tagging.cardinality", "The cardinality must be SINGLE or MULTIPLE.")
	}
	if c.ID == "" {
		c.ID = s.newID("InventoryServiceCategory")
	}
	if _, taken := s.byName[nameKey("", c.Name)]; taken || s.categories[c.ID] != nil {
		return "", exists("category", c.Name)
	}
	s.categories[c.ID] = &c
	s.byName[nameKey("", c.Name)] = c.ID
	return c.ID, nil
}

func (s *Store) createTag(t Tag) (string, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := checkName(t.Name); f != nil {
		return "", f
	}
	if s.categories[t.CategoryID] == nil {
		return "", notFound(t.CategoryID)
	}
	if t.ID == "" {
		t.ID = s.newID("InventoryServiceTag")
	}
	if _, taken := s.byName[nameKey(t.CategoryID, t.Name)]; taken || s.tags[t.ID] != nil {
		return "", exists("tag", t.Name)
	}
	s.tags[t.ID] = &t
	s.byName[nameKey(t.CategoryID, t.Name)] = t.ID
	return t.ID, nil
}

// change is an update: nil fields are left as they are, an empty description is set.
type change struct {
	Name, Description, Cardinality *string
	AssociableTypes                *[]string
}

func (s *Store) updateCategory(id string, u change) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.categories[id]
	if c == nil {
		return notFound(id)
	}
	next := *c
	if u.Cardinality != nil && *u.Cardinality != c.Cardinality {
		if c.Cardinality == "MULTIPLE" {
			return invalid("cis.tagging.cardinality", "The cardinality can be changed from SINGLE to MULTIPLE only.")
		}
		next.Cardinality = *u.Cardinality
	}
	if u.AssociableTypes != nil {
		wanted := *u.AssociableTypes
		if narrows(c.AssociableTypes, wanted) {
			return invalid("cis.tagging.associable_types", "Associable types can be added only.")
		}
		next.AssociableTypes = wanted
	}
	if f := s.rename("", c.Name, u.Name, id, "category"); f != nil {
		return f
	}
	set(&next.Name, u.Name)
	set(&next.Description, u.Description)
	*c = next
	return nil
}

func (s *Store) updateTag(id string, u change) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tags[id]
	if t == nil {
		return notFound(id)
	}
	if f := s.rename(t.CategoryID, t.Name, u.Name, id, "tag"); f != nil {
		return f
	}
	set(&t.Name, u.Name)
	set(&t.Description, u.Description)
	return nil
}

// rename moves the name's entry; the caller holds the lock.
func (s *Store) rename(scope, old string, name *string, id, kind string) *fault {
	if name == nil || *name == old {
		return nil
	}
	if f := checkName(*name); f != nil {
		return f
	}
	if _, taken := s.byName[nameKey(scope, *name)]; taken {
		return exists(kind, *name)
	}
	delete(s.byName, nameKey(scope, old))
	s.byName[nameKey(scope, *name)] = id
	return nil
}

func (s *Store) deleteCategory(id string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.categories[id]
	if c == nil {
		return notFound(id)
	}
	for tagID, t := range s.tags {
		if t.CategoryID == id {
			s.dropTag(tagID)
		}
	}
	delete(s.byName, nameKey("", c.Name))
	delete(s.categories, id)
	return nil
}

func (s *Store) deleteTag(id string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tags[id] == nil {
		return notFound(id)
	}
	s.dropTag(id)
	return nil
}

func (s *Store) dropTag(id string) {
	for o := range s.attached[id] {
		delete(s.carried[o], id)
	}
	delete(s.attached, id)
	t := s.tags[id]
	delete(s.byName, nameKey(t.CategoryID, t.Name))
	delete(s.tags, id)
}

// narrows reports whether going from known to wanted takes a type away; none at all are every type.
func narrows(known, wanted []string) bool {
	if len(wanted) == 0 {
		return false
	}
	if len(known) == 0 {
		return true
	}
	return slices.ContainsFunc(known, func(t string) bool { return !slices.Contains(wanted, t) })
}

func checkName(name string) *fault {
	if name == "" || len([]rune(name)) > maxName {
		return invalid("cis.tagging.name", "A name must have 1 to 256 characters.")
	}
	return nil
}

func set(field, value *string) {
	if value != nil {
		*field = *value
	}
}
