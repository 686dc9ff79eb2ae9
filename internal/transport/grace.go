package transport

import (
	"context"
	"time"
)

// GracePeriod limits how long a change can continue after cancellation. It leaves time for one request and a retry
// without delaying the exit after Ctrl-C for too long.
const GracePeriod = 30 * time.Second

// LoginGracePeriod limits how long a login can continue after cancellation. It is shorter than GracePeriod, so that an
// unreachable server does not delay the exit.
const LoginGracePeriod = 5 * time.Second

// WithGracePeriod returns a context that has the values of ctx, but is canceled only when GracePeriod has passed after
// ctx is canceled. The caller must call cancel.
func WithGracePeriod(ctx context.Context) (graceful context.Context, cancel context.CancelFunc) {
	return withGrace(ctx, GracePeriod)
}

func withGrace(ctx context.Context, period time.Duration) (graceful context.Context, cancel context.CancelFunc) {
	graceful, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = Sleep(graceful, period)
		end()
	})
	return graceful, func() {
		stop()
		end()
	}
}
