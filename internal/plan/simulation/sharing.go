package simulation

import "math"

// resource is shared equally by its users. Its virtual time is the amount of data that each user has transferred since
// the start of the run.
type resource struct {
	users   *timetable // sorted by virtual time of completion
	virtual float64    // in bits
	most    float64    // limit of one user, in bit/s
	share   float64    // current rate of each user, in bit/s
}

// listsPerSync is the number of lists for the virtual time of a mean sync. Up to this number, concurrent syncs are in
// separate lists.
const listsPerSync = 2048

// newResource returns a resource. bits is the mean size of a sync, most its maximum rate, and total the maximum amount
// per run.
func newResource(events []event, bits, most, total float64) resource {
	const exact = 1 << 52 // list numbers must be exact integers
	width := max(bits/listsPerSync, total/exact, 1e-9)
	return resource{users: newTimetable(events, width, 4*listsPerSync*width, math.Inf(1)), most: most}
}

// equal sets the share of each user. It is called for every event, and avoids min and max because they are slower.
func (u *resource) equal(rate float64) {
	if u.share = rate / float64(u.users.n); u.share > u.most {
		u.share = u.most
	}
}

func (u *resource) add(bits float64, id int) { u.users.push(u.virtual+bits, id) }

func (u *resource) remove() int {
	e := u.users.first
	if e.key > u.virtual {
		u.virtual = e.key
	}
	u.users.drop()
	return e.id
}

func (u *resource) ready(now float64) float64 {
	left := u.users.first.key - u.virtual
	if left <= 0 {
		return now
	}
	return now + left/u.share
}

type class struct {
	resource
	link, target int // target is nobody if there is none
	uses         []use
	// perSecond is the number of syncs per second in the steady state, and bitsPerSecond their data.
	perSecond, bitsPerSecond float64
}

// use is the amount of a capacity that a transfer uses for each bit on the wire.
type use struct {
	capacity int
	weight   float64
}

// capacity is the rate of a link, the write rate of a target, or the read rate of the source.
type capacity struct {
	rate float64
	// left is the rate that is not assigned yet. wanted is the rate required to increase each unsettled transfer by one
	// bit/s.
	left, wanted float64
	sent         []float64 // bits by hour; nil unless detailed
}

// classify creates the capacities and the classes. The capacities are the links, the targets and the source storage.
func (s *simulation) classify() {
	e := s.in
	s.capacities = make([]capacity, len(e.Links)+len(e.Targets)+1)
	source := len(s.capacities) - 1
	s.capacities[source].rate = e.SourceRead
	for i, t := range e.Targets {
		s.capacities[len(e.Links)+i].rate = t.Write
	}
	type key struct {
		link, target   int
		perSync, ratio float64
	}
	numbers := map[key]int{}
	of := make([]int, len(e.Tiers))
	for i, t := range e.Tiers {
		k := key{link: t.Link, target: nobody, perSync: t.PerSync}
		uses := []use{{t.Link, 1}}
		if t.Target != nil && e.Targets[*t.Target].Write > 0 {
			k.target, k.ratio = *t.Target, t.CompressionRatio
			uses = append(uses, use{len(e.Links) + k.target, t.CompressionRatio * e.Targets[k.target].WriteFactor})
		}
		if e.SourceRead > 0 {
			k.ratio = t.CompressionRatio
			uses = append(uses, use{source, t.CompressionRatio})
		}
		number, known := numbers[k]
		if !known {
			number = len(s.classes)
			numbers[k] = number
			most := math.Inf(1)
			if t.PerSync > 0 {
				most = t.PerSync
			}
			s.classes = append(s.classes, class{resource: resource{most: most}, link: t.Link, target: k.target, uses: uses})
		}
		of[i] = number
	}
	for i, f := range s.flows {
		f.class = &s.classes[of[i]]
	}
	if len(s.classes) == 1 && len(s.classes[0].uses) == 1 {
		s.one = &s.classes[0]
	}
}

func (s *simulation) alone(c *class) float64 {
	rate := c.most
	for _, u := range c.uses {
		most := s.capacities[u.capacity].rate
		if u.capacity < len(s.in.Links) {
			most = s.in.Links[u.capacity].best()
		}
		rate = min(rate, most/u.weight)
	}
	return rate
}

func (l Link) best() float64 {
	best := 0.0
	for _, rate := range l.Hourly {
		best = max(best, rate)
	}
	return best
}

func (s *simulation) divide(part *segment) {
	open := 0
	for i := range s.capacities {
		c := &s.capacities[i]
		if c.left = c.rate; i < len(part.rates) {
			c.left = part.rates[i]
		}
	}
	for i := range s.classes {
		s.classes[i].share = unsettled
		if s.classes[i].users.n > 0 {
			open++
		}
	}
	for open > 0 {
		open -= s.settleAt(s.level())
	}
}

// States of a class: its rate is not settled yet, or is about to be settled because a capacity or its own limit is
// exhausted.
const (
	unsettled = -1
	settling  = -2
)

func (c *class) open() bool { return c.share == unsettled && c.users.n > 0 }

func (s *simulation) level() float64 {
	for i := range s.capacities {
		s.capacities[i].wanted = 0
	}
	level := math.Inf(1)
	for i := range s.classes {
		c := &s.classes[i]
		if !c.open() {
			continue
		}
		level = min(level, c.most)
		for _, u := range c.uses {
			s.capacities[u.capacity].wanted += u.weight * float64(c.users.n)
		}
	}
	for i := range s.capacities {
		if c := &s.capacities[i]; c.wanted > 0 {
			level = min(level, max(0, c.left)/c.wanted)
		}
	}
	return level
}

func (s *simulation) settleAt(level float64) int {
	const rounding = 1 + 1e-12
	settled := 0
	for i := range s.classes {
		c := &s.classes[i]
		if !c.open() {
			continue
		}
		full := c.most <= level*rounding
		for _, u := range c.uses {
			of := &s.capacities[u.capacity]
			full = full || of.left <= level*rounding*of.wanted
		}
		if full {
			c.share = settling
			settled++
		}
	}
	for i := range s.classes {
		c := &s.classes[i]
		if c.share != settling {
			continue
		}
		c.share = level
		for _, u := range c.uses {
			s.capacities[u.capacity].left -= level * u.weight * float64(c.users.n)
		}
	}
	return settled
}
