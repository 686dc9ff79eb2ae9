package vsphere_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

func TestLongAnswer(t *testing.T) {
	t.Parallel()
	for kind, read := range map[string]func(context.Context, *vsphere.Client) error{
		"GET category": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.CategoryIDs(ctx)
			return err
		},
		"soap:CurrentTime": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.Time(ctx)
			return err
		},
	} {
		var long atomic.Bool
		v, c, _ := startLab(t, vcsim.Config{VMs: 1}, func(c *vsphere.Config) {
			c.Wrap = func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					long.Store(false)
					result, err := next.RoundTrip(r)
					if err == nil && long.Load() {
						result.ContentLength = transport.MaxResponseSize + 1
					}
					return result, err
				})
			}
		})
		v.Traffic().Break(fault.Rule{Kind: kind, Before: func(*http.Request) { long.Store(true) }})
		err := read(t.Context(), c)
		n := v.Traffic().Count(kind)
		require.ErrorIs(t, err, transport.ErrTooLarge, kind)
		assert.Equal(t, 1, n, kind)
		assert.Contains(t, err.Error(), "larger than 64 MiB", kind)
	}
}
