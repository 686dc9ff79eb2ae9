// Package transport is shared by the clients of vCenter, vSphere Replication and vSAN Data Protection. It provides
// error kinds, retries, rate limits, shared logins, certificate checks and JSON requests.
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

	// firstDelay doubles with each attempt up to maxDelay: 0.5, 1, 2, 4 seconds, each reduced by up to half.
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	// maxRetryAfter limits the delay that a server can request.
	maxRetryAfter = 60 * time.Second
)

// Event describes a completed request. It contains no headers, bodies, credentials or session ids.
type Event struct {
	// Path contains ids only if they are not secret. For vSphere Replication it is a template.
	Method, Path string
	// OperationID identifies the request in the service's logs. It may be empty.
	OperationID string
	// Status is the HTTP status, or 0 without a response.
	Status int
	// Attempt counts from 1.
	Attempt int
	// Throttled is the delay added by the client's own rate limit.
	Throttled time.Duration
	// RetryAfter is the delay requested by the response.
	RetryAfter time.Duration
}

// Again reports whether a request should be retried, after waiting: with exponential backoff if there was no usable
// response, and immediately if the service throttled it, because the client's pace delays it. Other errors are final.
// With Patient, a service that is starting is waited for beyond Attempts.
func Again(
	ctx context.Context, sleep func(context.Context, time.Duration) error, err error, after time.Duration, attempt int,
) bool {
	switch {
	case attempt >= Attempts:
		return starting(err) && wait(ctx, sleep, max(after, maxDelay))
	case errors.Is(err, ErrLimited):
		return ctx.Err() == nil
	case errors.Is(err, ErrUnavailable):
		return sleep(ctx, max(after, Delay(attempt))) == nil
	}
	return false
}

// Delay returns the delay after the given attempt, counted from 1.
func Delay(attempt int) time.Duration {
	return time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * jitter())
}

// RetryAfter returns the delay of the Retry-After header in seconds, limited to a minute, or 0 without the header. It
// ignores the date form, because it would need a clock and neither vCenter nor vSphere Replication documents it.
func RetryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s <= 0 {
		return 0
	}
	return min(time.Duration(s)*time.Second, maxRetryAfter)
}

// Wait sleeps for d or until the context ends.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// jitter returns a random fraction in [0.5, 1), so that clients throttled together do not retry together.
func jitter() float64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return 0.5 + float64(binary.BigEndian.Uint32(b[:4]))/(1<<33)
}
