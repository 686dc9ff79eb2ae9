package vsphere

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		release(ctx, func(ctx context.Context) error {
			require.NoError(t, ctx.Err())
			time.Sleep(10*time.Second - time.Nanosecond)
			require.NoError(t, ctx.Err())
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Error(t, ctx.Err(), "got no error after ten seconds, want one")
			return nil
		})
	})
}
