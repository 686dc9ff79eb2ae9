// Package reading caches results and lets concurrent callers share a read, because Terraform refreshes many objects in
// parallel and each refresh needs the same lists.
package reading

import (
	"context"
	"sync"
)

// Shared caches the result of a read by key until the result is dropped. Concurrent callers share one read. Errors are
// not cached. The zero value is ready to use.
type Shared[T any] struct {
	mu      sync.Mutex
	entries map[string]*entry[T]
}

type entry[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Get returns the cached value, joins a read in progress, or starts a new read.
func (s *Shared[T]) Get(ctx context.Context, key string, read func(context.Context) (T, error)) (T, error) {
	return s.GetIf(ctx, key, read, func(T) bool { return true })
}

// GetIf is like Get, but reads again if accept rejects the cached value. Callers that reject the same value share the
// new read. A value that the caller reads itself is not passed to accept.
func (s *Shared[T]) GetIf(
	ctx context.Context, key string, read func(context.Context) (T, error), accept func(T) bool,
) (T, error) {
	for {
		s.mu.Lock()
		e, known := s.entries[key]
		if !known {
			e = &entry[T]{done: make(chan struct{})}
			if s.entries == nil {
				s.entries = make(map[string]*entry[T])
			}
			s.entries[key] = e
		}
		s.mu.Unlock()
		if !known {
			e.value, e.err = read(ctx)
			if e.err != nil {
				s.forget(key, e)
			}
			close(e.done)
			return e.value, e.err
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
		if e.err == nil && accept(e.value) {
			return e.value, nil
		}
		// The value was rejected, or the other caller's read failed, possibly because it was canceled. Read again,
		// unless another caller is already doing so.
		s.forget(key, e)
	}
}

// forget drops a read unless it has already been replaced.
func (s *Shared[T]) forget(key string, e *entry[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[key] == e {
		delete(s.entries, key)
	}
}

// DropIf drops the cached value of a key if match returns true for the value.
func (s *Shared[T]) DropIf(key string, match func(T) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.entries[key]
	if !known {
		return
	}
	select {
	case <-e.done:
		if match(e.value) {
			delete(s.entries, key)
		}
	default: // a read is in progress
	}
}

// Drop drops all values. Callers that are already waiting still get the result of their read.
func (s *Shared[T]) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.entries)
}

// Batcher reads many keys with one request. Keys that arrive while a request is in progress are sent together in the
// next one. The zero value is ready to use.
type Batcher[K comparable, V any] struct {
	// Hold, if set, waits before each request so that more keys can join it.
	Hold func(context.Context)
	// Background returns the context of the requests, which must outlive any single caller. It defaults to
	// context.Background.
	Background func() context.Context

	mu      sync.Mutex
	waiting map[K][]chan<- batchResult[V]
	callers int
	cancel  context.CancelFunc // nil if no requests are running
}

type batchResult[V any] struct {
	value V
	err   error
}

// Get returns the value that read returns for the key, or the zero value if there is none. The request is canceled once
// every caller has stopped waiting.
func (b *Batcher[K, V]) Get(ctx context.Context, key K, read func(context.Context, []K) (map[K]V, error)) (V, error) {
	result := make(chan batchResult[V], 1)
	b.join(key, result, read) //nolint:contextcheck // all callers share the requests
	defer b.leave()
	select {
	case r := <-result:
		return r.value, r.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (b *Batcher[K, V]) join(key K, result chan<- batchResult[V], read func(context.Context, []K) (map[K]V, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[K][]chan<- batchResult[V])
	}
	b.waiting[key] = append(b.waiting[key], result)
	b.callers++
	if b.cancel != nil {
		return
	}
	background := context.Background
	if b.Background != nil {
		background = b.Background
	}
	ctx, cancel := context.WithCancel(background()) //nolint:gosec // leave calls cancel when the last caller leaves
	b.cancel = cancel
	go b.sendBatches(ctx, read)
}

func (b *Batcher[K, V]) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.callers--
	if b.callers == 0 {
		b.cancelRequests()
	}
}

// cancelRequests cancels the running requests. The caller must hold mu.
func (b *Batcher[K, V]) cancelRequests() {
	if b.cancel != nil {
		b.cancel()
	}
	b.cancel = nil
	b.waiting = nil
}

// sendBatches sends requests until no keys are waiting. ctx is canceled when the last caller leaves.
func (b *Batcher[K, V]) sendBatches(ctx context.Context, read func(context.Context, []K) (map[K]V, error)) {
	for {
		if b.Hold != nil {
			b.Hold(ctx)
		}
		b.mu.Lock()
		if ctx.Err() != nil {
			b.mu.Unlock()
			return
		}
		requested := b.waiting
		b.waiting = nil
		if len(requested) == 0 {
			b.cancelRequests()
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		keys := make([]K, 0, len(requested))
		for key := range requested {
			keys = append(keys, key)
		}
		values, err := read(ctx, keys)
		for key, callers := range requested {
			for _, caller := range callers {
				caller <- batchResult[V]{values[key], err}
			}
		}
	}
}
