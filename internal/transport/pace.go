package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// PaceConfig configures the request rate of one client.
type PaceConfig struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// PerSecond is the initial rate limit, with bursts of Burst requests; 0 means no limit.
	PerSecond float64
	Burst     int
	// Pause is the delay after a throttled request without a Retry-After header.
	Pause time.Duration
	// Fallback is the rate after the first throttled request, in requests per second. Each further one halves it, down
	// to Slowest. 0 disables the reduction.
	Fallback, Slowest float64
}

// Pace delays the requests of one client by a token bucket and by a pause after the service has throttled a request.
// The rate is never raised again, because a client lives only as long as one Terraform run.
type Pace struct {
	config PaceConfig
	// delayed counts the waiting requests.
	delayed atomic.Int32

	mu      sync.Mutex
	limiter *rate.Limiter
	slowed  time.Time // time of the last reduction
	resume  time.Time // end of the pause
}

// NewPace returns a pace that is not paused.
func NewPace(config PaceConfig) *Pace {
	limit := rate.Inf
	if config.PerSecond > 0 {
		limit = rate.Limit(config.PerSecond)
	}
	return &Pace{config: config, limiter: rate.NewLimiter(limit, config.Burst)}
}

// Wait delays a request until it may be sent, and returns the delay. The pause precedes the token bucket, so that
// requests released by its end are sent at the limited rate. A pause that begins in the meantime delays the request,
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

// Yield waits up to the given number of times for d while other requests are delayed, so that a caller can batch
// requests.
func (p *Pace) Yield(ctx context.Context, d time.Duration, times int) {
	for range times {
		if p.delayed.Load() == 0 || p.config.Sleep(ctx, d) != nil {
			return
		}
	}
}

// Refused pauses all requests after the service has throttled one. after is the requested delay, or 0 if the service
// did not set one.
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
		return // no limit configured, or the request was sent before the last reduction
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
