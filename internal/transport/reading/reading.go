// Package reading caches results and shares concurrent reads between callers, because Terraform refreshes many objects
// at a time that need the same lists.
package reading

import (
	"context"
	"sync"
)

// Shared caches the result of a read by key until it is dropped. Concurrent callers share one read. Errors are not
// cached. The zero value is ready to use.
type Shared[T any] struct {
	mu       sync.Mutex
	readings map[string]*one[T]
}

type one[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Get returns the cached value, joins a read in progress, or starts one.
func (s *Shared[T]) Get(ctx context.Context, key string, read func(context.Context) (T, error)) (T, error) {
	return s.GetIf(ctx, key, read, func(T) bool { return true })
}

// GetIf is like Get, but replaces a cached value if serves rejects it. Callers that reject the same value share its
// replacement. GetIf does not check the result of the caller's own read.
func (s *Shared[T]) GetIf(
	ctx context.Context, key string, read func(context.Context) (T, error), serves func(T) bool,
) (T, error) {
	for {
		s.mu.Lock()
		r, known := s.readings[key]
		if !known {
			r = &one[T]{done: make(chan struct{})}
			if s.readings == nil {
				s.readings = make(map[string]*one[T])
			}
			s.readings[key] = r
		}
		s.mu.Unlock()
		if !known {
			r.value, r.err = read(ctx)
			if r.err != nil {
				s.forget(key, r)
			}
			close(r.done)
			return r.value, r.err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
		if r.err == nil && serves(r.value) {
			return r.value, nil
		}
		// The value was rejected or the other caller's read failed, possibly because it was canceled. Read again,
		// unless another caller already does.
		s.forget(key, r)
	}
}

// forget drops a read unless it has already been replaced.
func (s *Shared[T]) forget(key string, r *one[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// Replace drops a cached value if same returns true for it.
func (s *Shared[T]) Replace(key string, same func(T) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, known := s.readings[key]
	if !known {
		return
	}
	select {
	case <-r.done:
		if same(r.value) {
			delete(s.readings, key)
		}
	default: // another read is in progress
	}
}

// Drop drops all values. Callers that are waiting still get the result of the earlier read.
func (s *Shared[T]) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.readings)
}

// Batches collects the keys requested during a request into the next request. The zero value is ready to use.
type Batches[K comparable, V any] struct {
	// Hold, if set, waits before each request to let more keys join it.
	Hold func(context.Context)
	// Background returns the context of the requests, which must not depend on a single caller. It defaults to
	// context.Background.
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
// when all of its callers have stopped waiting.
func (b *Batches[K, V]) Get(ctx context.Context, key K, read func(context.Context, []K) (map[K]V, error)) (V, error) {
	mine := make(chan batchAnswer[V], 1)
	b.join(key, mine, read) //nolint:contextcheck // the requests are shared by all callers
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
