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

// TestPace_keepsBelowTheServicesLimit: of 2,000 reads against a service that bears 360 a second, those of the first
// second find the limit out, and hardly any later one is refused.
func TestPace_keepsBelowTheServicesLimit(t *testing.T) {
	t.Parallel()
	v, c, naps := filledWithNaps(t, 2000)
	begin := naps.now()
	v.Traffic().SetLimit(360, naps.now)
	category, err := c.CategoryByName(t.Context(), "sla")
	require.NoError(t, err)
	tags, err := c.TagsOfCategory(t.Context(), category.ID)
	require.NoError(t, err)
	assert.Len(t, tags, 2000)
	// Ten are in flight when the limit is met, and each of them may come back once before the next second begins.
	got := v.Traffic().Refused()
	require.NotEqual(t, 0, got)
	assert.LessOrEqual(t, got, 20)
	// 360 in the first second; the other 1,640 at 300 a second take 5.5 s at least.
	assert.GreaterOrEqual(t, naps.now().Sub(begin), 5*time.Second)
}

// TestPace_limitFromTheStart: a limit that is known is kept from the first request on, so that nothing is refused.
func TestPace_limitFromTheStart(t *testing.T) {
	t.Parallel()
	v, c, naps := filledWithNaps(t, 500, func(config *vsphere.Config) { config.RequestsPerSecond = 100 })
	begin := naps.now()
	v.Traffic().SetLimit(120, naps.now)
	category, err := c.CategoryByName(t.Context(), "sla")
	require.NoError(t, err)
	tags, err := c.TagsOfCategory(t.Context(), category.ID)
	require.NoError(t, err)
	assert.Len(t, tags, 500)
	assert.LessOrEqual(t, v.Traffic().Refused(), 0)
	// 503 requests at 100 a second, of which ten need not wait.
	assert.GreaterOrEqual(t, naps.now().Sub(begin), 4900*time.Millisecond)
}

// TestPace_inFlight: however many callers there are, ten requests are on their way.
func TestPace_inFlight(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	newTag(t, c)
	arrived, open := make(chan struct{}, 50), make(chan struct{})
	v.Traffic().Reset()
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Before: func(*http.Request) { arrived <- struct{}{}; <-open }})
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
		assert.ErrorIs(t, <-errs, vsphere.ErrNotFound)
	}
	assert.Equal(t, 10, v.Traffic().Peak())
}
