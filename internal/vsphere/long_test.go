package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// TestLongAnswer: an answer of either protocol above the limit is an error that names the limit, and is not asked for
// again.
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
		v, c, _ := start(t, vcsim.Config{VMs: 1}, func(c *vsphere.Config) {
			c.Wrap = func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					long.Store(false)
					answer, err := next.RoundTrip(r)
					if err == nil && long.Load() {
						answer.ContentLength = transport.MaxAnswer + 1
					}
					return answer, err
				})
			}
		})
		v.Traffic().Break(fault.Rule{Kind: kind, Before: func(*http.Request) { long.Store(true) }})
		err := read(t.Context(), c)
		n := v.Traffic().Count(kind)
		assert.True(t, errors.Is(err, transport.ErrTooLarge) && n == 1 && strings.Contains(err.Error(), "larger than 64 MiB"),
			"%s: got %v after %d requests, want an error that names the limit after 1", kind, err, n)
	}
}
