package vr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

func TestReconnect(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{NeedThumbprint: true})
	for name, test := range map[string]struct {
		peer   vr.Peer
		change func(*vr.Config)
		want   error
	}{
		"by default the remote vCenter": {peer: vr.Peer{Thumbprint: l.RemoteThumbprint()}},
		"by its address": {peer: vr.Peer{
			Host:       "vc.recovery.lab",
			Port:       443,
			Thumbprint: l.RemoteThumbprint(),
		}},
		"another port": {
			peer: vr.Peer{Port: 7444, Thumbprint: l.RemoteThumbprint()},
			want: vr.ErrInvalid,
		},
		"another host": {
			peer: vr.Peer{Host: "psc", Thumbprint: l.RemoteThumbprint()},
			want: vr.ErrInvalid,
		},
		"certificate not trusted": {want: vr.ErrInvalid},
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
		if p.IsSingleVCenter() {
			assert.ErrorIs(t, err, vr.ErrInvalid, "a vCenter with itself")
		}
	}
	assert.Equal(t, 1, l.Traffic().Count("reconnectVrPairing"))
}
