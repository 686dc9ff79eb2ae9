package transport_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// clock advances only when a caller sleeps. If the field during is set, the function is called in the middle of the
// next sleep.
type clock struct {
	now    time.Time
	during func()
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d / 2)
	if f := c.during; f != nil {
		c.during = nil
		f()
	}
	c.now = c.now.Add(d - d/2)
	return ctx.Err()
}

func newRateLimiter(change func(*transport.RateLimiterConfig)) (*clock, *transport.RateLimiter) {
	c := &clock{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := transport.RateLimiterConfig{
		Now:   func() time.Time { return c.now },
		Sleep: c.sleep,
		Burst: 10,
		Pause: time.Second,
	}
	change(&config)
	return c, transport.NewRateLimiter(config)
}

func wantDelay(t *testing.T, p *transport.RateLimiter, want time.Duration) {
	t.Helper()
	got, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestRateLimiter_bucket(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.PerSecond = 2
		c.Burst = 3
	})
	for range 3 {
		wantDelay(t, p, 0)
	}
	for range 3 {
		wantDelay(t, p, 500*time.Millisecond) // two requests per second
	}
}

func TestRateLimiter_pause(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	wantDelay(t, p, 0)
	p.Throttle(0)
	wantDelay(t, p, time.Second)
	p.Throttle(7 * time.Second)
	p.Throttle(0)
	wantDelay(t, p, 7*time.Second)
	wantDelay(t, p, 0)
}

func TestRateLimiter_pauseBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.PerSecond = 0.5
		c.Burst = 1
	})
	wantDelay(t, p, 0)
	c.during = func() { p.Throttle(9 * time.Second) }
	// The token bucket delays the request by 2 s. After 1 s, the service requests a pause of 9 s. At the end of the
	// pause, 9 s later, the bucket is full.
	wantDelay(t, p, 10*time.Second)
}

func TestRateLimiter_slowsDown(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.Burst = 1
		c.ThrottledPerSecond = 16
		c.MinPerSecond = 5
	})
	for range 100 {
		wantDelay(t, p, 0)
	}
	for range 10 {
		p.Throttle(0)
	}
	// The rate drops from 16 to 8 requests per second, and then to the minimum of 5.
	for _, want := range []time.Duration{62.5e6, 125e6, 200e6, 200e6} {
		wantDelay(t, p, time.Second) // after the pause, the bucket is full
		wantDelay(t, p, want)
		c.now = c.now.Add(time.Second)
		p.Throttle(0)
	}
}

func TestRateLimiter_waitWhileDelayed(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	begin := c.now
	p.WaitWhileDelayed(t.Context(), time.Second, 3) // no request is waiting
	assert.True(t, c.now.Equal(begin), "waited for %s although no request is delayed", c.now.Sub(begin))
	p.Throttle(time.Minute)
	var took time.Duration
	c.during = func() {
		before := c.now
		p.WaitWhileDelayed(t.Context(), time.Second, 3)
		took = c.now.Sub(before)
	}
	wantDelay(t, p, time.Minute)
	assert.Equal(t, 3*time.Second, took)
}

func TestRateLimiter_cancelled(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Wait(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
