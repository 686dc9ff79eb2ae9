package reading_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

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
				if got, err := b.Get(t.Context(), k, read); err != nil || got != k*k {
					t.Errorf("%d: %d, %v", k, got, err)
				}
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
		if len(asked) != 2 || len(asked[0]) != 1 || len(asked[1]) != 99 {
			t.Errorf("requests for %v", asked)
		}
	})
}

func TestBatches_failure(t *testing.T) {
	t.Parallel()
	var b reading.Batches[int, int]
	broken := errors.New("broken")
	fail := func(context.Context, []int) (map[int]int, error) { return nil, broken }
	if _, err := b.Get(t.Context(), 1, fail); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	works := func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 2}, nil }
	if got, err := b.Get(t.Context(), 1, works); err != nil || got != 2 {
		t.Errorf("after a failure: %d, %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	if _, err := b.Get(
		ended,
		1,
		func(context.Context, []int) (map[int]int, error) { <-never; return nil, broken },
	); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
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
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(open)
		group.Wait()
		if len(asked) != 1 || !slices.Equal(asked[0], []int{0, 1, 2}) {
			t.Errorf("requests for %v", asked)
		}
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
			if got := ctx.Value(key{}); got != "shared" {
				t.Errorf("the request carries %v", got)
			}
			<-ctx.Done()
			ended++
			return nil, ctx.Err()
		}
		var group sync.WaitGroup
		ask := func() context.CancelFunc {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "own"))
			group.Go(func() {
				if _, err := b.Get(ctx, 1, read); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
			synctest.Wait()
			return cancel
		}
		first, second := ask(), ask()
		first()
		synctest.Wait()
		if ended != 0 {
			t.Error("the request ended with the caller that started it")
		}
		second()
		group.Wait()
		synctest.Wait()
		if ended != 1 {
			t.Errorf("%d requests ended, want 1: nobody waits for it", ended)
		}
		third := func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 2}, nil }
		if got, err := b.Get(t.Context(), 1, third); err != nil || got != 2 {
			t.Errorf("a later question: %d, %v", got, err)
		}
	})
}
