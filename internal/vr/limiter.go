// The client's own request limit, below the gateway's: a token bucket, and a pause for all when the gateway refuses.

package vr

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// burst is how many requests may be sent at once: Terraform's own default parallelism.
	burst = 10
	// window is the gateway's: after a refusal that does not say how long to wait, the quota is whole again after it.
	window = 60 * time.Second
)

type limiter struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	rate  *rate.Limiter // nil when there is no limit

	// held counts the requests that are held back now.
	held atomic.Int32

	mu    sync.Mutex
	until time.Time // nothing is sent before
}

// newLimiter makes a limiter whose burst and refill together stay within the configured number in every minute: the
// gateway counts in fixed windows, and a bucket refilled at the full rate would exceed the number by its burst.
func newLimiter(c Config) *limiter {
	l := &limiter{now: c.Now, sleep: c.Sleep}
	if n := c.RequestsPerMinute; n > 0 {
		at := min(burst, max(1, n/4))
		l.rate = rate.NewLimiter(rate.Limit(float64(max(1, n-at))/window.Seconds()), at)
	}
	return l
}

// wait holds a request back until it may be sent, and returns how long that was. A pause goes before the bucket, so
// that those who waited through it come back at the bucket's rate; one that begins meanwhile is waited for as well.
func (l *limiter) wait(ctx context.Context) (held time.Duration, err error) {
	pause := func(d time.Duration) error {
		if d <= 0 {
			return ctx.Err()
		}
		held += d
		l.held.Add(1)
		defer l.held.Add(-1)
		return l.sleep(ctx, d)
	}
	until := l.pausedUntil()
	for {
		if err := pause(until.Sub(l.now())); err != nil {
			return held, err
		}
		if l.rate != nil {
			now := l.now()
			if err := pause(l.rate.ReserveN(now, 1).DelayFrom(now)); err != nil {
				return held, err
			}
		}
		newer := l.pausedUntil()
		if !newer.After(until) {
			return held, nil
		}
		until = newer
	}
}

// yield returns way to requests that are held back, for a number of pauses at most: what waits for them can often ask
// for several things at once then.
func (l *limiter) yield(ctx context.Context, every time.Duration, most int) {
	for range most {
		if l.held.Load() == 0 || l.sleep(ctx, every) != nil {
			return
		}
	}
}

func (l *limiter) pausedUntil() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// refused makes all requests wait, after the gateway's own limit refused one.
func (l *limiter) refused(after time.Duration) {
	if after == 0 {
		after = window
	}
	until := l.now().Add(after)
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.until) {
		l.until = until
	}
}
