// Priority queues.

package replication

import "math/bits"

// entry is one element: ordered by key, then by id, so that no two runs differ.
type entry struct {
	key float64
	id  int32
}

func (e entry) before(o entry) bool { return e.key < o.key || (e.key == o.key && e.id < o.id) }

// queue is a binary heap without the indirection of container/heap, which costs twice the time here.
type queue struct{ entries []entry }

func (q *queue) len() int { return len(q.entries) }

func (q *queue) top() entry { return q.entries[0] }

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

// timetable is a queue of events by time, at most one for each VM. It is a calendar: events of the same few seconds
// share a list, and only the list that is due is kept in order, so that an event costs the same however many there are.
type timetable struct {
	end   float64 // later events are dropped
	width float64 // seconds of each list
	heads []int32 // the first VM of each list plus one, 0 for none; list i holds the numbers i, i + len(heads), ...
	next  []int32 // by VM: the next one in its list, plus one
	keys  []float64
	// due are the events of list number current and before.
	due     queue
	current int64
	later   int // events in lists
}

// maxLists bounds the memory of a timetable.
const maxLists = 1 << 17

// newTimetable returns one for so many VMs, with events per second, that mostly lie up to span seconds ahead.
func newTimetable(vms int, perSecond, span, end float64) *timetable {
	lists := 1 << bits.Len(uint(min(max(span*perSecond, 1), maxLists-1)))
	return &timetable{
		end: end, width: 1 / perSecond, heads: make([]int32, lists), next: make([]int32, vms), keys: make([]float64, vms),
	}
}

func (t *timetable) push(key float64, id int32) {
	if key >= t.end {
		return
	}
	number := int64(key / t.width)
	if number <= t.current {
		t.due.push(entry{key: key, id: id})
		return
	}
	t.keys[id] = key
	list := number & int64(len(t.heads)-1)
	t.next[id], t.heads[list] = t.heads[list], id+1
	t.later++
}

// top returns the first event, and false without one.
func (t *timetable) top() (entry, bool) {
	for t.due.len() == 0 {
		if t.later == 0 {
			return entry{}, false
		}
		t.current++
		list := t.current & int64(len(t.heads)-1)
		id := t.heads[list]
		t.heads[list] = 0
		for id != 0 {
			vm := id - 1
			id = t.next[vm]
			if int64(t.keys[vm]/t.width) == t.current {
				t.due.push(entry{key: t.keys[vm], id: vm})
				t.later--
			} else { // of a later round of the calendar
				t.next[vm], t.heads[list] = t.heads[list], vm+1
			}
		}
	}
	return t.due.top(), true
}

func (t *timetable) pop() { t.due.pop() }
