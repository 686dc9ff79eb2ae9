package acctest

import (
	"context"
	"sync"
	"time"
)

// epoch is the time at which the clock of a provider starts.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is a provider's clock. It advances when the provider sleeps.
type clock struct {
	mu      sync.Mutex
	now     time.Time
	onSleep func(time.Duration)
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	if c.onSleep != nil {
		c.onSleep(d)
	}
	return ctx.Err()
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Now returns the time of the provider's clock, which advances while the provider waits.
func (l *Lab) Now() time.Time { return l.clock.time() }

// OnWait sets a function that is called whenever the provider waits, for example to advance the vCenter clock.
func (l *Lab) OnWait(then func(time.Duration)) { l.clock.onSleep = then }
