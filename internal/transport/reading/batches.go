// One request for many questions.

package reading

import (
	"context"
	"sync"
)

// Batches joins the questions that come while an earlier one is under way into the next request. The zero value is
// ready for use.
type Batches[K comparable, V any] struct {
	// Hold, which may be nil, waits before each request: the questions that come until then share it.
	Hold func(context.Context)
	// Background returns the context of the requests: they serve several callers, so they carry the values of none. Nil
	// means context.Background.
	Background func() context.Context

	mu      sync.Mutex
	waiting map[K][]chan<- batchAnswer[V]
	callers int
	stop    context.CancelFunc // ends the requests; nil while there are none
}

type batchAnswer[V any] struct {
	value V
	err   error
}

// Get returns read's value for a key, or the zero value where read returns none. A request whose callers have all given
// up is cancelled.
func (b *Batches[K, V]) Get(ctx context.Context, key K, read func(context.Context, []K) (map[K]V, error)) (V, error) {
	mine := make(chan batchAnswer[V], 1)
	b.join(key, mine, read) //nolint:contextcheck // the requests belong to all of their callers
	defer b.leave()
	select {
	case a := <-mine:
		return a.value, a.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// join adds a question, and starts the requests where none are under way.
func (b *Batches[K, V]) join(key K, mine chan<- batchAnswer[V], read func(context.Context, []K) (map[K]V, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[K][]chan<- batchAnswer[V])
	}
	b.waiting[key] = append(b.waiting[key], mine)
	b.callers++
	if b.stop != nil {
		return
	}
	background := context.Background
	if b.Background != nil {
		background = b.Background
	}
	run, stop := context.WithCancel(background()) //nolint:gosec // leave calls stop with the last caller
	b.stop = stop
	go b.lead(run, read)
}

// leave ends the requests with the last caller.
func (b *Batches[K, V]) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.callers--
	if b.callers == 0 {
		b.end()
	}
}

// end stops the requests; the caller holds mu.
func (b *Batches[K, V]) end() {
	if b.stop != nil {
		b.stop()
	}
	b.stop, b.waiting = nil, nil
}

// lead sends requests while there are questions. Its context ends with the last caller; callers that come later
// have another lead.
func (b *Batches[K, V]) lead(ctx context.Context, read func(context.Context, []K) (map[K]V, error)) {
	for {
		if b.Hold != nil {
			b.Hold(ctx)
		}
		b.mu.Lock()
		if ctx.Err() != nil {
			b.mu.Unlock()
			return
		}
		asked := b.waiting
		b.waiting = nil
		if len(asked) == 0 {
			b.end()
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
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
