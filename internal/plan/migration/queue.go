package migration

import (
	"math"
	"slices"
)

// queue contains the units of a plan, and those that have not started by class.
type queue struct {
	units   []unit // in order
	classes []class
	pending int // number of units that have not started
}

// class contains the units that need the same slots, in order. minBits is the smallest amount of data of any of them,
// in bits.
type class struct {
	classKey

	units   []int
	minBits float64
}

type classKey struct {
	needs, members int
	replicatedOnly bool
}

// needList is a list of slots that consists of another list and one more need.
type needList struct {
	before int
	need   slotNeed
}

// numbers maps distinct values to 0, 1, 2 and so on, in the order in which they are first given.
type numbers[K comparable] map[K]int

func (n numbers[K]) of(value K) int {
	if _, known := n[value]; !known {
		n[value] = len(n)
	}
	return n[value]
}

func newQueue(units []unit) queue {
	q := queue{units: units, pending: len(units)}
	lists, keys := numbers[needList]{{}: 0}, numbers[classKey]{}
	for i := range units {
		u := &units[i]
		key := classKey{members: len(u.members), replicatedOnly: u.replicatedOnly}
		for _, n := range u.needs {
			key.needs = lists.of(needList{key.needs, n})
		}
		if u.class = keys.of(key); u.class == len(q.classes) {
			q.classes = append(q.classes, class{classKey: key, minBits: math.Inf(1)})
		}
		c := &q.classes[u.class]
		c.units, c.minBits = append(c.units, i), min(c.minBits, u.minBits)
	}
	return q
}

// detach copies the lists that the queue shares with the queues of other plans.
func (q *queue) detach() {
	q.classes = slices.Clone(q.classes)
	for i := range q.classes {
		q.classes[i].units = slices.Clone(q.classes[i].units)
	}
}

// remove removes a unit, which is at the given place of its class.
func (q *queue) remove(c *class, at int) {
	q.pending--
	c.units, c.minBits = slices.Delete(c.units, at, at+1), math.Inf(1)
	for _, u := range c.units {
		c.minBits = min(c.minBits, q.units[u].minBits)
	}
}
