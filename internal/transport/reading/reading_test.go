package reading_test

import (
	"context"
	"errors"
	"slices"
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

func TestShared_failure(t *testing.T) {
	t.Parallel()
	var s reading.Shared[int]
	broken := errors.New("broken")
	_, err := s.Get(t.Context(), "a", func(context.Context) (int, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
	read, _ := counter()
	got, err := s.Get(t.Context(), "a", read)
	require.NoError(t, err)
	assert.Equal(t, 1, got)
}

func TestShared_concurrent(t *testing.T) {
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
				assert.Equal(t, 1, got)
				assert.NoError(t, err)
			})
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Get(ended, "a", read)
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		open <- broken
		group.Wait()
		assert.EqualValues(t, 1, readings.Load())
	})
}

func TestShared_locks(t *testing.T) {
	t.Parallel()
	var (
		s   reading.Shared[int]
		all sync.WaitGroup
	)
	read, _ := counter()
	for range 100 {
		all.Go(func() { _, _ = s.Get(t.Context(), "key", read) })
		all.Go(func() { s.DropIf("key", func(int) bool { return true }) })
		all.Go(s.Drop)
	}
	all.Wait()
}

func TestShared_getIf(t *testing.T) {
	t.Parallel()
	var s reading.Shared[int]
	read, readings := counter()
	least := func(n int) func(int) bool { return func(v int) bool { return v >= n } }
	for _, step := range []struct{ least, want int }{
		{1, 1},
		{1, 1},
		{2, 2},
		{1, 2},
		{9, 3},
		{3, 3},
	} {
		got, err := s.GetIf(t.Context(), "a", read, least(step.least))
		require.NoError(t, err)
		assert.Equal(t, step.want, got)
	}
	s.DropIf("a", func(v int) bool { return v == 2 }) // already replaced
	s.DropIf("b", func(int) bool { return true })
	got, _ := s.Get(t.Context(), "a", read)
	assert.Equal(t, 3, got)
	s.DropIf("a", func(v int) bool { return v == 3 })
	got, _ = s.Get(t.Context(), "a", read)
	assert.Equal(t, 4, got)
	assert.EqualValues(t, 4, readings.Load())
}

func TestBatcher_join(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			b         reading.Batcher[int, int]
			group     sync.WaitGroup
			requested [][]int
		)
		open := make(chan struct{})
		//nolint:unparam // Get requires this signature
		read := func(_ context.Context, keys []int) (map[int]int, error) {
			requested = append(requested, slices.Sorted(slices.Values(keys)))
			if len(requested) == 1 {
				<-open
			}
			squares := make(map[int]int)
			for _, k := range keys {
				squares[k] = k * k
			}
			return squares, nil
		}
		get := func(k int) {
			group.Go(func() {
				got, err := b.Get(t.Context(), k, read)
				assert.Equal(t, k*k, got)
				assert.NoError(t, err)
			})
		}
		get(7)
		synctest.Wait()
		for k := range 99 {
			get(k)
		}
		get(98) // duplicate key
		synctest.Wait()
		close(open)
		group.Wait()
		require.Len(t, requested, 2)
		assert.Len(t, requested[0], 1)
		assert.Len(t, requested[1], 99)
	})
}

func TestBatcher_failure(t *testing.T) {
	t.Parallel()
	var b reading.Batcher[int, int]
	broken := errors.New("broken")
	fail := func(context.Context, []int) (map[int]int, error) { return nil, broken }
	_, err := b.Get(t.Context(), 1, fail)
	require.ErrorIs(t, err, broken)
	works := func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 2}, nil }
	got, err := b.Get(t.Context(), 1, works)
	require.NoError(t, err)
	assert.Equal(t, 2, got)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	_, err = b.Get(ended, 1, func(context.Context, []int) (map[int]int, error) {
		<-never
		return nil, broken
	})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestBatcher_hold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		b := reading.Batcher[int, int]{Hold: func(context.Context) { <-open }}
		var group sync.WaitGroup
		var requested [][]int
		for k := range 3 {
			group.Go(func() {
				_, err := b.Get(t.Context(), k, func(_ context.Context, keys []int) (map[int]int, error) {
					requested = append(requested, slices.Sorted(slices.Values(keys)))
					return nil, nil
				})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		close(open)
		group.Wait()
		require.Len(t, requested, 1)
		assert.Equal(t, []int{0, 1, 2}, requested[0])
	})
}

func TestBatcher_detached(t *testing.T) {
	t.Parallel()
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var b reading.Batcher[int, int]
		b.Background = func() context.Context { return context.WithValue(t.Context(), key{}, "shared") }
		ended := 0
		//nolint:unparam // a canceled read has no result
		read := func(ctx context.Context, _ []int) (map[int]int, error) {
			got := ctx.Value(key{})
			assert.Equal(t, "shared", got, "the request carries %v", got)
			<-ctx.Done()
			ended++
			return nil, ctx.Err()
		}
		var group sync.WaitGroup
		get := func() context.CancelFunc {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "own"))
			group.Go(func() {
				_, err := b.Get(ctx, 1, read)
				assert.ErrorIs(t, err, context.Canceled)
			})
			synctest.Wait()
			return cancel
		}
		first := get()
		second := get()
		first()
		synctest.Wait()
		assert.Equal(t, 0, ended, "the request ended with the caller that started it")
		second()
		group.Wait()
		synctest.Wait()
		assert.Equal(t, 1, ended)
		third := func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 2}, nil }
		got, err := b.Get(t.Context(), 1, third)
		require.NoError(t, err)
		assert.Equal(t, 2, got)
	})
}
