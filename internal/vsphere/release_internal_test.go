package vsphere

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestRelease: what a session holds is ended even after the caller was cancelled, within ten seconds.
func TestRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		release(ctx, func(ctx context.Context) error {
			assert.NoError(t, ctx.Err())
			time.Sleep(10*time.Second - time.Nanosecond)
			assert.NoError(t, ctx.Err())
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Error(t, ctx.Err(), "got no error after ten seconds, want one")
			return nil
		})
	})
}
