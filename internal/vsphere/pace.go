// How fast requests are sent: as many at a time as the tagging service answers well, and no faster than it bears.

package vsphere

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

const (
	// concurrency is how many REST requests a client keeps in flight, whatever asks for them. Ten is what the tagging
	// service answers fastest at; it is also Terraform's own default parallelism.
	concurrency = 10
	// bearable is the rate that a client keeps to once the service has refused a request for its load, in requests a
	// second: a tagging service refuses from about 360 on, and is not alone with this client.
	bearable = 300
	// slowest is where halving ends, in requests a second.
	slowest = 5
	// breather is how long nothing is sent after a refusal that names no time, and how long after a slow-down further
	// refusals belong to the same crowd.
	breather = time.Second
)

// pace bounds requests in flight and, from the first refusal on, requests a second. How many requests a service bears
// depends on its version, its size and its other clients, so it is found out and not assumed: a fixed limit would slow
// down where there is no need. The rate is never raised again; a client lives as long as one run of Terraform.
type pace struct {
	inFlight *semaphore.Weighted
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error

	mu      sync.Mutex
	limiter *rate.Limiter
	cut     time.Time // of the last slow-down
	resume  time.Time // nothing is sent before
}

// newPace limits from the start where perSecond is not 0.
func newPace(perSecond float64, now func() time.Time, sleep func(context.Context, time.Duration) error) *pace {
	limit := rate.Inf
	if perSecond > 0 {
		limit = rate.Limit(perSecond)
	}
	return &pace{
		inFlight: semaphore.NewWeighted(concurrency),
		now:      now,
		sleep:    sleep,
		limiter:  rate.NewLimiter(limit, concurrency),
	}
}

// start waits for a place and for the right time; a nil error has to be followed by end.
func (p *pace) start(ctx context.Context) error {
	if err := p.inFlight.Acquire(ctx, 1); err != nil {
		return err
	}
	if d := p.delay(); d > 0 {
		if err := p.sleep(ctx, d); err != nil {
			p.end()
			return err
		}
	}
	return nil
}

func (p *pace) end() { p.inFlight.Release(1) }

func (p *pace) delay() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	return max(p.limiter.ReserveN(now, 1).DelayFrom(now), p.resume.Sub(now))
}

// refused slows down after the service has refused a request for its load; after is the wait that it asked for, 0 when
// it named none.
func (p *pace) refused(after time.Duration) {
	if after <= 0 {
		after = breather
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if until := now.Add(after); until.After(p.resume) {
		p.resume = until
	}
	if !p.cut.IsZero() && now.Before(p.cut.Add(breather)) {
		return // sent before the slow-down
	}
	p.cut = now
	p.limiter.SetLimitAt(now, max(slowest, min(bearable, p.limiter.Limit()/2)))
}
