package reading_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport/reading"
)

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
		got, err := s.Get(t.Context(), key, read)
		require.NoError(t, err, key)
		assert.Equal(t, want, got, key)
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
	_, err := s.Get(t.Context(), "a",
		func(context.Context) (int, error) { return 0, broken })
	assert.ErrorIs(t, err, broken)
	read, _ := counter()
	got, err := s.Get(t.Context(), "a", read)
	require.NoError(t, err)
	assert.Equal(t, 1, got)
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
			_, err := s.Get(t.Context(), "a", first)
			assert.ErrorIs(t, err, broken)
		})
		synctest.Wait()
		read, readings := counter()
		for range 9 {
			group.Go(func() {
				got, err := s.Get(t.Context(), "a", read)
				require.NoError(t, err)
				assert.Equal(t, 1, got)
			})
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Get(ended, "a", read)
		assert.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		open <- broken
		group.Wait()
		assert.EqualValues(t, 1, readings.Load())
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
		got, err := s.GetIf(t.Context(), "a", read, least(step.least))
		require.NoError(t, err)
		assert.Equal(t, step.want, got)
	}
	s.Replace("a", func(v int) bool { return v == 2 }) // already replaced
	s.Replace("b", func(int) bool { return true })
	got, _ := s.Get(t.Context(), "a", read)
	assert.Equal(t, 3, got)
	s.Replace("a", func(v int) bool { return v == 3 })
	if got, _ := s.Get(t.Context(), "a", read); got != 4 || readings.Load() != 4 {
		t.Errorf("%d after a replacement", got)
	}
}
