package vr_test

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

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
			rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "7"}}, wait: 7 * time.Second,
		},
		"without":              {rule: fault.Rule{Status: many}},
		"with a silly one":     {rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "soon"}}},
		"with a very long one": {rule: fault.Rule{Status: many, Header: map[string]string{"Retry-After": "86400"}}},
		"403 with a code":      {rule: fault.Rule{Status: 403, Body: `{"error_code": "RATE_LIMIT_EXCEEDED"}`}},
		"403 with a message":   {rule: fault.Rule{Status: 403, Body: `{"message": "There were too many requests."}`}},
		"503 with a message":   {rule: fault.Rule{Status: 503, Body: `{"message": "Request limit reached."}`}},
		"403": {
			rule: fault.Rule{Status: 403, Body: `{"message": "The user may not do this."}`}, want: vr.ErrPermission,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{})
			c := l.client(t)
			settings := l.settings(t, c, l.vm(0))
			test.rule.Kind, test.rule.Times = "configureReplication", 2
			l.Traffic().Break(test.rule)
			_, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), settings)
			require.ErrorIs(t, err, test.want)
			if test.want == nil {
				assert.Equal(t, 2, l.sleepCount(cmp.Or(test.wait, time.Minute)), l.waits)
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
		// A minute has at most 10 + 35 requests, and up to 4 that were sent earlier arrive late: 49, and 50 are allowed.
		for range 5 {
			group.Go(func() {
				for range 40 {
					_, err := c.Pairings(t.Context())
					assert.False(t, err != nil && perMinute > 0, err)
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
		assert.False(t, perMinute > 0 && took < 5*time.Minute, "%d a minute: took %s of virtual time", perMinute, took)
	}
}

func TestReconnect(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{NeedThumbprint: true})
	for name, test := range map[string]struct {
		peer   vr.Peer
		change func(*vr.Config)
		want   error
	}{
		"by default the remote vCenter": {peer: vr.Peer{Thumbprint: l.RemoteThumbprint()}},
		"by its address":                {peer: vr.Peer{Host: "vc.recovery.lab", Port: 443, Thumbprint: l.RemoteThumbprint()}},
		"another port":                  {peer: vr.Peer{Port: 7444, Thumbprint: l.RemoteThumbprint()}, want: vr.ErrInvalid},
		"another host":                  {peer: vr.Peer{Host: "psc", Thumbprint: l.RemoteThumbprint()}, want: vr.ErrInvalid},
		"certificate not trusted":       {want: vr.ErrInvalid},
		"wrong password": {
			peer:   vr.Peer{Thumbprint: l.RemoteThumbprint()},
			change: func(c *vr.Config) { c.RemotePassword = "wrong" }, want: vr.ErrInvalid,
		},
		"no account": {change: func(c *vr.Config) { c.RemoteUser = "" }, want: vr.ErrNoRemoteUser},
	} {
		c := l.client(t)
		if test.change != nil {
			c = l.client(t, test.change)
		}
		l.BreakPairing()
		task, err := c.Reconnect(t.Context(), l.PairingID(), test.peer)
		if err == nil {
			err = c.Wait(t.Context(), task, nil)
		}
		require.ErrorIs(t, err, test.want, name)
		assert.Equal(t, test.want != nil, l.IsDisconnected(), name)
		if err != nil {
			l.assertNoSecrets(t, err.Error())
		}
	}
}

func TestReconnect_pairing(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SelfPairing: true})
	c := l.client(t)
	if _, err := c.Reconnect(t.Context(), l.LocalVCenterID(), vr.Peer{}); !errors.Is(err, vr.ErrPairing) {
		t.Errorf("unknown: %v", err)
	}
	all, err := c.Pairings(t.Context())
	require.NoError(t, err)
	for _, p := range all {
		_, err := c.Reconnect(t.Context(), p.ID, vr.Peer{})
		assert.False(t, p.IsSingleVCenter() && !errors.Is(err, vr.ErrInvalid), "a vCenter with itself: %v", err)
	}
	assert.Equal(t, 1, l.Traffic().Count("reconnectVrPairing"))
}

func TestIsConnected(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{"announced": {}, "silent": {PartialSilent: true}} {
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
			assert.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrDisconnected)
			l.StartReconnect()
			assert.NoError(t, c.AwaitConnected(t.Context(), l.PairingID()))
			l.RemoteDown(true)
			is("down", false)
			l.RemoteDown(false)
			is("up", true)
		})
	}
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(config *vr.Config) { config.RemotePassword = "wrong" })
	for range 2 {
		assert.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrRemoteLogin)
	}
	assert.Equal(t, 1, l.Traffic().Count("createRemoteSession"))
	l.Traffic().Break(fault.Rule{Kind: "getVrPairing", Status: http.StatusForbidden})
	_, err := l.client(t).IsConnected(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPermission)
}

// TestList_asAppliancesAnswer reads 10 replications in pages of 4 from gateways that differ in undocumented behavior.
// This takes three requests, and one more if the first is rejected.
func TestList_asAppliancesAnswer(t *testing.T) {
	t.Parallel()
	const n = 10
	for name, test := range map[string]struct {
		switches gateway.Switches
		mutate   func(map[string]any)
		first    int
	}{
		"plainly":                   {first: 3},
		"sorted by name only":       {switches: gateway.Switches{SortByNameOnly: true}, first: 4},
		"with a content type only":  {switches: gateway.Switches{RequireContentType: true}, first: 3},
		"by links, without a total": {mutate: linksOnly, first: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.switches.PageCap = 4
			test.switches.SessionTTL, test.switches.SessionIdle = -1, -1
			l := startLab(t, test.switches)
			c := l.client(t)
			vms := make([]string, n)
			for i := range n {
				vms[i] = l.vm(i)
			}
			require.NoError(t, l.AddReplications(15, vms...))
			l.Advance(time.Minute)
			if test.mutate != nil {
				l.ChangeAnswers("getAllReplications", 0, test.mutate)
			}
			for round, requests := range []int{test.first, 3} {
				l.Traffic().Reset()
				all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Unverified)
				require.NoError(t, err, round)
				assert.Len(t, all, n, round)
				assert.Equal(t, requests, l.Traffic().Count("getAllReplications"), round)
				l.Advance(2 * time.Minute)
			}
		})
	}
}

// linksOnly removes the total, so that only the link shows that there is another page. The link points to another host.
func linksOnly(result map[string]any) {
	meta, _ := result["_meta"].(map[string]any)
	links, _ := meta["links"].(map[string]any)
	delete(meta, "total")
	if next, ok := links["next"].(map[string]any); ok {
		href, _ := next["href"].(string)
		_, query, _ := strings.Cut(href, "?")
		next["href"] = "https://elsewhere.invalid/api?" + query
	}
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
		assert.True(t, err == nil && len(of) == 1 && of[0].VMID == l.vm(1),
			"got %+v, %v; want that of %s", of, err, l.vm(1))
		assert.Equal(t, requests, l.Traffic().Count("getAllReplications"))
	}
	vms, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "id", l.vm(2))
	assert.True(t, err == nil && len(vms) == 1 && vms[0].ID == l.vm(2),
		"got %d VMs, %v; want %s", len(vms), err, l.vm(2))
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
	assert.True(t, errors.Is(err, vr.ErrPartial) && strings.Contains(err.Error(), name) &&
		strings.Contains(err.Error(), "rpo"), "got %v, want ErrPartial about rpo of %s", err, name)
	all, unknown, err := c.AllReplications(t.Context(), l.PairingID())
	assert.True(t, err == nil && len(all) == 2 && len(unknown) == 1,
		"got %d replications, %v unknown, %v; want 2 and 1", len(all), unknown, err)
	l.MendAnswers()
	l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
		lacking("rpo")(result)
		lacking("vm_id")(result)
	})
	c = l.client(t)
	_, err = c.Replications(t.Context(), l.PairingID(), l.vm(2), vr.Shared)
	assert.ErrorIs(t, err, vr.ErrPartial)
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
		"disk full (ds 1)": map[string]any{"message": "disk full", "details": "ds 1"}, "": nil,
	} {
		l.MendAnswers()
		l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
			for _, row := range gateway.Rows(result) {
				row["configuration_error"], row["last_group_error"], row["recovery_error"] = value, value, value
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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
