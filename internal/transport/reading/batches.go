package reading

import (
	"context"
	"sync"
)

// Batches collects keys requested while a request is in flight into the next request. The zero value is ready for use.
type Batches[K comparable, V any] struct {
	// Hold, if set, waits before each request so that more keys can join it.
	Hold func(context.Context)
	// Background returns the context for the requests, which do not inherit the values of any single caller. It
	// defaults to context.Background.
	Background func() context.Context

	mu      sync.Mutex
	waiting map[K][]chan<- batchAnswer[V]
	callers int
	stop    context.CancelFunc // cancels the requests; nil if there are none
}

type batchAnswer[V any] struct {
	value V
	err   error
}

// Get returns the value that read returns for the key, or the zero value if it returns none. The request is canceled
// when all of its callers have given up.
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

func (b *Batches[K, V]) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.callers--
	if b.callers == 0 {
		b.end()
	}
}

// end cancels the requests. The caller must hold mu.
func (b *Batches[K, V]) end() {
	if b.stop != nil {
		b.stop()
	}
	b.stop, b.waiting = nil, nil
}

// lead sends requests until no keys are waiting. Its context ends with the last caller.
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
