package transport

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestLocks calls everything that locks at the same time. It asserts nothing: the race detector (go test -race) reports
// an access without the lock.
func TestLocks(t *testing.T) {
	t.Parallel()
	budget := &startupBudget{remaining: time.Hour}
	refused := new(refusal)
	scrubber := new(Scrubber)
	session := NewSession[int](NewCredentials())
	limiter := NewRateLimiter(RateLimiterConfig{
		Now:                func() time.Time { return time.Time{} },
		ThrottledPerSecond: 1,
	})
	var all sync.WaitGroup
	for i := range 100 {
		for _, call := range []func(){
			func() { budget.spend(1) },
			func() { refused.set(nil) },
			func() { _ = refused.get() },
			func() { scrubber.Add(fmt.Sprint("secret", i)) },
			func() { scrubber.Text("secret0") },
			func() { _, _ = session.Open(t.Context(), func(context.Context) (int, error) { return i + 1, nil }) },
			func() { session.Drop(i) },
			func() { session.Current() },
			func() { limiter.Throttle(time.Duration(i + 1)) },
			func() { limiter.reserve() },
			func() { limiter.pauseEnd() },
		} {
			all.Go(call)
		}
	}
	all.Wait()
}

// TestRateLimiter_order verifies that concurrent requests do not read the clock in another order than they reserve. In
// the 1,000 ms from the first request to the last, 100 of the 1,000 requests after the burst are due. The last one
// waits for the other 900: 9 s.
func TestRateLimiter_order(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	limiter := NewRateLimiter(RateLimiterConfig{
		PerSecond: 100,
		Burst:     1,
		Now: func() time.Time {
			now := time.UnixMilli(clock.Add(1))
			runtime.Gosched()
			return now
		},
	})
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() { limiter.reserve() })
	}
	all.Wait()
	assert.InDelta(t, 9, limiter.reserve().Seconds(), 1e-6)
}
