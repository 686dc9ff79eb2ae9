package transport

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Credentials coordinates the logins of one account. Only one login runs at a time, and a rejected login is never
// repeated, because vCenter locks an account after five failed logins within three minutes.
type Credentials struct {
	loginLock *semaphore.Weighted // not a mutex, because waiting for a mutex cannot be canceled
	*refusal
}

type refusal struct {
	mu  sync.Mutex
	err error
}

func (r *refusal) get() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *refusal) set(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// NewCredentials returns unused credentials.
func NewCredentials() *Credentials {
	return &Credentials{loginLock: semaphore.NewWeighted(1), refusal: new(refusal)}
}

// Nested returns credentials for a login that runs within another login. The two logins do not wait for each other, but
// a rejection of either applies to both.
func (c *Credentials) Nested() *Credentials {
	return &Credentials{loginLock: semaphore.NewWeighted(1), refusal: c.refusal}
}

// Session holds the result of a login. The zero value of S means that there is no session. Sessions of different
// protocols can share credentials.
type Session[S comparable] struct {
	credentials *Credentials

	mu      sync.Mutex
	current S
}

// NewSession returns a session that has not been opened.
func NewSession[S comparable](c *Credentials) *Session[S] { return &Session[S]{credentials: c} }

// Open returns the current session or logs in. Concurrent callers share one login. If a session is open, Open does not
// block.
func (s *Session[S]) Open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if current := s.Current(); current != none {
		return current, nil
	}
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.loginLock.Release(1)
	if current := s.Current(); current != none {
		return current, nil
	}
	return s.open(ctx, login)
}

// Renew replaces the expired session stale with the result of renew. If another caller has already replaced it, Renew
// returns the current session. Concurrent calls of Open wait for Renew.
func (s *Session[S]) Renew(ctx context.Context, stale S, renew func(context.Context) (S, error)) (S, error) {
	var none S
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.loginLock.Release(1)
	if !s.Drop(stale) {
		return s.Current(), nil
	}
	return s.open(ctx, renew)
}

// Close logs out if a session is open.
func (s *Session[S]) Close(ctx context.Context, logout func(context.Context, S) error) error {
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.credentials.loginLock.Release(1)
	var none S
	current := s.Current()
	if current == none {
		return nil
	}
	s.Drop(current)
	return logout(ctx, current)
}

// Current returns the current session, or the zero value.
func (s *Session[S]) Current() S {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Drop forgets the session stale and reports whether it was the current one.
func (s *Session[S]) Drop(stale S) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var none S
	if s.current != stale {
		return false
	}
	s.current = none
	return true
}

// The caller must hold loginLock. The login can continue for LoginGracePeriod after cancellation, because the server
// might otherwise keep a session that Close cannot log out.
func (s *Session[S]) open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if refused := s.credentials.get(); refused != nil {
		return none, refused
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	graceful, cancel := withGrace(ctx, LoginGracePeriod)
	defer cancel()
	opened, err := login(graceful)
	if errors.Is(err, ErrLogin) {
		s.credentials.set(err)
	}
	if err != nil {
		return none, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = opened
	return opened, nil
}

// RateLimiterConfig configures the request rate of one client.
type RateLimiterConfig struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// PerSecond is the initial rate limit in requests per second, with bursts of up to Burst requests. 0 means no limit.
	PerSecond float64
	Burst     int
	// Pause is the delay after a throttled request without a Retry-After header.
	Pause time.Duration
	// ThrottledPerSecond is the rate limit after the first throttled request, in requests per second. Each further
	// throttled request halves the rate, down to MinPerSecond. 0 disables the reduction.
	ThrottledPerSecond, MinPerSecond float64
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
	if p.config.ThrottledPerSecond == 0 || (!p.lastReduction.IsZero() && now.Before(p.lastReduction.Add(p.config.Pause))) {
		return // the rate is fixed, or the request was probably sent before the last reduction
	}
	p.lastReduction = now
	slower := max(rate.Limit(p.config.MinPerSecond), min(rate.Limit(p.config.ThrottledPerSecond), p.limiter.Limit()/2))
	p.limiter.SetLimitAt(now, slower)
}

func (p *RateLimiter) reserve() time.Duration {
	now := p.config.Now()
	return p.limiter.ReserveN(now, 1).DelayFrom(now)
}

func (p *RateLimiter) pauseEnd() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pausedUntil
}
