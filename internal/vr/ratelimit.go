package vr

import (
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	// burst is the maximum number of requests sent without a delay. It equals Terraform's default parallelism.
	burst = 10
	// quotaWindow is the length of the gateway's rate limit window. The client pauses for this long if a request is
	// throttled without a Retry-After header.
	quotaWindow = 60 * time.Second
)

// newRateLimiter returns a rate limiter whose burst counts towards the requests per minute. The gateway counts requests
// in fixed windows, so a burst followed by requests at the full rate would exceed its limit.
func newRateLimiter(c Config) *transport.RateLimiter {
	p := transport.RateLimiterConfig{Now: c.Now, Sleep: c.Sleep, Pause: quotaWindow}
	if n := c.RequestsPerMinute; n > 0 {
		p.Burst = min(burst, max(1, n/4))
		p.PerSecond = float64(max(1, n-p.Burst)) / quotaWindow.Seconds()
	}
	return transport.NewRateLimiter(p)
}
