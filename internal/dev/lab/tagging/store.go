// Package tagging implements vCenter's tagging service in memory. Unlike govmomi's simulator, it enforces cardinality
// and associable types, rejects unknown objects and returns batch results.
//
// The package is written from the API's description and does not share code with the client under test.
// docs/adr/0004-lab-fidelity.md lists known and assumed behavior.
package tagging

import (
	"fmt"
	"slices"
	"sync"
)

// Limits of the service.
const (
	// MaxBatch is the maximum number of IDs in a bulk call.
	MaxBatch = 2000
	// maxName is the maximum length of a name, in characters.
	maxName = 256
)

// Object identifies a managed object.
type Object struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Category is a tag category. AssociableTypes are type names without a prefix. If empty, all types are allowed.
type Category struct {
	ID              string
	Name            string
	Description     string
	Cardinality     string
	AssociableTypes []string
}

// Tag is a tag in a category.
type Tag struct {
	ID          string
	Name        string
	Description string
	CategoryID  string
}

// Operation is a group of calls that need the same privilege.
type Operation string

// Operations that Deny accepts.
const (
	Read   Operation = "read"
	Create Operation = "create"
	Edit   Operation = "edit"
	Delete Operation = "delete"
	Assign Operation = "assign"
)

// Store is a tagging service. It is safe for concurrent use.
type Store struct {
	exists func(Object) bool
	guid   string
	link   link

	mu         sync.Mutex
	next       int
	categories map[string]*Category
	tags       map[string]*Tag
	names      names
	attached   map[string]map[Object]bool
	carried    map[Object]map[string]bool
	markers    int // marker generation, see ExpireMarkers

	release    Release
	limit      int
	refused    map[string]bool
	unattached map[[2]string]bool // by tag ID and object ID
	settling   map[string]int
	denied     map[Operation]bool
	forbidGone bool
	hidden     map[string]bool
	missing    Missing
}

// New returns an empty service of release 8.0. guid is the vCenter's instance UUID. exists reports whether an object
// exists.
func New(guid string, exists func(Object) bool) *Store {
	return &Store{
		exists:     exists,
		guid:       guid,
		release:    Release80,
		limit:      DefaultAnswerLimit,
		categories: make(map[string]*Category),
		tags:       make(map[string]*Tag),
		names:      make(names),
		attached:   make(map[string]map[Object]bool),
		carried:    make(map[Object]map[string]bool),
		refused:    make(map[string]bool),
		unattached: make(map[[2]string]bool),
		settling:   make(map[string]int),
		denied:     make(map[Operation]bool),
	}
}

// newID returns a sequential ID in vCenter's format, so that runs are reproducible. It includes part of the instance
// UUID, so that linked vCenters use different IDs.
func (s *Store) newID(kind string) string {
	s.next++
	site := "00000000"
	if len(s.guid) >= 4 {
		site = "0000" + s.guid[len(s.guid)-4:]
	}
	return fmt.Sprintf("urn:vmomi:%s:%s-0000-4000-8000-%012d:GLOBAL", kind, site, s.next)
}

func (s *Store) createCategory(c Category) (string, *fault) {
	defer s.lock()()
	if f := checkName(c.Name); f != nil {
		return "", f
	}
	if c.Cardinality != "SINGLE" && c.Cardinality != "MULTIPLE" {
		return "", invalid("cis.tagging.cardinality", "The cardinality must be SINGLE or MULTIPLE.")
	}
	if c.ID == "" {
		c.ID = s.newID("InventoryServiceCategory")
	}
	if s.names.taken("", c.Name) || s.categories[c.ID] != nil {
		return "", exists("category", c.Name)
	}
	s.putCategory(c)
	s.publish(func(p *Store) { p.putCategory(c) })
	return c.ID, nil
}

func (s *Store) createTag(t Tag) (string, *fault) {
	defer s.lock()()
	if f := checkName(t.Name); f != nil {
		return "", f
	}
	if s.categories[t.CategoryID] == nil {
		return "", notFound(t.CategoryID)
	}
	if t.ID == "" {
		t.ID = s.newID("InventoryServiceTag")
	}
	if s.names.taken(t.CategoryID, t.Name) || s.tags[t.ID] != nil {
		return "", exists("tag", t.Name)
	}
	s.putTag(t)
	s.publish(func(p *Store) { p.putTag(t) })
	return t.ID, nil
}

type change struct {
	Name, Description, Cardinality *string
	AssociableTypes                *[]string
}

func (s *Store) updateCategory(id string, u change) *fault {
	defer s.lock()()
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
		if removesTypes(c.AssociableTypes, wanted) {
			return invalid("cis.tagging.associable_types", "Associable types can be added only.")
		}
		next.AssociableTypes = wanted
	}
	if f := s.checkRename("", c.Name, u.Name, "category"); f != nil {
		return f
	}
	set(&next.Name, u.Name)
	set(&next.Description, u.Description)
	s.putCategory(next)
	s.publish(func(p *Store) { p.putCategory(next) })
	return nil
}

func (s *Store) updateTag(id string, u change) *fault {
	defer s.lock()()
	t := s.tags[id]
	if t == nil {
		return notFound(id)
	}
	if f := s.checkRename(t.CategoryID, t.Name, u.Name, "tag"); f != nil {
		return f
	}
	next := *t
	set(&next.Name, u.Name)
	set(&next.Description, u.Description)
	s.putTag(next)
	s.publish(func(p *Store) { p.putTag(next) })
	return nil
}

// checkRename checks that a new name is valid and not taken. The caller must hold the lock.
func (s *Store) checkRename(scope, old string, name *string, kind string) *fault {
	if name == nil || *name == old {
		return nil
	}
	if f := checkName(*name); f != nil {
		return f
	}
	if s.names.taken(scope, *name) {
		return exists(kind, *name)
	}
	return nil
}

func (s *Store) deleteCategory(id string) *fault {
	defer s.lock()()
	if s.categories[id] == nil {
		return notFound(id)
	}
	s.dropCategory(id)
	s.publish(func(p *Store) { p.dropCategory(id) })
	return nil
}

// dropCategory removes a category, if it exists, and its tags. The caller must hold the lock.
func (s *Store) dropCategory(id string) {
	c := s.categories[id]
	if c == nil {
		return
	}
	for tagID, t := range s.tags {
		if t.CategoryID == id {
			s.dropTag(tagID)
		}
	}
	s.names.drop("", c.Name)
	delete(s.categories, id)
}

func (s *Store) deleteTag(id string) *fault {
	defer s.lock()()
	if s.tags[id] == nil {
		return notFound(id)
	}
	s.dropTag(id)
	s.publish(func(p *Store) { p.dropTag(id) })
	return nil
}

// dropTag removes a tag, if it exists, and its associations. The caller must hold the lock.
func (s *Store) dropTag(id string) {
	t := s.tags[id]
	if t == nil {
		return
	}
	for o := range s.attached[id] {
		delete(s.carried[o], id)
	}
	delete(s.attached, id)
	s.names.drop(t.CategoryID, t.Name)
	delete(s.tags, id)
}

// removesTypes reports whether wanted excludes a type that known allows. An empty list allows all types.
func removesTypes(known, wanted []string) bool {
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
