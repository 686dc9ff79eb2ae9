// A calendar queue.

package replication

import (
	"math"
	"math/bits"
)

// timetable is a queue with at most one event for each VM, by a key that does not decrease from one event to the next.
// It is a calendar: neighbouring keys share a list, and only the list that is due is kept in order, so that an event
// costs the same however many there are.
type timetable struct {
	end      float64 // later events are dropped
	perWidth float64 // 1 / width of each list
	// heads are the first VM of each list plus one, 0 for none; list i holds the numbers i, i + len(heads) and so on.
	// filled has a bit for each list.
	heads  []int32
	filled []uint64
	events []event // by VM
	// due are the events of list number current and before.
	due     queue
	current int
	later   int // events in lists
}

// event is that of one VM: its key, and the next VM in its list, plus one.
type event struct {
	key  float64
	next int32
}

const (
	// minLists is a word of bits, maxLists bounds the memory.
	minLists = 64
	maxLists = 1 << 17
	// few events are kept in order rather than in lists.
	few = 8
)

// newTimetable returns one for so many VMs whose keys mostly lie up to span ahead, width apart.
func newTimetable(vms int, width, span, end float64) *timetable {
	lists := minLists
	if wanted := span / width; wanted > minLists {
		lists = 1 << bits.Len(uint(min(wanted, maxLists-1)))
	}
	return &timetable{
		end: end, perWidth: 1 / width, heads: make([]int32, lists), filled: make([]uint64, lists/minLists),
		events: make([]event, vms),
	}
}

func (t *timetable) len() int { return t.due.len() + t.later }

func (t *timetable) push(key float64, id int) {
	if key >= t.end {
		return
	}
	number := t.number(key)
	if t.later == 0 && t.due.len() < few {
		t.current = max(t.current, number)
	}
	if number <= t.current {
		t.events[id].key = key
		t.due.push(entry{key: key, id: id})
		return
	}
	t.file(number&(len(t.heads)-1), key, id)
	t.later++
}

// number returns the number of a key's list.
func (t *timetable) number(key float64) int { return int(key * t.perWidth) }

// file puts an event into a list.
func (t *timetable) file(list int, key float64, id int) {
	t.events[id] = event{key: key, next: t.heads[list]}
	t.heads[list] = int32(id + 1) //nolint:gosec // maxVMs at most
	t.filled[list/minLists] |= 1 << (list % minLists)
}

// top returns the first event, and false without one.
func (t *timetable) top() (entry, bool) {
	if len(t.due.entries) == 0 && !t.refill() {
		return entry{}, false
	}
	return t.due.entries[0], true
}

// refill opens the next list that has an event of its round, and reports whether there is one.
func (t *timetable) refill() bool {
	if t.later == 0 {
		return false
	}
	for from := t.current; t.due.len() == 0; {
		t.current = t.nextFilled()
		if t.current-from >= len(t.heads) {
			t.current = t.earliest()
		}
		t.open()
	}
	return true
}

// nextFilled returns the number after the current one whose list has an event, of whatever round.
func (t *timetable) nextFilled() int {
	last := len(t.heads) - 1
	for number := t.current + 1; ; number = number&^(minLists-1) + minLists {
		list := number & last
		if word := t.filled[list/minLists] >> (list % minLists); word != 0 {
			return number + bits.TrailingZeros64(word)
		}
	}
}

// earliest returns the number of the first event in the lists.
func (t *timetable) earliest() int {
	first := math.Inf(1)
	for _, head := range t.heads {
		for id := head; id != 0; id = t.events[id-1].next {
			first = min(first, t.events[id-1].key)
		}
	}
	return t.number(first)
}

// open moves the events of the current number into due. Those of later rounds stay in their list.
func (t *timetable) open() {
	list := t.current & (len(t.heads) - 1)
	id := t.heads[list]
	t.heads[list] = 0
	t.filled[list/minLists] &^= 1 << (list % minLists)
	for id != 0 {
		vm := int(id - 1)
		e := t.events[vm]
		id = e.next
		if t.number(e.key) == t.current {
			t.due.push(entry{key: e.key, id: vm})
			t.later--
		} else {
			t.file(list, e.key, vm)
		}
	}
}

func (t *timetable) pop() entry { return t.due.pop() }
