// Readings that several callers share: a look-up by name has to read every name, and Terraform looks many names up at a
// time.

package vsphere

import (
	"context"
	"sync"
)

// shared keeps the result of a reading by key until it is dropped. Concurrent callers wait for one reading. A failure is
// not kept.
type shared[T any] struct {
	mu       sync.Mutex
	readings map[string]*reading[T]
}

type reading[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get gives the kept value, or waits for the reading that is under way, or reads.
func (s *shared[T]) get(ctx context.Context, key string, read func(context.Context) (T, error)) (T, error) {
	for {
		s.mu.Lock()
		r, known := s.readings[key]
		if !known {
			r = &reading[T]{done: make(chan struct{})}
			if s.readings == nil {
				s.readings = make(map[string]*reading[T])
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
		if r.err == nil {
			return r.value, nil
		}
		// The other caller failed, perhaps because it was cancelled: this one reads for itself.
	}
}

// forget drops a reading unless it has been replaced.
func (s *shared[T]) forget(key string, r *reading[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// drop forgets everything. Callers that wait get the reading that began before; later ones read afresh.
func (s *shared[T]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.readings)
}
