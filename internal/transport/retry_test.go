package transport_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// TestAwaitRetry_oneProbe verifies that ten concurrent changes send one request every 8 seconds while a service starts
// for two minutes, that all of them continue after the first response, and that five continue even if the other five
// are canceled.
//
// Each of the ten changes makes five attempts within 3.75 to 7.5 s. For the rest of the two minutes (at most 116.25 s),
// one change at a time sends a probe every 8 s, so at most 14 probes fail. The 15th probe succeeds, and the other nine
// changes retry. This makes at most 50 + 15 + 9 = 74 requests. Without shared probes, each change would send 20
// requests, 200 in total.
func TestAwaitRetry_oneProbe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cancelled int
		finished  int32
	}{"all": {0, 10}, "five are cancelled": {5, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var settings transport.Settings
				require.NoError(t, settings.Complete())
				starting := &transport.APIError{Status: 503, Kind: transport.NewKinds().Unavailable}
				begin := settings.Now()
				var requests, finished atomic.Int32
				change := func(ctx context.Context) {
					defer settings.EndProbe(ctx)
					for attempt := 1; ; attempt++ {
						requests.Add(1)
						if settings.Now().Sub(begin) > 2*time.Minute {
							finished.Add(1)
							return
						}
						if !settings.AwaitRetry(ctx, starting, 0, attempt) {
							return
						}
					}
				}
				var group sync.WaitGroup
				for i := range 10 {
					ctx, cancel := context.WithCancel(transport.WithStartupWait(t.Context()))
					if i < test.cancelled {
						time.AfterFunc(time.Minute, cancel)
					}
					group.Go(func() {
						change(ctx)
						cancel()
					})
				}
				group.Wait()
				assert.Equal(t, test.finished, finished.Load())
				assert.LessOrEqual(t, requests.Load(), int32(74))
				assert.Less(t, settings.Now().Sub(begin), 2*time.Minute+8*time.Second)
			})
		})
	}
}
