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

func TestIsConnected(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"announced": {},
		"silent":    {PartialSilent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, switches)
			c := l.client(t)
			is := func(what string, want bool) {
				t.Helper()
				got, err := c.IsConnected(t.Context(), l.PairingID())
				require.Equal(t, want, got, what)
				assert.NoError(t, err, what)
			}
			is("at first", true)
			l.BreakPairing()
			is("apart", false)
			require.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrDisconnected)
			l.StartReconnect()
			require.NoError(t, c.AwaitConnected(t.Context(), l.PairingID()))
			l.RemoteDown(true)
			is("down", false)
			l.RemoteDown(false)
			is("up", true)
		})
	}
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(config *vr.Config) { config.RemotePassword = "wrong" })
	for range 2 {
		require.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrRemoteLogin)
	}
	assert.Equal(t, 1, l.Traffic().Count("createRemoteSession"))
	l.Traffic().Break(fault.Rule{Kind: "getVrPairing", Status: http.StatusForbidden})
	_, err := l.client(t).IsConnected(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPermission)
}

func TestReplications_filterRefused(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{FilterByNameOnly: true, SessionTTL: -1, SessionIdle: -1})
	c := l.client(t)
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	// In the first round, the filter is rejected with and without a sort property, so the third request reads the whole
	// list.
	for _, requests := range []int{3, 1} {
		l.Traffic().Reset()
		of, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Direct)
		require.NoError(t, err)
		require.Len(t, of, 1)
		assert.Equal(t, l.vm(1), of[0].VMID)
		assert.Equal(t, requests, l.Traffic().Count("getAllReplications"))
	}
	vms, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "id", l.vm(2))
	require.NoError(t, err)
	require.Len(t, vms, 1)
	assert.Equal(t, l.vm(2), vms[0].ID)
}

func TestReplications_incompleteRow(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	name := l.protected.VMs()[1].Name
	lacking := func(field string) func(map[string]any) {
		return func(result map[string]any) {
			for _, row := range gateway.Rows(result) {
				if row["vm_id"] == l.vm(1) {
					delete(row, field)
				}
			}
		}
	}
	l.ChangeAnswers("getAllReplications", 0, lacking("rpo"))
	c := l.client(t)
	for vm, want := range map[string]int{l.vm(0): 1, l.vm(2): 0} {
		of, err := c.Replications(t.Context(), l.PairingID(), vm, vr.Shared)
		require.NoError(t, err, vm)
		assert.Len(t, of, want, vm)
	}
	_, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Shared)
	require.ErrorIs(t, err, vr.ErrPartial)
	assert.Contains(t, err.Error(), name)
	assert.Contains(t, err.Error(), "rpo")
	all, unknown, err := c.AllReplications(t.Context(), l.PairingID())
	require.NoError(t, err)
	assert.Len(t, all, 2)
	assert.Len(t, unknown, 1)
	l.MendAnswers()
	l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
		lacking("rpo")(result)
		lacking("vm_id")(result)
	})
	c = l.client(t)
	_, err = c.Replications(t.Context(), l.PairingID(), l.vm(2), vr.Shared)
	require.ErrorIs(t, err, vr.ErrPartial)
	_, _, err = c.AllReplications(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPartial)
}

func TestReplications_errors(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0)))
	l.Advance(time.Minute)
	for form, value := range map[string]any{
		"disk full":        "disk full",
		"disk full (ds 1)": map[string]any{"message": "disk full", "details": "ds 1"},
		"":                 nil,
	} {
		l.MendAnswers()
		l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
			for _, row := range gateway.Rows(result) {
				row["configuration_error"] = value
				row["last_group_error"] = value
				row["recovery_error"] = value
			}
		})
		all, err := l.client(t).Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Unverified)
		require.NoError(t, err)
		require.Len(t, all, 1)
		for _, got := range []string{all[0].ConfigurationError, all[0].GroupError, all[0].RecoveryError} {
			assert.Equal(t, form, got)
		}
	}
}
