// The client's own request limit, below the gateway's.

package vr

import (
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	// burst is how many requests may be sent at once: Terraform's own default parallelism.
	burst = 10
	// window is the gateway's: after a refusal that names no wait, the quota is whole again after it.
	window = 60 * time.Second
)

// newPace returns a pace whose burst and refill together stay within the configured number in every minute: the gateway
// counts in fixed windows, and a bucket refilled at the full rate would exceed the number by its burst.
func newPace(c Config) *transport.Pace {
	p := transport.PaceConfig{Now: c.Now, Sleep: c.Sleep, Pause: window}
	if n := c.RequestsPerMinute; n > 0 {
		p.Burst = min(burst, max(1, n/4))
		p.PerSecond = float64(max(1, n-p.Burst)) / window.Seconds()
	}
	return transport.NewPace(p)
}
