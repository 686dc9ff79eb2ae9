// Finishing a change that a cancelled operation has begun.

package transport

import (
	"context"
	"time"
)

// GraceTime bounds how long a change continues after its operation was cancelled: long enough for a request and its
// retry, short enough for a user who waits after Ctrl-C.
const GraceTime = 30 * time.Second

// LoginTime bounds how long a login continues after its caller was cancelled. It is shorter than GraceTime because it
// delays the end of what may be waiting for a server that does not answer at all.
const LoginTime = 5 * time.Second

// Grace returns a context with the values of ctx that ends GraceTime after ctx does. The caller calls cancel.
func Grace(ctx context.Context) (graceful context.Context, cancel context.CancelFunc) {
	return grace(ctx, GraceTime)
}

func grace(ctx context.Context, after time.Duration) (graceful context.Context, cancel context.CancelFunc) {
	graceful, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = Wait(graceful, after)
		end()
	})
	return graceful, func() { stop(); end() }
}
