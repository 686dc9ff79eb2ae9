package simulation

import "math"

// resource is shared equally by its users. Its virtual time is the amount of data that a permanent user would have
// transferred since the start of the run.
type resource struct {
	users     *timetable // sorted by virtual time of completion
	virtual   float64    // in bits
	userLimit float64    // limit of one user, in bit/s
	share     float64    // current rate of each user, in bit/s
}

// newResource returns a resource for the syncs of the VMs whose events are given. bits is the mean size of a sync, most
// is the maximum rate of a user, and total is the maximum amount of data per run.
func newResource(events []event, bits, most, total float64) resource {
	// lists is the number of lists that the virtual time of an average sync spans. Up to about this many concurrent
	// syncs are in separate lists.
	const fewest, largest = minLists / 4, 2048
	lists := float64(min(largest, max(fewest, len(events))))
	const exact = 1 << 52 // list numbers must be exact integers
	width := max(bits/lists, total/exact, 1e-9)
	return resource{users: newTimetable(events, width, 4*lists*width, math.Inf(1)), userLimit: most}
}

// setShare sets the share of each user. It is called for every event and avoids min, which is slower.
func (u *resource) setShare(rate float64) {
	if u.share = rate / float64(u.users.count); u.share > u.userLimit {
		u.share = u.userLimit
	}
}

func (u *resource) add(bits float64, id int) { u.users.push(u.virtual+bits, id) }

func (u *resource) remove() int {
	e := u.users.first
	if e.key > u.virtual {
		u.virtual = e.key
	}
	u.users.removeFirst()
	return e.id
}

func (u *resource) completionTime(now float64) float64 {
	left := u.users.first.key - u.virtual
	if left <= 0 {
		return now
	}
	return now + left/u.share
}

type class struct {
	resource
	link, target int // target is none if no target limits the class
	uses         []use
	// syncsPerSecond and bitsPerSecond are the rates of syncs and of their data if each VM syncs once per RPO.
	syncsPerSecond, bitsPerSecond float64
}

// use describes how much of a capacity a transfer uses for each bit on the wire.
type use struct {
	capacity int
	weight   float64
}

// capacity is the rate of a link, the write rate of a target, or the read rate of the source.
type capacity struct {
	rate float64
	// remaining is the rate that is not yet assigned. wanted is the additional rate required to speed up every
	// unsettled transfer by 1 bit/s.
	remaining, wanted float64
	sent              []float64 // in bits, by hour; nil unless detailed
}

// classify creates the classes and the capacities. The capacities are the links, the targets and the source storage, in
// this order.
func (s *simulation) classify() {
	e := s.estate
	s.capacities = make([]capacity, len(e.Links)+len(e.Targets)+1)
	source := len(s.capacities) - 1
	s.capacities[source].rate = e.SourceReadRate
	for i, t := range e.Targets {
		s.capacities[len(e.Links)+i].rate = t.WriteRate
	}
	type key struct {
		link, target   int
		perSync, ratio float64
	}
	numbers := map[key]int{}
	of := make([]int, len(e.Tiers))
	for i, t := range e.Tiers {
		k := key{link: t.Link, target: none, perSync: t.PerSyncRate}
		uses := []use{{t.Link, 1}}
		if t.Target != nil && e.Targets[*t.Target].WriteRate > 0 {
			k.target, k.ratio = *t.Target, t.CompressionRatio
			uses = append(uses, use{len(e.Links) + k.target, t.CompressionRatio * e.Targets[k.target].WriteFactor})
		}
		if e.SourceReadRate > 0 {
			k.ratio = t.CompressionRatio
			uses = append(uses, use{source, t.CompressionRatio})
		}
		number, known := numbers[k]
		if !known {
			number = len(s.classes)
			numbers[k] = number
			most := math.Inf(1)
			if t.PerSyncRate > 0 {
				most = t.PerSyncRate
			}
			s.classes = append(
				s.classes,
				class{resource: resource{userLimit: most}, link: t.Link, target: k.target, uses: uses},
			)
		}
		of[i] = number
	}
	for i, ts := range s.tiers {
		ts.class = &s.classes[of[i]]
	}
	if len(s.classes) == 1 && len(s.classes[0].uses) == 1 {
		s.onlyClass = &s.classes[0]
	}
}

func (s *simulation) assignRates(part *segment) {
	open := 0
	for i := range s.capacities {
		c := &s.capacities[i]
		if c.remaining = c.rate; i < len(part.rates) {
			c.remaining = part.rates[i]
		}
	}
	for i := range s.classes {
		s.classes[i].share = unsettled
		if s.classes[i].users.count > 0 {
			open++
		}
	}
	for open > 0 {
		open -= s.settleAt(s.nextLevel())
	}
}

// Values of class.share while a class has no rate yet. A class is settling if its own limit or one of its capacities is
// exhausted.
const (
	unsettled = -1
	settling  = -2
)

func (c *class) isUnsettled() bool { return c.share == unsettled && c.users.count > 0 }

func (s *simulation) nextLevel() float64 {
	for i := range s.capacities {
		s.capacities[i].wanted = 0
	}
	level := math.Inf(1)
	for i := range s.classes {
		c := &s.classes[i]
		if !c.isUnsettled() {
			continue
		}
		level = min(level, c.userLimit)
		for _, u := range c.uses {
			s.capacities[u.capacity].wanted += u.weight * float64(c.users.count)
		}
	}
	for i := range s.capacities {
		if c := &s.capacities[i]; c.wanted > 0 {
			level = min(level, max(0, c.remaining)/c.wanted)
		}
	}
	return level
}

func (s *simulation) settleAt(level float64) int {
	const rounding = 1 + 1e-12
	settled := 0
	for i := range s.classes {
		c := &s.classes[i]
		if !c.isUnsettled() {
			continue
		}
		full := c.userLimit <= level*rounding
		for _, u := range c.uses {
			of := &s.capacities[u.capacity]
			full = full || of.remaining <= level*rounding*of.wanted
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
			s.capacities[u.capacity].remaining -= level * u.weight * float64(c.users.count)
		}
	}
	return settled
}
