// When a request is repeated, and how long to wait before.

package vsphere

import (
	"context"
	"errors"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// attempts is how often one request is sent at most. Every request of this package may be repeated: reads and deletes
// by nature, attach and detach because vCenter documents them as idempotent, creates because they choose their id.
const attempts = 5

// repeat runs send until it succeeds, fails for good, or is used up. send returns the wait that the server asked for.
func (c *Client) repeat(ctx context.Context, send func(attempt int) (time.Duration, error)) error {
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !errors.Is(err, ErrUnavailable) || attempt == attempts {
			return err
		}
		if after == 0 {
			after = transport.Delay(attempt)
		}
		if c.config.Sleep(ctx, after) != nil {
			return err
		}
	}
}
