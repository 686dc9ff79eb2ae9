package provider

import (
	"context"
	"sync/atomic"
	"time"
)

// callContext is the context of a call. After the call, it is canceled and refers to no request.
type callContext struct {
	request atomic.Pointer[context.Context]
}

// ended is the context of calls that have ended.
var ended = func() *context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &ctx
}()

// newCall returns a context for a call and a function that ends it.
func newCall(request context.Context) (ctx context.Context, end func()) {
	request, cancel := context.WithCancel(request)
	c := &callContext{}
	c.request.Store(&request)
	return c, func() {
		cancel()
		c.request.Store(ended)
	}
}

// Deadline returns the request's deadline.
func (c *callContext) Deadline() (deadline time.Time, ok bool) { return (*c.request.Load()).Deadline() }

// Done returns a channel that is closed when the request or the call has ended.
func (c *callContext) Done() <-chan struct{} { return (*c.request.Load()).Done() }

// Err returns the reason why the context is done.
func (c *callContext) Err() error { return (*c.request.Load()).Err() }

// Value returns a value of the request.
func (c *callContext) Value(key any) any { return (*c.request.Load()).Value(key) }
