package transport

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestLocks(t *testing.T) {
	t.Parallel()
	budget, refused, scrubber := &startupBudget{remaining: time.Hour}, new(refusal), new(Scrubber)
	session, limiter := NewSession[int](NewCredentials()), NewRateLimiter(RateLimiterConfig{
		Now: func() time.Time { return time.Time{} }, ThrottledPerSecond: 1,
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
