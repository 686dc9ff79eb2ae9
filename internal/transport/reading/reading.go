// Package reading caches results and shares concurrent reads between callers: Terraform refreshes many objects at a
// time, and most of them need the same lists.
package reading

import (
	"context"
	"sync"
)

// Shared caches the result of a read by key until it is dropped. Concurrent callers share one read. Errors are not
// cached. The zero value is ready for use.
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
		// The value was rejected or the other caller's read failed, maybe because of its cancellation: read again,
		// unless another caller has already started to.
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

// Replace drops a cached value if same reports true for it.
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
