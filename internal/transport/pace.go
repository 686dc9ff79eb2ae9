// How fast requests are sent.

package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// PaceConfig is how fast one client sends requests.
type PaceConfig struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// PerSecond limits the requests from the start, after a burst; 0 means no limit.
	PerSecond float64
	Burst     int
	// Pause is how long no request is sent after a refusal that names no wait.
	Pause time.Duration
	// Fallback is the rate that the first refusal sets, in requests a second; each further one halves it, down to
	// Slowest. 0 means that refusals do not change the rate.
	Fallback, Slowest float64
}

// Pace delays the requests of one client: by a token bucket, and by a pause of all requests after the service has
// refused one for its load. The rate is never raised again, because a client lives as long as one run of Terraform.
type Pace struct {
	config PaceConfig
	// delayed counts the requests that wait now.
	delayed atomic.Int32

	mu      sync.Mutex
	limiter *rate.Limiter
	slowed  time.Time // when the rate was last reduced
	resume  time.Time // when the pause ends
}

// NewPace returns a pace without a pause.
func NewPace(config PaceConfig) *Pace {
	limit := rate.Inf
	if config.PerSecond > 0 {
		limit = rate.Limit(config.PerSecond)
	}
	return &Pace{config: config, limiter: rate.NewLimiter(limit, config.Burst)}
}

// Wait delays a request until it may be sent, and returns for how long. A pause comes before the bucket, so that the
// requests that waited for its end are sent at the bucket's rate. A pause that begins in between delays the request
// too.
func (p *Pace) Wait(ctx context.Context) (delayed time.Duration, err error) {
	sleep := func(d time.Duration) error {
		if d <= 0 {
			return ctx.Err()
		}
		delayed += d
		p.delayed.Add(1)
		defer p.delayed.Add(-1)
		return p.config.Sleep(ctx, d)
	}
	resume := p.resumes()
	for {
		if err := sleep(resume.Sub(p.config.Now())); err != nil {
			return delayed, err
		}
		if err := sleep(p.reserve()); err != nil {
			return delayed, err
		}
		later := p.resumes()
		if !later.After(resume) {
			return delayed, nil
		}
		resume = later
	}
}

// Yield waits for d while other requests are delayed, and again, up to the given number of times. Afterwards a caller
// can often ask for several things at once.
func (p *Pace) Yield(ctx context.Context, d time.Duration, times int) {
	for range times {
		if p.delayed.Load() == 0 || p.config.Sleep(ctx, d) != nil {
			return
		}
	}
}

// Refused delays all requests after the service has refused one for its load. after is the wait that the service asked
// for, 0 when it named none.
func (p *Pace) Refused(after time.Duration) {
	if after <= 0 {
		after = p.config.Pause
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	if until := now.Add(after); until.After(p.resume) {
		p.resume = until
	}
	if p.config.Fallback == 0 || (!p.slowed.IsZero() && now.Before(p.slowed.Add(p.config.Pause))) {
		return // no change, or a refusal of a request that was sent before the rate was reduced
	}
	p.slowed = now
	slower := max(rate.Limit(p.config.Slowest), min(rate.Limit(p.config.Fallback), p.limiter.Limit()/2))
	p.limiter.SetLimitAt(now, slower)
}

func (p *Pace) reserve() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	return p.limiter.ReserveN(now, 1).DelayFrom(now)
}

func (p *Pace) resumes() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resume
}
