package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// RateLimiterConfig configures the request rate of one client.
type RateLimiterConfig struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// PerSecond is the initial rate limit in requests per second, with bursts of up to Burst requests. 0 means no
	// limit.
	PerSecond float64
	Burst     int
	// Pause is the delay after a throttled request without a Retry-After header.
	Pause time.Duration
	// ThrottledPerSecond is the rate limit after the first throttled request, in requests per second. Each further
	// throttled request halves the rate, down to MinPerSecond. 0 disables the reduction.
	ThrottledPerSecond float64
	MinPerSecond       float64
}

// RateLimiter delays the requests of one client with a token bucket, and pauses them after the service has throttled
// one. The rate is never increased again, because a client exists only for one Terraform run.
type RateLimiter struct {
	config  RateLimiterConfig
	waiting atomic.Int32

	mu            sync.Mutex
	limiter       *rate.Limiter
	lastReduction time.Time
	pausedUntil   time.Time
}

// NewRateLimiter returns a rate limiter that is not paused.
func NewRateLimiter(config RateLimiterConfig) *RateLimiter {
	limit := rate.Inf
	if config.PerSecond > 0 {
		limit = rate.Limit(config.PerSecond)
	}
	return &RateLimiter{config: config, limiter: rate.NewLimiter(limit, config.Burst)}
}

// Wait blocks until the next request may be sent, and returns the delay. It first waits for the end of the current
// pause and then for a token, so that requests delayed by the pause are not all sent at once. If another pause begins
// in the meantime, Wait also waits for that one to end.
func (p *RateLimiter) Wait(ctx context.Context) (delayed time.Duration, err error) {
	sleep := func(d time.Duration) error {
		if d <= 0 {
			return ctx.Err()
		}
		delayed += d
		p.waiting.Add(1)
		defer p.waiting.Add(-1)
		return p.config.Sleep(ctx, d)
	}
	resume := p.pauseEnd()
	for {
		if err := sleep(resume.Sub(p.config.Now())); err != nil {
			return delayed, err
		}
		if err := sleep(p.reserve()); err != nil {
			return delayed, err
		}
		latest := p.pauseEnd()
		if !latest.After(resume) {
			return delayed, nil
		}
		resume = latest
	}
}

// WaitWhileDelayed waits for d, up to the given number of times, as long as other requests are being delayed. Callers
// use the time to collect more requests into a batch.
func (p *RateLimiter) WaitWhileDelayed(ctx context.Context, d time.Duration, times int) {
	for range times {
		if p.waiting.Load() == 0 || p.config.Sleep(ctx, d) != nil {
			return
		}
	}
}

// Throttle pauses all requests after the service has throttled one. after is the delay requested by the service, or 0
// if it requested none.
func (p *RateLimiter) Throttle(after time.Duration) {
	if after <= 0 {
		after = p.config.Pause
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	if until := now.Add(after); until.After(p.pausedUntil) {
		p.pausedUntil = until
	}
	if p.config.ThrottledPerSecond == 0 {
		return // the rate is fixed
	}
	justReduced := !p.lastReduction.IsZero() && now.Before(p.lastReduction.Add(p.config.Pause))
	if justReduced {
		return // the request was probably sent before the last reduction
	}
	p.lastReduction = now
	slower := max(rate.Limit(p.config.MinPerSecond), min(rate.Limit(p.config.ThrottledPerSecond), p.limiter.Limit()/2))
	p.limiter.SetLimitAt(now, slower)
}

// reserve reads the clock in the lock, because rate.Limiter grants time twice if it is told an earlier time.
func (p *RateLimiter) reserve() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	return p.limiter.ReserveN(now, 1).DelayFrom(now)
}

func (p *RateLimiter) pauseEnd() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pausedUntil
}
