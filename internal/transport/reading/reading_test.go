package reading_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"terraform-provider-vsla/internal/transport/reading"
)

// counter returns a read function that returns 1, 2, 3, ...
func counter() (read func(context.Context) (int, error), readings *atomic.Int64) {
	readings = new(atomic.Int64)
	return func(context.Context) (int, error) { return int(readings.Add(1)), nil }, readings
}

func TestShared(t *testing.T) {
	t.Parallel()
	var s reading.Shared[int]
	read, _ := counter()
	get := func(key string, want int) {
		t.Helper()
		if got, err := s.Get(t.Context(), key, read); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", key, got, err, want)
		}
	}
	get("a", 1)
	get("a", 1)
	get("b", 2)
	s.Drop()
	get("a", 3)
	get("b", 4)
}

// TestShared_failure verifies that errors are not cached.
func TestShared_failure(t *testing.T) {
	t.Parallel()
	var s reading.Shared[int]
	broken := errors.New("broken")
	if _, err := s.Get(t.Context(), "a",
		func(context.Context) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the read", err)
	}
	read, _ := counter()
	if got, err := s.Get(t.Context(), "a", read); err != nil || got != 1 {
		t.Errorf("got %d, %v, want 1", got, err)
	}
}

// TestShared_together verifies that concurrent callers share one read, that a canceled caller stops waiting, and that
// another caller reads again after an error.
func TestShared_together(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s reading.Shared[int]
		var group sync.WaitGroup
		open := make(chan error)
		first := func(context.Context) (int, error) { return 0, <-open }
		broken := errors.New("broken")
		group.Go(func() {
			if _, err := s.Get(t.Context(), "a", first); !errors.Is(err, broken) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		read, readings := counter()
		for range 9 {
			group.Go(func() {
				if got, err := s.Get(t.Context(), "a", read); err != nil || got != 1 {
					t.Errorf("got %d, %v, want 1", got, err)
				}
			})
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Get(ended, "a", read); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		synctest.Wait()
		open <- broken
		group.Wait()
		if n := readings.Load(); n != 1 {
			t.Errorf("%d readings", n)
		}
	})
}

// TestShared_serves verifies that a rejected value is replaced by one shared read, and that the caller's own result is
// not checked.
func TestShared_serves(t *testing.T) {
	t.Parallel()
	var s reading.Shared[int]
	read, readings := counter()
	least := func(n int) func(int) bool { return func(v int) bool { return v >= n } }
	for _, step := range []struct{ least, want int }{{1, 1}, {1, 1}, {2, 2}, {1, 2}, {9, 3}, {3, 3}} {
		if got, err := s.GetIf(t.Context(), "a", read, least(step.least)); err != nil || got != step.want {
			t.Errorf("at least %d: %d, %v, want %d", step.least, got, err, step.want)
		}
	}
	s.Replace("a", func(v int) bool { return v == 2 }) // already replaced
	s.Replace("b", func(int) bool { return true })
	if got, _ := s.Get(t.Context(), "a", read); got != 3 {
		t.Errorf("%d after a replacement of what is not kept", got)
	}
	s.Replace("a", func(v int) bool { return v == 3 })
	if got, _ := s.Get(t.Context(), "a", read); got != 4 || readings.Load() != 4 {
		t.Errorf("%d after a replacement", got)
	}
}
