package vsphere_test

import (
	"context"
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
