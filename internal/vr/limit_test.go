package vr_test

import (
	"cmp"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestLimit_refused checks that a throttled write is retried after the time in Retry-After, or after a minute if the
// header is missing or unusable. A 403 or 503 counts as throttling only if its code or message mentions the limit.
func TestLimit_refused(t *testing.T) {
	t.Parallel()
	const many = http.StatusTooManyRequests
	for name, test := range map[string]struct {
		rule fault.Rule
		wait time.Duration
		want error
	}{
		"with Retry-After": {
			rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "7"}},
			wait: 7 * time.Second,
		},
		"without":              {rule: fault.Rule{Status: many}},
		"with a silly one":     {rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "soon"}}},
		"with a very long one": {rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "86400"}}},
		"403 with a code":      {rule: fault.Rule{Status: 403, Body: `{"error_code": "RATE_LIMIT_EXCEEDED"}`}},
		"403 with a message":   {rule: fault.Rule{Status: 403, Body: `{"message": "There were too many requests."}`}},
		"503 with a message":   {rule: fault.Rule{Status: 503, Body: `{"message": "Request limit reached."}`}},
		"403": {
			rule: fault.Rule{Status: 403, Body: `{"message": "The user may not do this."}`},
			want: vr.ErrPermission,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{})
			c := l.client(t)
			settings := l.settings(t, c, l.vm(0))
			test.rule.Kind = "configureReplication"
			test.rule.Times = 2
			l.Traffic().Break(test.rule)
			_, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), settings)
			require.ErrorIs(t, err, test.want)
			if test.want == nil {
				assert.Equal(t, 2, l.sleepCount(cmp.Or(test.wait, time.Minute)), "%+v", l.waits)
				assert.Len(t, l.Replications(), 1)
			}
		})
	}
}

func TestLimit_isKept(t *testing.T) {
	t.Parallel()
	switches := gateway.Switches{Limits: gateway.DefaultLimits(), SessionTTL: -1, SessionIdle: -1}
	for _, perMinute := range []int{vr.DefaultRequestsPerMinute, 0} {
		l := startLab(t, switches)
		c := l.client(t, func(c *vr.Config) { c.RequestsPerMinute = perMinute })
		began := l.Now()
		var group sync.WaitGroup
		// A minute has at most 10 + 35 requests, and up to 4 that were sent earlier arrive late: 49, and 50 are
		// allowed.
		for range 5 {
			group.Go(func() {
				for range 40 {
					_, err := c.Pairings(t.Context())
					if err != nil {
						assert.LessOrEqual(t, perMinute, 0)
					}
				}
			})
		}
		group.Wait()
		refused := 0
		for _, access := range l.AccessLog() {
			if access.Status == http.StatusTooManyRequests {
				refused++
			}
		}
		// The client without a limit must be throttled, which proves that the simulator enforces the limit.
		assert.NotEqual(t, perMinute > 0, refused > 0)
		// The first 10 of 201 requests are not delayed. The other 191 take 5.5 minutes at 35 per minute.
		took := l.Now().Sub(began)
		if perMinute > 0 {
			assert.GreaterOrEqual(t, took, 5*time.Minute)
		}
	}
}
