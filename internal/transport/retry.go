package transport

import (
	"crypto/rand"
	"encoding/binary"
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
