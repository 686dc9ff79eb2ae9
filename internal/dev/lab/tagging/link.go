package tagging

import (
	"slices"
	"sync"
	"time"
)

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
		from := pair[0]
		to := pair[1]
		categories := from.Categories()
		tags := from.Tags()
		unlock := to.lock()
		for _, c := range categories {
			to.putCategory(c)
		}
		for _, t := range tags {
			to.putTag(t)
		}
		to.link.now = now
		to.link.delay = delay
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
