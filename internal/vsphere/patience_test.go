package vsphere_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// TestPatience checks that a change waits for a service that is starting behind vCenter's front proxy: after five
// attempts, it makes 22 more at intervals of 8 seconds, for up to three minutes. A plan makes only five attempts, and
// so does a change if the service itself responds.
func TestPatience(t *testing.T) {
	t.Parallel()
	const text, typed = "no healthy upstream", `{"error_type":"SERVICE_UNAVAILABLE","messages":[]}`
	for name, test := range map[string]struct {
		ctx   func(context.Context) context.Context
		body  string
		times int // 0 means always
		want  int // attempts
	}{
		"a change, two minutes": {transport.WithStartupWait, text, 20, 0},
		"a change, an hour":     {transport.WithStartupWait, text, 0, 5 + 22},
		"a change, typed":       {transport.WithStartupWait, typed, 0, 5},
		"a plan":                {func(ctx context.Context) context.Context { return ctx }, text, 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			for _, call := range []struct {
				kind string
				do   func(context.Context) error
			}{
				{"GET category", func(ctx context.Context) error {
					_, err := c.CategoryIDs(ctx)
					return err
				}},
				{"soap:RetrievePropertiesEx", func(ctx context.Context) error {
					_, err := c.VirtualMachines(ctx, vsphere.VMFilter{IDs: []string{"vm-1"}}, vsphere.VMParts{})
					return err
				}},
			} {
				if call.kind != "GET category" && test.body == typed {
					continue
				}
				v.Traffic().Mend()
				v.Traffic().Reset()
				require.NoError(t, call.do(t.Context()))
				want := test.want
				if test.times > 0 {
					want = test.times + v.Traffic().Count(call.kind) // plus the requests of a successful call
				}
				v.Traffic().Reset()
				v.Traffic().Break(fault.Rule{
					Kind:   call.kind,
					Status: http.StatusServiceUnavailable,
					Body:   test.body,
					Times:  test.times,
				})
				before := sleeps.now()
				err := call.do(test.ctx(t.Context()))
				require.Equal(t, test.times > 0, err == nil, call.kind)
				if err != nil {
					require.ErrorIs(t, err, vsphere.ErrUnavailable, call.kind)
				}
				assert.Equal(t, want, v.Traffic().Count(call.kind), call.kind)
				waited := sleeps.now().Sub(before)
				if test.want == 27 {
					assert.GreaterOrEqual(t, waited, 22*8*time.Second, call.kind)
				}
			}
		})
	}
}

// TestWithArrivals checks that a change waits for a tag or category that is replicated from a linked vCenter within a
// minute. A plan does not wait, nor does a change on a vCenter that is not linked to others.
func TestWithArrivals(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(context.Context, *vsphere.Client, string, string, vsphere.Object) error{
		"tag on objects": func(ctx context.Context, c *vsphere.Client, _, tag string, vm vsphere.Object) error {
			return c.AttachTag(ctx, tag, []vsphere.Object{vm})
		},
		"tags on an object": func(ctx context.Context, c *vsphere.Client, _, tag string, vm vsphere.Object) error {
			return c.AttachTags(ctx, vm, []string{tag})
		},
		"tag in a category": func(ctx context.Context, c *vsphere.Client, category, _ string, _ vsphere.Object) error {
			_, err := c.CreateTag(ctx, vsphere.Tag{Name: "silver", CategoryID: category})
			return err
		},
		"tag": func(ctx context.Context, c *vsphere.Client, _, tag string, _ vsphere.Object) error {
			_, err := c.Tag(ctx, tag)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, c, _ := startLab(t, vcsim.Config{})
			second, other, sleeps := startLab(t, vcsim.Config{Site: 1, LinkedTo: first}, func(config *vsphere.Config) {
				sleep := config.Sleep
				config.Sleep = func(ctx context.Context, d time.Duration) error {
					first.Advance(d)
					return sleep(ctx, d)
				}
			})
			category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Multiple})
			require.NoError(t, err)
			tag, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
			require.NoError(t, err)
			vm := allVMs(second)[0]
			require.Error(t, use(t.Context(), other, category, tag, vm))
			assert.Empty(t, sleeps.sleeps)
			before := sleeps.now()
			require.NoError(t, use(vsphere.WithArrivals(t.Context(), &vsphere.Arrivals{}), other, category, tag, vm),
				"%+v", sleeps.sleeps)
			waited := sleeps.now().Sub(before)
			require.GreaterOrEqual(t, waited, 55*time.Second)
			assert.LessOrEqual(t, waited, time.Minute)
		})
	}
	_, c, sleeps := startLab(t, vcsim.Config{})
	_, err := c.Tag(vsphere.WithArrivals(t.Context(), &vsphere.Arrivals{}), "urn:vmomi:InventoryServiceTag:none:GLOBAL")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	assert.Empty(t, sleeps.sleeps)
}

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
