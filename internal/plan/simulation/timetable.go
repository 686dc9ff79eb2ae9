package simulation

import (
	"math"
	"math/bits"
)

// timetable is a calendar queue that contains at most one event per VM. The keys of removed events never decrease.
// Events with similar keys share a list, and only the current list is sorted, so the cost of an event does not depend
// on the number of events.
type timetable struct {
	// first is the earliest event, or noEntry if the timetable is empty.
	first entry
	count int

	end          float64 // events from this time on are dropped
	inverseWidth float64 // 1 / list width
	// heads contains the first event of each list, because most lists contain one event. List i contains events with
	// the list numbers i, i + len(heads) and so on. nonEmpty contains one bit per list.
	heads    []event
	nonEmpty []uint64
	events   []event // one per VM, used while its event is in a list, but not its first
	listed   int
	// due contains the events, other than first, whose list number is at most current.
	due     queue
	current uint
}

var noEntry = entry{key: math.Inf(1), id: none}

const none = -1

// event is the event of a VM, which has the given ID. next is the ID of the next VM in its list plus one, or 0 at the
// end of the list.
type event struct {
	key      float64
	id, next int32
}

const (
	// minLists is the number of bits in a word of nonEmpty. maxLists limits memory use.
	minLists = 64
	maxLists = 1 << 17
	// Up to maxSorted events are sorted instead of being stored in lists.
	maxSorted = 8
)

// newTimetable returns a timetable whose lists have the given width. Most keys should be at most span ahead of the
// current key. Timetables can share events if no VM is in more than one of them.
func newTimetable(events []event, width, span, end float64) *timetable {
	lists := minLists
	width = max(width, span/(maxLists-1))
	if wanted := span / width; wanted > minLists {
		lists = 1 << bits.Len(uint(wanted))
	}
	return &timetable{
		first:        noEntry,
		end:          end,
		inverseWidth: 1 / width,
		heads:        make([]event, lists),
		nonEmpty:     make([]uint64, lists/minLists),
		events:       events,
	}
}

func (t *timetable) push(key float64, id int) {
	if key >= t.end {
		return
	}
	e := entry{key: key, id: id}
	if t.count++; t.count == 1 {
		t.first = e
		return
	}
	if e.before(t.first) {
		e, t.first = t.first, e
	}
	number := t.listNumber(e.key)
	if t.listed == 0 && len(t.due.entries) < maxSorted {
		t.current = max(t.current, number)
	}
	if number <= t.current {
		t.due.push(e)
		return
	}
	t.insert(number, event{key: e.key, id: int32(e.id)}) //nolint:gosec // at most MaxVMs
	t.listed++
}

func (t *timetable) removeFirst() {
	t.count--
	if len(t.due.entries) > 0 {
		t.first = t.due.pop()
		return
	}
	t.first = noEntry
	if t.listed > 0 {
		t.refill()
	}
}

func (t *timetable) listNumber(key float64) uint { return uint(int(key * t.inverseWidth)) }

func (t *timetable) insert(number uint, e event) {
	list := number & uint(len(t.heads)-1)
	word, bit := &t.nonEmpty[list/minLists], uint64(1)<<(list%minLists)
	if e.next = 0; *word&bit != 0 {
		head := t.heads[list]
		t.events[head.id], e.next = head, head.id+1
	}
	t.heads[list] = e
	*word |= bit
}

// refill opens lists until first is set. At least one event must be in a list.
func (t *timetable) refill() {
	for from := t.current; t.first.id == none; t.openList() {
		t.current = t.nextNonEmpty()
		if t.current-from >= uint(len(t.heads)) {
			t.current = t.earliest()
		}
	}
}

func (t *timetable) nextNonEmpty() uint {
	last := uint(len(t.heads) - 1)
	for number := t.current + 1; ; number = number&^(minLists-1) + minLists {
		list := number & last
		if word := t.nonEmpty[list/minLists] >> (list % minLists); word != 0 {
			return number + uint(bits.TrailingZeros64(word))
		}
	}
}

func (t *timetable) earliest() uint {
	first := math.Inf(1)
	for list, e := range t.heads {
		if t.nonEmpty[list/minLists]>>(list%minLists)&1 == 0 {
			continue
		}
		for first = min(first, e.key); e.next != 0; first = min(first, e.key) {
			e = t.events[e.next-1]
		}
	}
	return t.listNumber(first)
}

// openList removes the events with the current list number from their list. Events with later list numbers remain in
// it.
func (t *timetable) openList() {
	list := t.current & uint(len(t.heads)-1)
	t.nonEmpty[list/minLists] &^= 1 << (list % minLists)
	for of, more := t.heads[list], true; more; {
		e, next := entry{key: of.key, id: int(of.id)}, of.next
		if number := t.listNumber(e.key); number != t.current {
			t.insert(number, of)
		} else {
			t.open(e)
		}
		if more = next != 0; more {
			of = t.events[next-1]
		}
	}
}

func (t *timetable) open(e entry) {
	t.listed--
	if t.first.id == none {
		t.first = e
		return
	}
	if e.before(t.first) {
		e, t.first = t.first, e
	}
	t.due.push(e)
}

// entry is an element of a queue. Entries are ordered by key and then by ID, so that runs are deterministic.
type entry struct {
	key float64
	id  int
}

func (e entry) before(o entry) bool { return e.key < o.key || (e.key == o.key && e.id < o.id) }

type queue struct{ entries []entry }

func (q *queue) len() int { return len(q.entries) }

func (q *queue) push(e entry) {
	q.entries = append(q.entries, e)
	i := len(q.entries) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(q.entries[parent]) {
			break
		}
		q.entries[i] = q.entries[parent]
		i = parent
	}
	q.entries[i] = e
}

func (q *queue) pop() entry {
	first := q.entries[0]
	last := len(q.entries) - 1
	moved := q.entries[last]
	q.entries = q.entries[:last]
	if last == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.entries[child+1].before(q.entries[child]) {
			child++
		}
		if !q.entries[child].before(moved) {
			break
		}
		q.entries[i] = q.entries[child]
		i = child
	}
	q.entries[i] = moved
	return first
}
