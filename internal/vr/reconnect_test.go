package vr_test

import (
	"errors"
	"net/http"
	"testing"

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
		if !errors.Is(err, test.want) || l.Apart() != (test.want != nil) {
			t.Errorf("%s: %v, apart is %v; want %v", name, err, l.Apart(), test.want)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if _, err := c.Reconnect(t.Context(), p.ID, vr.Peer{}); p.Single() && !errors.Is(err, vr.ErrInvalid) {
			t.Errorf("a vCenter with itself: %v", err)
		}
	}
	if got := l.Traffic().Count("reconnectVrPairing"); got != 1 {
		t.Errorf("%d requests to reconnect, want 1: of the pairing of two sites", got)
	}
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
				if got, err := c.Connected(t.Context(), l.PairingID()); got != want || err != nil {
					t.Errorf("%s: %v, %v; want %v", what, got, err, want)
				}
			}
			is("at first", true)
			l.BreakPairing()
			is("apart", false)
			if err := c.AwaitConnected(t.Context(), l.PairingID()); !errors.Is(err, vr.ErrApart) {
				t.Errorf("waiting while they are apart: %v", err)
			}
			l.StartReconnect()
			if err := c.AwaitConnected(t.Context(), l.PairingID()); err != nil {
				t.Errorf("waiting while another client reconnects: %v", err)
			}
			l.RemoteDown(true)
			is("down", false)
			l.RemoteDown(false)
			is("up", true)
		})
	}
	l := start(t, gateway.Switches{})
	c := l.client(t, func(config *vr.Config) { config.RemotePassword = "wrong" })
	for range 2 {
		if err := c.AwaitConnected(t.Context(), l.PairingID()); !errors.Is(err, vr.ErrRemoteLogin) {
			t.Errorf("a wrong password: %v", err)
		}
	}
	if got := l.Traffic().Count("createRemoteSession"); got != 1 {
		t.Errorf("%d logins with a wrong password, want 1", got)
	}
	l.Traffic().Break(fault.Rule{Kind: "getVrPairing", Status: http.StatusForbidden})
	if _, err := l.client(t).Connected(t.Context(), l.PairingID()); !errors.Is(err, vr.ErrPermission) {
		t.Errorf("without the privilege: %v", err)
	}
}
