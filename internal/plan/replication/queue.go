// A priority queue.

package replication

// entry is one element: ordered by key, then by id, so that no two runs differ.
type entry struct {
	key float64
	id  int
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
		if !q.entries[i].before(q.entries[parent]) {
			return
		}
		q.entries[i], q.entries[parent] = q.entries[parent], q.entries[i]
		i = parent
	}
}

func (q *queue) pop() entry {
	first := q.entries[0]
	last := len(q.entries) - 1
	q.entries[0] = q.entries[last]
	q.entries = q.entries[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && q.entries[child+1].before(q.entries[child]) {
			child++
		}
		if !q.entries[child].before(q.entries[i]) {
			return first
		}
		q.entries[i], q.entries[child] = q.entries[child], q.entries[i]
		i = child
	}
}
