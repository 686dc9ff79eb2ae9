package vsphere_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestRateLimiter_limit sends 2,000 reads to a service that allows 360 requests per second. Almost all throttled
// requests occur in the first second. A configured limit applies from the first request.
func TestRateLimiter_limit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tags                 int
		configured, capacity float64
		refused              [2]int // minimum and maximum
		minDuration          time.Duration
	}{
		// Ten requests are in flight when the limit is reached, and each may be retried once in the same second. After
		// 360 requests in the first second, the remaining 1,640 take about 5.5 s at 300 per second.
		"unknown": {2000, 0, 360, [2]int{1, 20}, 5 * time.Second},
		// The client sends 503 requests. The first ten are not delayed, and the other 493 take 4.93 s at 100 per
		// second.
		"known": {500, 100, 120, [2]int{}, 4900 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, category := newFilledEstate(t, test.tags,
				func(config *vsphere.Config) { config.RequestsPerSecond = test.configured })
			begin := e.sleeps.now()
			e.Traffic().SetLimit(int(test.capacity), e.sleeps.now)
			_, err := e.client.CategoryByName(t.Context(), "c-0")
			require.NoError(t, err)
			tags, err := e.client.TagsOfCategory(t.Context(), category)
			require.NoError(t, err)
			assert.Len(t, tags, test.tags)
			assert.GreaterOrEqual(t, e.Traffic().Refused(), test.refused[0])
			assert.LessOrEqual(t, e.Traffic().Refused(), test.refused[1])
			assert.GreaterOrEqual(t, e.sleeps.now().Sub(begin), test.minDuration)
		})
	}
}

func TestRateLimiter_inFlight(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	newTag(t, c)
	arrived, open := make(chan struct{}, 50), make(chan struct{})
	v.Traffic().Reset()
	v.Traffic().Break(fault.Rule{
		Kind: "GET tag/{id}",
		Before: func(*http.Request) {
			arrived <- struct{}{}
			<-open
		},
	})
	errs := make(chan error)
	for i := range 50 {
		go func() {
			_, err := c.Tag(t.Context(), fmt.Sprintf("urn:vmomi:InventoryServiceTag:%d:GLOBAL", i))
			errs <- err
		}()
	}
	for range 10 {
		<-arrived
	}
	close(open)
	for range 50 {
		require.ErrorIs(t, <-errs, vsphere.ErrNotFound)
	}
	assert.Equal(t, 10, v.Traffic().Peak())
}
