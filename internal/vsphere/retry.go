// When a request is repeated, and how long to wait before.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	// attempts is how often one request is sent at most. Every request of this package may be repeated: reads and
	// deletes by nature, attach and detach because vCenter documents them as idempotent, creates because they choose
	// their id.
	attempts = 5
	// firstDelay doubles with each attempt up to maxDelay: 0.5, 1, 2, 4 seconds, each shortened by up to half.
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	// maxRetryAfter bounds what a server may ask for.
	maxRetryAfter = 60 * time.Second
)

// repeat runs send until it succeeds, fails for good, or is used up. send returns the wait that the server asked for.
func (c *Client) repeat(ctx context.Context, send func(attempt int) (time.Duration, error)) error {
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !errors.Is(err, ErrUnavailable) || attempt == attempts {
			return err
		}
		if after == 0 {
			after = time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * jitter())
		}
		if c.config.Sleep(ctx, after) != nil {
			return err
		}
	}
}

// retryAfter reads the header in its form of seconds; the date form would need a clock and vCenter does not use it.
func retryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s <= 0 {
		return 0
	}
	return min(time.Duration(s)*time.Second, maxRetryAfter)
}
