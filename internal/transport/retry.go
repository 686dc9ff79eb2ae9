// Package transport is the common part of the clients of vCenter, vSphere Replication and vSAN Data Protection: kinds
// of errors, when a request is repeated, how fast requests are sent, one login for all callers, which certificates to
// trust, and a request with a JSON body.
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
	// Attempts is how often one request is sent at most.
	Attempts = 5

	// firstDelay doubles with each attempt up to maxDelay: 0.5, 1, 2, 4 seconds, each shortened by up to half.
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	// maxRetryAfter bounds what a server may ask for.
	maxRetryAfter = 60 * time.Second
)

// Event describes one finished request. It contains no header, body, credential or session id.
type Event struct {
	// Path contains ids only where the service's ids are no secret; vSphere Replication's is a template.
	Method, Path string
	// OperationID finds the request in the service's logs; may be empty.
	OperationID string
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// Attempt counts from 1.
	Attempt int
	// Throttled is how long the client's own limit delayed the request.
	Throttled time.Duration
	// RetryAfter is the wait that the answer asks for.
	RetryAfter time.Duration
}

// Again waits before a request is repeated, and reports whether it is to be repeated: one without a usable answer after
// a growing wait, one refused for the service's load as soon as the client's pace allows. Everything else is final.
func Again(
	ctx context.Context,
	sleep func(context.Context, time.Duration) error,
	err error,
	after time.Duration,
	attempt int,
) bool {
	switch {
	case attempt >= Attempts:
		return false
	case errors.Is(err, ErrLimited):
		return ctx.Err() == nil
	case errors.Is(err, ErrUnavailable):
		return sleep(ctx, max(after, Delay(attempt))) == nil
	}
	return false
}

// Delay returns how long to wait after the given attempt, counted from 1.
func Delay(attempt int) time.Duration {
	return time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * jitter())
}

// RetryAfter reads the header in its form of seconds, bounded by a minute; 0 means that there is no such header. The
// date form would need a clock, and neither vCenter nor vSphere Replication documents it.
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

// jitter returns a fraction in [0.5, 1): many clients that were refused together do not come back together.
func jitter() float64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return 0.5 + float64(binary.BigEndian.Uint32(b[:4]))/(1<<33)
}
