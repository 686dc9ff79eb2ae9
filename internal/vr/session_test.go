package vr_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

func TestSession_isShared(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			_, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
			assert.NoError(t, err)
		})
	}
	group.Wait()
	for operation, want := range map[string]int{"login": 1, "createRemoteSession": 1, "getAllReplications": 1} {
		assert.Equal(t, want, l.Traffic().Count(operation), operation)
	}
	require.NoError(t, c.Close(t.Context()))
	assert.Equal(t, 0, l.Sessions())
	_, err := c.Pairings(t.Context())
	assert.NoError(t, err)
}

func TestSession_renewal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		switches                  gateway.Switches
		end                       func(*lab)
		localLogins, remoteLogins int
	}{
		"the local one":       {end: func(l *lab) { l.ExpireSessions() }, localLogins: 2, remoteLogins: 2},
		"after a restart":     {end: func(l *lab) { l.Restart() }, localLogins: 2, remoteLogins: 2},
		"the remote one, 401": {end: func(l *lab) { l.ExpireRemoteSessions() }, localLogins: 1, remoteLogins: 2},
		"the remote one, 403": {
			switches:     gateway.Switches{RemoteStatus: 403},
			end:          func(l *lab) { l.ExpireRemoteSessions() },
			localLogins:  1,
			remoteLogins: 2,
		},
		"the remote one, 500": {
			switches:     gateway.Switches{RemoteStatus: 500},
			end:          func(l *lab) { l.ExpireRemoteSessions() },
			localLogins:  1,
			remoteLogins: 2,
		},
		"no session has ended": {end: func(*lab) {}, localLogins: 1, remoteLogins: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, test.switches)
			c := l.client(t)
			settings := l.settings(t, c, l.vm(0))
			test.end(l)
			// The POST was rejected without taking effect, so it can be sent again.
			task, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), settings)
			require.NoError(t, err)
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					assert.NoError(t, c.Wait(t.Context(), task, nil))
				})
			}
			group.Wait()
			assert.Len(t, l.Replications(), 1)
			assert.Equal(t, test.localLogins, l.Traffic().Count("login"))
			assert.Equal(t, test.remoteLogins, l.Traffic().Count("createRemoteSession"))
		})
	}
}

func TestLogin_refused(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	for name, test := range map[string]struct {
		change    func(*vr.Config)
		want      []error
		operation string // must be sent only once
	}{
		"here": {func(c *vr.Config) { c.Password = "wrong-here" }, []error{vr.ErrLogin}, "login"},
		"there": {
			func(c *vr.Config) { c.RemotePassword = "wrong-there" },
			[]error{vr.ErrRemote, vr.ErrRemoteLogin},
			"createRemoteSession",
		},
		"nobody there": {func(c *vr.Config) { c.RemoteUser = "" }, []error{vr.ErrRemote, vr.ErrNoRemoteUser}, ""},
		"no password there": {
			func(c *vr.Config) { c.RemotePassword = "" },
			[]error{vr.ErrRemote, vr.ErrNoRemoteUser},
			"",
		},
	} {
		c := l.client(t, test.change)
		l.Traffic().Reset()
		for range 5 {
			_, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
			for _, want := range test.want {
				require.ErrorIs(t, err, want, name)
			}
			l.assertNoSecrets(t, err.Error())
			assert.NotContains(t, err.Error(), "wrong-", name)
		}
		if test.operation != "" {
			assert.Equal(t, 1, l.Traffic().Count(test.operation), name)
		} else {
			assert.Zero(t, l.Traffic().Count("createRemoteSession"), name)
		}
	}
}

func TestSingleVCenter(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SelfPairing: true})
	c := l.client(t, func(c *vr.Config) { c.RemoteUser = "" })
	pairings, err := c.Pairings(t.Context())
	require.NoError(t, err)
	require.Len(t, pairings, 2)
	for _, p := range pairings {
		_, err := c.Replications(t.Context(), p.ID, vr.AnyVM, vr.Shared)
		assert.Equal(t, err == nil, p.IsSingleVCenter())
	}
	assert.Equal(t, 0, l.Traffic().Count("createRemoteSession"))
}

func TestSession_endsAgainAndAgain(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	l.Traffic().Break(fault.Rule{Kind: "getVrPairings", Status: http.StatusUnauthorized})
	_, err := c.Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrSession)
	assert.Equal(t, 2, l.Traffic().Count("login"))
}

func TestLogin_remoteDoesNotBlockLocalCalls(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	arrived := make(chan struct{})
	open := make(chan struct{})
	l.Traffic().Break(fault.Rule{
		Kind:  "createRemoteSession",
		Times: 1,
		Before: func(*http.Request) {
			close(arrived)
			<-open
		},
	})
	remote := make(chan error, 1)
	go func() {
		_, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
		remote <- err
	}()
	<-arrived
	local := make(chan error, 1)
	go func() {
		_, err := c.Pairings(t.Context())
		local <- err
	}()
	err := <-local // which never comes if the call waits for the login
	close(open)
	require.NoError(t, err)
	assert.NoError(t, <-remote)
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{Kind: "login", Status: http.StatusOK, Body: "<html>"})
	_, err := l.client(t).Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrUnavailable)
	assert.Equal(t, 2, l.Traffic().Count("login"))
}
