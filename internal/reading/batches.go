// One request for many questions.

package reading

import (
	"context"
	"sync"
)

// Batches joins the questions that come while an earlier one is under way into the next request. The zero value is
// ready for use.
type Batches[K comparable, V any] struct {
	// Hold, which may be nil, waits before each request: the questions that come meanwhile share it.
	Hold func(context.Context)

	mu      sync.Mutex
	waiting map[K][]chan<- batchAnswer[V]
	busy    bool
}

type batchAnswer[V any] struct {
	value V
	err   error
}

// Get returns read's value for a key, or the zero value where read gives none.
func (b *Batches[K, V]) Get(ctx context.Context, key K, read func(context.Context, []K) (map[K]V, error)) (V, error) {
	mine := make(chan batchAnswer[V], 1)
	b.mu.Lock()
	if b.waiting == nil {
		b.waiting = make(map[K][]chan<- batchAnswer[V])
	}
	b.waiting[key] = append(b.waiting[key], mine)
	leads := !b.busy
	b.busy = true
	b.mu.Unlock()
	if leads {
		// Detached from this caller's end: others wait for the answers too, and each request has its own time limit.
		go b.lead(context.WithoutCancel(ctx), read)
	}
	select {
	case a := <-mine:
		return a.value, a.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (b *Batches[K, V]) lead(ctx context.Context, read func(context.Context, []K) (map[K]V, error)) {
	for {
		if b.Hold != nil {
			b.Hold(ctx)
		}
		b.mu.Lock()
		asked := b.waiting
		b.waiting = nil
		b.busy = len(asked) > 0
		b.mu.Unlock()
		if len(asked) == 0 {
			return
		}
		keys := make([]K, 0, len(asked))
		for key := range asked {
			keys = append(keys, key)
		}
		values, err := read(ctx, keys)
		for key, callers := range asked {
			for _, caller := range callers {
				caller <- batchAnswer[V]{values[key], err}
			}
		}
	}
}
