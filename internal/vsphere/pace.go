// How fast requests are sent: as many at a time as the tagging service answers well, and no faster than it can take.

package vsphere

import (
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	// concurrency is how many REST requests a client keeps in flight, whatever asks for them. At ten, the tagging service
	// answers fastest; it is also Terraform's own default parallelism.
	concurrency = 10
	// fallbackRate is the rate that the first refusal for load sets, in requests a second: a tagging service has been seen
	// to refuse from about 360 on, and this client is not its only one.
	fallbackRate = 300
	// slowestRate is where halving ends, in requests a second.
	slowestRate = 5
	// pauseTime is how long nothing is sent after a refusal that names no time.
	pauseTime = time.Second
)

// newPace returns a pace without a limit unless one is configured. How many requests a service takes depends on its
// version, its size and its other clients: a fixed limit would slow down where there is no need.
func newPace(config Config) *transport.Pace {
	return transport.NewPace(transport.PaceConfig{
		Now: config.Now, Sleep: config.Sleep,
		PerSecond: config.RequestsPerSecond, Burst: concurrency,
		Pause: pauseTime, Fallback: fallbackRate, Slowest: slowestRate,
	})
}
