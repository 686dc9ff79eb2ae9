package transport

import (
	"context"
	"time"
)

// GraceTime limits how long a change may continue after cancellation: enough for a request and its retry, but
// acceptable after Ctrl-C.
const GraceTime = 30 * time.Second

// LoginTime limits how long a login may continue after cancellation. It is shorter than GraceTime because an
// unreachable server would delay the exit.
const LoginTime = 5 * time.Second

// Grace returns a context with the values of ctx that ends GraceTime after ctx. The caller must call cancel.
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
