package vsphere_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

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
	if err != nil {
		t.Fatal(err)
	}
	tags, err := c.TagsOfCategory(t.Context(), category.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(tags) != 2000 {
		t.Errorf("%d tags were read", len(tags))
	}
	// Ten are in flight when the limit is met, and each of them may come back once before the next second begins.
	if got := v.Traffic().Refused(); got == 0 || got > 20 {
		t.Errorf("%d requests were refused, want 1 to 20", got)
	}
	// 360 in the first second; the other 1,640 at 300 a second take 5.5 s at least.
	if took := naps.now().Sub(begin); took < 5*time.Second {
		t.Errorf("all was done within %s", took)
	}
}

// TestPace_limitFromTheStart: a limit that is known is kept from the first request on, so that nothing is refused.
func TestPace_limitFromTheStart(t *testing.T) {
	t.Parallel()
	v, c, naps := filledWithNaps(t, 500, func(config *vsphere.Config) { config.RequestsPerSecond = 100 })
	begin := naps.now()
	v.Traffic().SetLimit(120, naps.now)
	category, err := c.CategoryByName(t.Context(), "sla")
	if err != nil {
		t.Fatal(err)
	}
	if tags, err := c.TagsOfCategory(t.Context(), category.ID); err != nil || len(tags) != 500 {
		t.Errorf("%d tags, %v", len(tags), err)
	}
	if got := v.Traffic().Refused(); got > 0 {
		t.Errorf("%d requests were refused", got)
	}
	// 503 requests at 100 a second, of which ten need not wait.
	if took := naps.now().Sub(begin); took < 4900*time.Millisecond {
		t.Errorf("all was done within %s", took)
	}
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
		if err := <-errs; !errors.Is(err, vsphere.ErrNotFound) {
			t.Error(err)
		}
	}
	if got := v.Traffic().Peak(); got != 10 {
		t.Errorf("%d requests were in flight, want 10", got)
	}
}
