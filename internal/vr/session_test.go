package vr_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
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

// TestPartial checks that the client notices if the gateway omits data because the remote session is missing, even if
// the response does not say so. The client then logs in and reads again, or returns an error if the site is down.
func TestPartial(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"announced":              {},
		"silent":                 {PartialSilent: true},
		"announced, rows lost":   {PartialDropsRows: true},
		"silent, rows lost":      {PartialSilent: true, PartialDropsRows: true},
		"announced, 403":         {RemoteStatus: 403},
		"silent, 500":            {PartialSilent: true, RemoteStatus: 500},
		"silent, rows lost, 500": {PartialSilent: true, PartialDropsRows: true, RemoteStatus: 500, DownStatus: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, switches)
			c := l.client(t)
			id := l.replicate(t, c, l.vm(0))
			for reading, read := range map[string]func() (vr.Replication, error){
				"single": func() (vr.Replication, error) {
					return c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
				},
				"listed": func() (vr.Replication, error) {
					l.Advance(61e9) // the listing has expired
					all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
					if err != nil || len(all) != 1 {
						return vr.Replication{}, errors.Join(err, errors.New("not one row"))
					}
					return all[0], nil
				},
			} {
				l.ExpireRemoteSessions()
				r, err := read()
				require.NoError(t, err, reading)
				assert.Equal(t, "recovery", r.TargetSite, reading)
				assert.NotEmpty(t, r.ServerUUID, reading)
				assert.Equal(t, "NOT_STARTED", r.RecoveryState, reading)
				l.RemoteDown(true)
				_, err = read()
				require.ErrorIs(t, err, vr.ErrRemote, reading)
				l.RemoteDown(false)
			}
		})
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.RemoveReplication(l.vm(0))
	l.Advance(61e9)
	if _, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared); !errors.Is(err, vr.ErrNotFound) {
		t.Errorf("removed elsewhere: %v", err)
	}
	l.RemoteDown(true)
	if _, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared); errors.Is(err, vr.ErrNotFound) ||
		!errors.Is(err, vr.ErrRemote) {
		t.Errorf("remote site down: %v", err)
	}
	l.RemoteDown(false)
	for _, operation := range []string{"getRemoteSession", "getVrPairing"} {
		l.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusNotFound})
		_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared)
		require.NotErrorIs(t, err, vr.ErrNotFound, operation)
		require.ErrorIs(t, err, vr.ErrPairing, operation)
		l.Traffic().Mend()
	}
	_, err := c.Replication(t.Context(), "00000000-0000-4000-8000-000000000000", id, vr.Shared)
	require.NotErrorIs(t, err, vr.ErrNotFound)
	assert.ErrorIs(t, err, vr.ErrPairing)
}

func TestPermission(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.Deny("getReplicationInfo", "pauseReplication")
	l.Traffic().Reset()
	_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
	if !errors.Is(err, vr.ErrPermission) || l.Traffic().Count("getReplicationInfo") != 1 ||
		l.Traffic().Count("createRemoteSession") != 0 {
		t.Errorf("%v after %v", err, l.Traffic().Counts())
	}
	if _, err := c.Pause(t.Context(), l.PairingID(), id); !errors.Is(err, vr.ErrPermission) {
		t.Errorf("pause: %v", err)
	}
	result, ok := transport.AsAPIError(err)
	require.True(t, ok, "%#v", result)
	require.NotEmpty(t, result.OperationID)
	require.Equal(t, http.StatusForbidden, result.Status)
	require.Equal(t, "GET /pairings/{pairing_id}/replications/{replication_id}", result.Operation)
	for _, part := range []string{
		result.OperationID,
		"GET /pairings/{pairing_id}/replications/{replication_id}",
		"HTTP 403",
		"lacks a privilege",
	} {
		assert.Contains(t, err.Error(), part)
	}
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
