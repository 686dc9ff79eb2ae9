// Package reading shares one reading between the callers that want it: a look-up by name has to read every name, a
// refresh every replication, and Terraform does many of them at a time.
package reading

import (
	"context"
	"sync"
)

// Shared keeps the result of a reading by key until it is dropped. Concurrent callers wait for one reading. A failure
// is not kept. The zero value is ready for use.
type Shared[T any] struct {
	mu       sync.Mutex
	readings map[string]*one[T]
}

type one[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Get returns the kept value, or waits for the reading that is under way, or reads.
func (s *Shared[T]) Get(ctx context.Context, key string, read func(context.Context) (T, error)) (T, error) {
	return s.GetIf(ctx, key, read, func(T) bool { return true })
}

// GetIf is Get for a caller that not every kept value serves: one that does not is replaced by a new reading, which the
// callers that need one share. The caller's own reading is taken as it is.
func (s *Shared[T]) GetIf(
	ctx context.Context,
	key string,
	read func(context.Context) (T, error),
	serves func(T) bool,
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
		// It is too old; or the other caller failed, perhaps because it was cancelled. This one reads for itself, unless
		// another caller has begun one.
		s.forget(key, r)
	}
}

// forget drops a reading unless it has been replaced.
func (s *Shared[T]) forget(key string, r *one[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// Replace forgets a value that was given out, unless it has been replaced already; same reports whether a kept value
// is it.
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
	default: // a new one is under way
	}
}

// Drop forgets everything. Callers that wait get the reading that began before; later ones read afresh.
func (s *Shared[T]) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.readings)
}
