package vsphere

import (
	"context"
	"sync"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const arrivalDelay = 5 * time.Second

// Arrivals contains the tags and categories that changes wait for. The zero value is ready to use.
type Arrivals struct{ firstMiss sync.Map } // time of the first failed lookup, by ID

type arrivalsKey struct{}

// WithArrivals returns a context for a change that refers to tags or categories. If this vCenter is linked to others,
// requests for a missing tag or category are retried for up to transport.MaxStartupWait, because the object may not
// have been replicated yet.
func WithArrivals(ctx context.Context, a *Arrivals) context.Context {
	return context.WithValue(ctx, arrivalsKey{}, a)
}

// awaitArrival waits for a missing tag or category and reports whether to retry.
func (c *Client) awaitArrival(ctx context.Context, id string) bool {
	a, ok := ctx.Value(arrivalsKey{}).(*Arrivals)
	if !ok || id == "" {
		return false
	}
	t, err := c.linkedNodes.Get(ctx, "", c.readTopology)
	if err != nil || len(t.nodes) < 2 {
		return false
	}
	now := c.config.Now()
	first, _ := a.firstMiss.LoadOrStore(id, now)
	since, ok := first.(time.Time)
	return ok && now.Sub(since) < transport.MaxStartupWait && c.config.Sleep(ctx, arrivalDelay) == nil
}
