package reading_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport/reading"
)

// TestBatches_join verifies that keys requested during a request share the next one.
func TestBatches_join(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			b     reading.Batches[int, int]
			group sync.WaitGroup
			asked [][]int
		)
		open := make(chan struct{})
		//nolint:unparam // required by the signature of Get
		read := func(_ context.Context, keys []int) (map[int]int, error) {
			asked = append(asked, slices.Sorted(slices.Values(keys)))
			if len(asked) == 1 {
				<-open
			}
			squares := make(map[int]int)
			for _, k := range keys {
				squares[k] = k * k
			}
			return squares, nil
		}
		ask := func(k int) {
			group.Go(func() {
				got, err := b.Get(t.Context(), k, read)
				require.NoError(t, err)
				assert.Equal(t, k*k, got)
			})
		}
		ask(7)
		synctest.Wait()
		for k := range 99 {
			ask(k)
		}
		ask(98) // a duplicate key
		synctest.Wait()
		close(open)
		group.Wait()
		assert.True(t, len(asked) == 2 && len(asked[0]) == 1 && len(asked[1]) == 99, "requests for %v", asked)
	})
}

func TestBatches_failure(t *testing.T) {
	t.Parallel()
	var b reading.Batches[int, int]
	broken := errors.New("broken")
	fail := func(context.Context, []int) (map[int]int, error) { return nil, broken }
	_, err := b.Get(t.Context(), 1, fail)
	assert.ErrorIs(t, err, broken)
	works := func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 2}, nil }
	got, err := b.Get(t.Context(), 1, works)
	require.NoError(t, err)
	assert.Equal(t, 2, got)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	_, err = b.Get(
		ended,
		1,
		func(context.Context, []int) (map[int]int, error) { <-never; return nil, broken },
	)
	assert.ErrorIs(t, err, context.Canceled)
}

// TestBatches_hold verifies that Hold delays the first request and that later keys join it.
func TestBatches_hold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		b := reading.Batches[int, int]{Hold: func(context.Context) { <-open }}
		var group sync.WaitGroup
		var asked [][]int
		for k := range 3 {
			group.Go(func() {
				_, err := b.Get(t.Context(), k, func(_ context.Context, keys []int) (map[int]int, error) {
					asked = append(asked, slices.Sorted(slices.Values(keys)))
					return nil, nil
				})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		close(open)
		group.Wait()
		require.Len(t, asked, 1)
		assert.Equal(t, []int{0, 1, 2}, asked[0])
	})
}

// TestBatches_detached verifies that a request does not inherit its callers' values, survives the cancellation of its
// first caller, and is canceled with the last one.
func TestBatches_detached(t *testing.T) {
	t.Parallel()
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var b reading.Batches[int, int]
		b.Background = func() context.Context { return context.WithValue(t.Context(), key{}, "shared") }
		ended := 0
		//nolint:unparam // canceled, so there is no result
		read := func(ctx context.Context, _ []int) (map[int]int, error) {
			got := ctx.Value(key{})
			assert.True(t, got == "shared", "the request carries %v", got)
			<-ctx.Done()
			ended++
			return nil, ctx.Err()
		}
		var group sync.WaitGroup
		ask := func() context.CancelFunc {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "own"))
			group.Go(func() {
				_, err := b.Get(ctx, 1, read)
				assert.ErrorIs(t, err, context.Canceled)
			})
			synctest.Wait()
			return cancel
		}
		first, second := ask(), ask()
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
