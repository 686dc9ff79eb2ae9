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

// TestAgain_oneProbe verifies that ten changes send one request every 8 seconds in all while a service starts for two
// minutes, that all go on after its first response, and that five go on although the other five are cancelled.
//
// Each change makes 5 attempts in 3.75 to 7.5 s. The probes follow at intervals of 8 s: at most 116.25 / 8 = 14 fail
// and the next succeeds, then the other nine changes repeat theirs: 50 + 15 + 9 = 74 requests, instead of 200.
func TestAgain_oneProbe(t *testing.T) {
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
					defer settings.Done(ctx)
					for attempt := 1; ; attempt++ {
						requests.Add(1)
						if settings.Now().Sub(begin) > 2*time.Minute {
							finished.Add(1)
							return
						}
						if !settings.Again(ctx, starting, 0, attempt) {
							return
						}
					}
				}
				var group sync.WaitGroup
				for i := range 10 {
					ctx, cancel := context.WithCancel(transport.Patient(t.Context()))
					if i < test.cancelled {
						time.AfterFunc(time.Minute, cancel)
					}
					group.Go(func() { change(ctx); cancel() })
				}
				group.Wait()
				assert.Equal(t, test.finished, finished.Load())
				assert.LessOrEqual(t, requests.Load(), int32(74))
				assert.Less(t, settings.Now().Sub(begin), 2*time.Minute+8*time.Second)
			})
		})
	}
}
