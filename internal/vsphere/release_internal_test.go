package vsphere

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestRelease: what a session holds is ended even after the caller was cancelled, within ten seconds.
func TestRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		release(ctx, func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				t.Errorf("got %v at the start, want no error", err)
			}
			time.Sleep(10*time.Second - time.Nanosecond)
			if err := ctx.Err(); err != nil {
				t.Errorf("got %v before ten seconds, want no error", err)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if err := ctx.Err(); err == nil {
				t.Error("got no error after ten seconds, want one")
			}
			return nil
		})
	})
}
