package transport_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// clock advances only by sleeping. It calls during, if set, in the middle of the next sleep.
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

func newPace(change func(*transport.PaceConfig)) (*clock, *transport.Pace) {
	c := &clock{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := transport.PaceConfig{Now: func() time.Time { return c.now }, Sleep: c.sleep, Burst: 10, Pause: time.Second}
	change(&config)
	return c, transport.NewPace(config)
}

func wantDelay(t *testing.T, p *transport.Pace, want time.Duration) {
	t.Helper()
	got, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestPace_bucket(t *testing.T) {
	t.Parallel()
	_, p := newPace(func(c *transport.PaceConfig) { c.PerSecond, c.Burst = 2, 3 })
	for range 3 {
		wantDelay(t, p, 0)
	}
	for range 3 {
		wantDelay(t, p, 500*time.Millisecond) // two requests per second
	}
}

// TestPace_pause verifies that a throttled request delays all requests by the longest requested or configured pause.
func TestPace_pause(t *testing.T) {
	t.Parallel()
	_, p := newPace(func(*transport.PaceConfig) {})
	wantDelay(t, p, 0)
	p.Refused(0)
	wantDelay(t, p, time.Second)
	p.Refused(7 * time.Second)
	p.Refused(0)
	wantDelay(t, p, 7*time.Second)
	wantDelay(t, p, 0)
}

// TestPace_pauseBeginsMeanwhile verifies that a new pause also delays requests that are already waiting.
func TestPace_pauseBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	c, p := newPace(func(c *transport.PaceConfig) { c.PerSecond, c.Burst = 0.5, 1 })
	wantDelay(t, p, 0)
	c.during = func() { p.Refused(9 * time.Second) }
	// 2 s for the bucket; after 1 s the service asks for 9 s, 8 s of which remain; by then the bucket is full.
	wantDelay(t, p, 10*time.Second)
}

// TestPace_slowsDown verifies that the first throttled request sets the fallback rate, each later one halves it, and
// requests sent before a reduction do not count again.
func TestPace_slowsDown(t *testing.T) {
	t.Parallel()
	c, p := newPace(func(c *transport.PaceConfig) { c.Burst, c.Fallback, c.Slowest = 1, 16, 5 })
	for range 100 {
		wantDelay(t, p, 0)
	}
	for range 10 {
		p.Refused(0)
	}
	// Seconds between requests: 1/16, 1/8, 1/5, 1/5.
	for _, want := range []time.Duration{
		62500 * time.Microsecond,
		125 * time.Millisecond,
		200 * time.Millisecond,
		200 * time.Millisecond,
	} {
		wantDelay(t, p, time.Second) // the pause; afterwards the bucket is full
		wantDelay(t, p, want)
		c.now = c.now.Add(time.Second)
		p.Refused(0)
	}
}

func TestPace_yield(t *testing.T) {
	t.Parallel()
	c, p := newPace(func(*transport.PaceConfig) {})
	begin := c.now
	p.Yield(t.Context(), time.Second, 3) // nothing is waiting
	assert.True(t, c.now == begin, "waited for %s although no request is delayed", c.now.Sub(begin))
	p.Refused(time.Minute)
	var took time.Duration
	c.during = func() {
		before := c.now
		p.Yield(t.Context(), time.Second, 3)
		took = c.now.Sub(before)
	}
	wantDelay(t, p, time.Minute)
	assert.Equal(t, 3*time.Second, took)
}

func TestPace_cancelled(t *testing.T) {
	t.Parallel()
	_, p := newPace(func(*transport.PaceConfig) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Wait(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
