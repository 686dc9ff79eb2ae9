package vr_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestReconnect connects sites that are apart, at the address and with the certificate that are meant.
func TestReconnect(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{NeedThumbprint: true})
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
			change: func(c *vr.Config) { c.RemotePassword = "wrong" },
			want:   vr.ErrInvalid,
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
		assert.Equal(t, test.want != nil, l.Apart(), name)
		if err != nil {
			l.hides(t, err.Error())
		}
	}
}

// TestReconnect_pairing: neither an unknown pairing nor one of a vCenter with itself is reconnected.
func TestReconnect_pairing(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{SelfPairing: true})
	c := l.client(t)
	if _, err := c.Reconnect(t.Context(), l.LocalVCenterID(), vr.Peer{}); !errors.Is(err, vr.ErrPairing) {
		t.Errorf("unknown: %v", err)
	}
	all, err := c.Pairings(t.Context())
	require.NoError(t, err)
	for _, p := range all {
		_, err := c.Reconnect(t.Context(), p.ID, vr.Peer{})
		assert.False(t, p.Single() && !errors.Is(err, vr.ErrInvalid), "a vCenter with itself: %v", err)
	}
	assert.Equal(t, 1, l.Traffic().Count("reconnectVrPairing"))
}

// TestConnected: sites that are apart or down are not connected, which is no error. A refused account is one, and it is
// not tried again.
func TestConnected(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{"announced": {}, "silent": {PartialSilent: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, switches)
			c := l.client(t)
			is := func(what string, want bool) {
				t.Helper()
				got, err := c.Connected(t.Context(), l.PairingID())
				require.Equal(t, want, got, what)
				assert.NoError(t, err, what)
			}
			is("at first", true)
			l.BreakPairing()
			is("apart", false)
			assert.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrApart)
			l.StartReconnect()
			assert.NoError(t, c.AwaitConnected(t.Context(), l.PairingID()))
			l.RemoteDown(true)
			is("down", false)
			l.RemoteDown(false)
			is("up", true)
		})
	}
	l := start(t, gateway.Switches{})
	c := l.client(t, func(config *vr.Config) { config.RemotePassword = "wrong" })
	for range 2 {
		assert.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrRemoteLogin)
	}
	assert.Equal(t, 1, l.Traffic().Count("createRemoteSession"))
	l.Traffic().Break(fault.Rule{Kind: "getVrPairing", Status: http.StatusForbidden})
	_, err := l.client(t).Connected(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPermission)
}
