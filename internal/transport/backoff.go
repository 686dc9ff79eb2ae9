// Package transport is what the adapters' HTTP requests have in common: how long to wait before one is repeated, which
// certificates to trust, and what kind of failure it is to get no answer. It sends nothing itself.
package transport

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strconv"
	"time"
)

const (
	// firstDelay doubles with each attempt up to maxDelay: 0.5, 1, 2, 4 seconds, each shortened by up to half.
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	// maxRetryAfter bounds what a server may ask for.
	maxRetryAfter = 60 * time.Second
)

// Delay is how long to wait after the given attempt, counted from 1.
func Delay(attempt int) time.Duration {
	return time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * jitter())
}

// RetryAfter reads the header in its form of seconds, bounded by a minute; 0 means that there is none. The date form
// would need a clock, and neither vCenter nor vSphere Replication documents it.
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
