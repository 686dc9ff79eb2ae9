package tagging

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

var errRefused = errors.New("refused")

func (f *fault) err() error {
	if f == nil {
		return nil
	}
	return errors.Join(errRefused, errors.New(f.kind+": "+f.messages[0].Default))
}

// AddCategory creates a category outside of Terraform.
func (s *Store) AddCategory(c Category) (string, error) {
	id, f := s.createCategory(c)
	return id, f.err()
}

// AddTag creates a tag outside of Terraform.
func (s *Store) AddTag(t Tag) (string, error) {
	id, f := s.createTag(t)
	return id, f.err()
}

// Attach attaches a tag outside of Terraform.
func (s *Store) Attach(tagID string, o Object) error {
	defer s.lock()()
	return s.attach(tagID, o).err()
}

// Detach detaches a tag outside of Terraform.
func (s *Store) Detach(tagID string, o Object) error {
	defer s.lock()()
	return s.detach(tagID, o).err()
}

// RemoveTag deletes a tag outside of Terraform.
func (s *Store) RemoveTag(id string) error { return s.deleteTag(id).err() }

// RemoveCategory deletes a category outside of Terraform.
func (s *Store) RemoveCategory(id string) error { return s.deleteCategory(id).err() }

// Describe sets a tag's description outside of Terraform.
func (s *Store) Describe(tagID, description string) error {
	return s.updateTag(tagID, change{Description: &description}).err()
}

// Rename changes the name of a tag outside of Terraform.
func (s *Store) Rename(tagID, name string) error {
	return s.updateTag(tagID, change{Name: &name}).err()
}

// Categories lists the categories, sorted by name.
func (s *Store) Categories() []Category {
	defer s.lock()()
	list := make([]Category, 0, len(s.categories))
	for _, c := range s.categories {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Tags lists the tags, sorted by category and name.
func (s *Store) Tags() []Tag {
	defer s.lock()()
	list := make([]Tag, 0, len(s.tags))
	for _, t := range s.tags {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Tag) int {
		return cmp.Or(cmp.Compare(a.CategoryID, b.CategoryID), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Objects returns the sorted IDs of the objects that have the given tag, or none if the tag does not exist.
func (s *Store) Objects(tagID string) []string {
	ids := make(map[string]bool)
	objects, f := s.objectsOf(tagID)
	if f == nil {
		for _, o := range objects {
			ids[o.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Leftovers describes all categories, tags and associations, for tests that must clean up.
func (s *Store) Leftovers() []string {
	var names []string
	for _, c := range s.Categories() {
		names = append(names, "category "+c.Name)
	}
	for _, t := range s.Tags() {
		names = append(names, "tag "+t.Name)
	}
	for _, a := range s.Associations() {
		names = append(names, "association of "+a.Tag+" with "+a.Object.ID)
	}
	return names
}

// DefaultAnswerLimit is the response size limit of vCenter's API endpoint (7 MB).
const DefaultAnswerLimit = 7_000_000

// RefuseAttach sets whether attaching the tag to the object fails. An empty tagID means any tag.
func (s *Store) RefuseAttach(tagID, objectID string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unattached[[2]string{tagID, objectID}] = refuse
}

// Refuse sets whether attach and detach calls for an object fail. Bulk calls continue with other objects.
func (s *Store) Refuse(objectID string, refuse bool) {
	defer s.lock()()
	s.refused[objectID] = refuse
}

// RefuseNext rejects the given number of calls for an object with 403, as vCenter does for new objects.
func (s *Store) RefuseNext(objectID string, calls int) {
	defer s.lock()()
	s.settling[objectID] = calls
}

// Deny sets whether the user lacks the privilege for an operation.
func (s *Store) Deny(op Operation, deny bool) {
	defer s.lock()()
	s.denied[op] = deny
}

func (s *Store) isDenied(op Operation) bool {
	defer s.lock()()
	return s.denied[op]
}

// ForbidGone sets whether reading the tags of a missing object returns 403, as in vCenter. Otherwise the result is
// empty.
func (s *Store) ForbidGone(forbid bool) {
	defer s.lock()()
	s.forbidGone = forbid
}

// Hide omits the given objects from lists of attached objects and rejects calls that contain their IDs. vCenter does
// this if the user lacks the read privilege ("Only those objects for which you have the read privilege will be
// returned"). Objects hidden earlier become visible again.
func (s *Store) Hide(objectIDs ...string) {
	defer s.lock()()
	s.hidden = make(map[string]bool, len(objectIDs))
	for _, id := range objectIDs {
		s.hidden[id] = true
	}
}

// SetAnswerLimit sets the maximum response size in bytes. The default is DefaultAnswerLimit, and 0 means no limit.
func (s *Store) SetAnswerLimit(bytes int) {
	defer s.lock()()
	s.limit = bytes
}

func (s *Store) answerLimit() int {
	defer s.lock()()
	return s.limit
}

// Missing is a kind of 404 response with a cause other than a missing object.
type Missing int

// Kinds of 404 responses. NotMissing disables them.
const (
	NotMissing Missing = iota
	// MissingURL is returned by a release that has no operation at the URL.
	MissingURL
	// MissingHTTP is returned by the API endpoint while it is starting.
	MissingHTTP
	// MissingOperation is returned by a release that has the service but lacks the operation.
	MissingOperation
	// MissingService is returned while the tagging service is starting.
	MissingService
)

// SetMissing makes every call return the given response.
func (s *Store) SetMissing(form Missing) {
	defer s.lock()()
	s.missing = form
}

func (s *Store) outage() *fault {
	defer s.lock()()
	f := func(kind, id, text string) *fault {
		return newFault(http.StatusNotFound, kind, id, text, nil)
	}
	switch s.missing {
	case MissingURL:
		return noSuchOperation("/com/vmware/cis/tagging")
	case MissingHTTP:
		return f("not_found", "com.vmware.vapi.rest.httpNotFound", "Not found.")
	case MissingOperation:
		return f("operation_not_found", "vapi.method.input.invalid.method", "Cannot find method.")
	case MissingService:
		return f("operation_not_found", "vapi.method.input.invalid.interface",
			"Cannot find service 'com.vmware.cis.tagging.tag'.")
	default:
		return nil
	}
}

func (s *Store) urn(o Object) string {
	return "urn:vmomi:" + o.Type + ":" + o.ID + ":" + cmp.Or(s.guid, "00000000-0000-4000-8000-000000000000")
}

type link struct {
	now      func() time.Time
	delay    time.Duration
	partners []*Store

	mu sync.Mutex
	// inbox contains partners' changes that have not been applied yet, oldest first.
	inbox []arrival
}

type arrival struct {
	at    time.Time
	apply func(*Store)
}

// Link links two services. It copies existing categories and tags immediately, and copies later changes after the
// delay. Associations are not shared.
func (s *Store) Link(partner *Store, now func() time.Time, delay time.Duration) {
	for _, pair := range [][2]*Store{{s, partner}, {partner, s}} {
		from, to := pair[0], pair[1]
		categories, tags := from.Categories(), from.Tags()
		unlock := to.lock()
		for _, c := range categories {
			to.putCategory(c)
		}
		for _, t := range tags {
			to.putTag(t)
		}
		to.link.now, to.link.delay = now, delay
		to.link.partners = append(to.link.partners, from)
		unlock()
	}
}

func (s *Store) lock() (unlock func()) {
	s.mu.Lock()
	for _, a := range s.link.due() {
		a.apply(s)
	}
	return s.mu.Unlock
}

func (l *link) due() []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.inbox) == 0 {
		return nil
	}
	now := l.now()
	n := slices.IndexFunc(l.inbox, func(a arrival) bool { return a.at.After(now) })
	if n < 0 {
		n = len(l.inbox)
	}
	arrived := l.inbox[:n]
	l.inbox = l.inbox[n:]
	return arrived
}

// publish sends a change to all partners. The caller must hold the lock.
func (s *Store) publish(apply func(*Store)) {
	for _, p := range s.link.partners {
		p.link.mu.Lock()
		p.link.inbox = append(p.link.inbox, arrival{s.link.now().Add(s.link.delay), apply})
		p.link.mu.Unlock()
	}
}

// putCategory adds or replaces a category without checking its name. The caller must hold the lock.
func (s *Store) putCategory(c Category) {
	if old := s.categories[c.ID]; old != nil {
		s.names.drop("", old.Name)
	}
	s.names.add("", c.Name)
	s.categories[c.ID] = &c
}

// putTag adds or replaces a tag without checking its name. The caller must hold the lock.
func (s *Store) putTag(t Tag) {
	if s.categories[t.CategoryID] == nil {
		return // the category has been deleted in the meantime
	}
	if old := s.tags[t.ID]; old != nil {
		s.names.drop(old.CategoryID, old.Name)
	}
	s.names.add(t.CategoryID, t.Name)
	s.tags[t.ID] = &t
}

// names counts how often each name is used, because partners can create objects with the same name concurrently.
type names map[string]int

func nameKey(scope, name string) string { return scope + "\x00" + name }

func (n names) taken(scope, name string) bool { return n[nameKey(scope, name)] > 0 }

func (n names) add(scope, name string) { n[nameKey(scope, name)]++ }

func (n names) drop(scope, name string) { n[nameKey(scope, name)]-- }
