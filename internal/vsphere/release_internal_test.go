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
		began := time.Now()
		release(ctx, func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				t.Errorf("got %v at the start, want no error", err)
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("got %s, want 10s", took)
		}
	})
}
