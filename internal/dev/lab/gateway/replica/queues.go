// The two queues of the engine. Both have one order only, whatever the heap does: ties are broken by who came first.

package replica

import "time"

type event struct {
	at    time.Duration
	order uint64
	run   func()
}

type events []*event

// Len is the number of events.
func (q *events) Len() int { return len(*q) }

// Less puts the earlier event first.
func (q *events) Less(i, j int) bool {
	if (*q)[i].at != (*q)[j].at {
		return (*q)[i].at < (*q)[j].at
	}
	return (*q)[i].order < (*q)[j].order
}

// Swap changes two places.
func (q *events) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }

// Push is the heap's.
func (q *events) Push(x any) {
	if e, ok := x.(*event); ok {
		*q = append(*q, e)
	}
}

// Pop is the heap's.
func (q *events) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}

// transfer ends when the engine's service reaches its target.
type transfer struct {
	bytes, target float64
	order         uint64
	index         int // -1 when it is not on the link
	done          func()
}

type transfers []*transfer

// Len is the number of transfers.
func (q *transfers) Len() int { return len(*q) }

// Less puts the transfer first that ends first.
func (q *transfers) Less(i, j int) bool {
	if (*q)[i].target != (*q)[j].target {
		return (*q)[i].target < (*q)[j].target
	}
	return (*q)[i].order < (*q)[j].order
}

// Swap changes two places.
func (q *transfers) Swap(i, j int) {
	(*q)[i], (*q)[j] = (*q)[j], (*q)[i]
	(*q)[i].index, (*q)[j].index = i, j
}

// Push is the heap's.
func (q *transfers) Push(x any) {
	if t, ok := x.(*transfer); ok {
		t.index = len(*q)
		*q = append(*q, t)
	}
}

// Pop is the heap's.
func (q *transfers) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}
