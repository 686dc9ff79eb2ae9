// Linked vCenters share categories and tags, each with a delay, and keep associations to themselves.

package tagging

import (
	"slices"
	"sync"
	"time"
)

// link is a store's record of its partners.
type link struct {
	now      func() time.Time
	delay    time.Duration
	partners []*Store

	mu sync.Mutex
	// inbox holds changes of partners that have not arrived yet, the oldest first.
	inbox []arrival
}

type arrival struct {
	at    time.Time
	apply func(*Store)
}

// Link joins two services. Each has the other's categories and tags at once, and changes from now on after a delay, by
// a clock. Associations are not shared.
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

// lock locks the store, takes in what has arrived from partners, and returns what unlocks.
func (s *Store) lock() (unlock func()) {
	s.mu.Lock()
	for _, a := range s.link.due() {
		a.apply(s)
	}
	return s.mu.Unlock
}

// due returns what has arrived and forgets it.
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

// publish sends a change to all partners; the caller holds the lock.
func (s *Store) publish(apply func(*Store)) {
	for _, p := range s.link.partners {
		p.link.mu.Lock()
		p.link.inbox = append(p.link.inbox, arrival{s.link.now().Add(s.link.delay), apply})
		p.link.mu.Unlock()
	}
}

// putCategory creates or replaces a category, whatever its name is; the caller holds the lock.
func (s *Store) putCategory(c Category) {
	if old := s.categories[c.ID]; old != nil {
		s.names.drop("", old.Name)
	}
	s.names.add("", c.Name)
	s.categories[c.ID] = &c
}

// putTag creates or replaces a tag, whatever its name is; the caller holds the lock.
func (s *Store) putTag(t Tag) {
	if s.categories[t.CategoryID] == nil {
		return // the category was deleted here in between
	}
	if old := s.tags[t.ID]; old != nil {
		s.names.drop(old.CategoryID, old.Name)
	}
	s.names.add(t.CategoryID, t.Name)
	s.tags[t.ID] = &t
}

// names counts the holders of each name: partners can create the same name at the same time.
type names map[string]int

func nameKey(scope, name string) string { return scope + "\x00" + name }

func (n names) taken(scope, name string) bool { return n[nameKey(scope, name)] > 0 }

func (n names) add(scope, name string) { n[nameKey(scope, name)]++ }

func (n names) drop(scope, name string) { n[nameKey(scope, name)]-- }
