package reading

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// TestBatches_join: questions that come while one is under way share the next request.
func TestBatches_join(t *testing.T) {
	t.Parallel()
	var (
		b     Batches[int, int]
		group sync.WaitGroup
		asked [][]int
	)
	arrived, open := make(chan struct{}), make(chan struct{})
	//nolint:unparam // the signature that Get takes
	read := func(_ context.Context, keys []int) (map[int]int, error) {
		asked = append(asked, slices.Sorted(slices.Values(keys)))
		if len(asked) == 1 {
			close(arrived)
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
	<-arrived
	for k := range 99 {
		ask(k)
	}
	ask(98) // twice: one question
	for {
		b.mu.Lock()
		n := 0
		for callers := range maps.Values(b.waiting) {
			n += len(callers)
		}
		b.mu.Unlock()
		if n == 100 {
			break
		}
		runtime.Gosched()
	}
	close(open)
	group.Wait()
	if len(asked) != 2 || len(asked[0]) != 1 || len(asked[1]) != 99 {
		t.Errorf("requests for %v", asked)
	}
}

func TestBatches_failure(t *testing.T) {
	t.Parallel()
	var b Batches[int, int]
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
	); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestBatches_hold: the first question waits too, and what comes meanwhile is in its request.
func TestBatches_hold(t *testing.T) {
	t.Parallel()
	arrived, open := make(chan struct{}, 2), make(chan struct{})
	b := Batches[int, int]{Hold: func(context.Context) { arrived <- struct{}{}; <-open }}
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
	<-arrived
	for {
		b.mu.Lock()
		n := len(b.waiting)
		b.mu.Unlock()
		if n == 3 {
			break
		}
		runtime.Gosched()
	}
	close(open)
	group.Wait()
	if len(asked) != 1 || !slices.Equal(asked[0], []int{0, 1, 2}) {
		t.Errorf("requests for %v", asked)
	}
}
