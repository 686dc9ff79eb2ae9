package transport

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	// Attempts is the maximum number of attempts per request.
	Attempts = 5

	// firstDelay doubles with each attempt up to maxDelay: 0.5, 1, 2, 4 seconds. Jitter reduces each delay by up to
	// half.
	firstDelay    = 500 * time.Millisecond
	maxDelay      = 8 * time.Second
	maxRetryAfter = 60 * time.Second
)

// Event describes a completed request. It contains no headers, bodies, credentials or session IDs.
type Event struct {
	// Path contains IDs only if they are not secret. For vSphere Replication, it is the path template.
	Method string
	Path   string
	// OperationID identifies the request in the service's logs. It can be empty.
	OperationID string
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// Attempt is the number of the attempt, starting at 1.
	Attempt int
	// Throttled is the delay added by the client's rate limiter.
	Throttled time.Duration
	// RetryAfter is the delay requested in the response.
	RetryAfter time.Duration
}

// Delay returns the delay after the given attempt, where 1 is the first attempt.
func Delay(attempt int) time.Duration {
	return time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * jitter())
}

// RetryAfter returns the delay from the Retry-After header, capped at one minute, or 0 if there is no valid delay. It
// ignores the date form of the header, because interpreting a date requires a clock, and neither vCenter nor vSphere
// Replication documents this form.
func RetryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s <= 0 {
		return 0
	}
	return min(time.Duration(s)*time.Second, maxRetryAfter)
}

// jitter returns a random fraction in [0.5, 1), which spreads out the retries of clients that were throttled at the
// same time.
func jitter() float64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented to never fail
	return 0.5 + float64(binary.BigEndian.Uint32(b[:4]))/(1<<33)
}

// AwaitRetry waits until a request can be retried, and reports whether to retry it. Requests without a usable response
// are retried with exponential backoff. Throttled requests are retried immediately, because RateLimiter delays them.
// Other errors are final. If ctx is from WithStartupWait, requests to a service that is starting can be attempted more
// than Attempts times. s.Complete must have been called.
func (s *Settings) AwaitRetry(ctx context.Context, err error, after time.Duration, attempt int) bool {
	_, isLogin := errors.AsType[*loginError](err)
	switch {
	case isLogin && attempt > 1:
		return false
	case attempt >= Attempts:
		return isServiceStarting(err) && s.startupProbe.wait(ctx, s.Sleep, max(after, maxDelay))
	case errors.Is(err, ErrLimited):
		return ctx.Err() == nil
	case errors.Is(err, ErrUnavailable):
		return s.Sleep(ctx, max(after, Delay(attempt))) == nil
	}
	return false
}

// EndProbe ends the caller's probe, if AwaitRetry started one. Callers of AwaitRetry defer it.
func (s *Settings) EndProbe(ctx context.Context) { s.startupProbe.finish(ctx) }

// Sleep sleeps for d or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
