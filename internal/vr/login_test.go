package vr_test

import (
	"errors"
	"net/http"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// TestLogin_remoteDoesNotBlockLocalCalls: while a login at the remote site is without an answer, calls that need only
// the local session are answered.
func TestLogin_remoteDoesNotBlockLocalCalls(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	arrived, open := make(chan struct{}), make(chan struct{})
	l.Traffic().Break(fault.Rule{
		Kind: "createRemoteSession", Times: 1,
		Before: func(*http.Request) { close(arrived); <-open },
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
	select {
	case err := <-local:
		if err != nil {
			t.Error(err)
		}
	case <-t.Context().Done():
	}
	close(open)
	if err := <-remote; err != nil {
		t.Error(err)
	}
}

// TestNew_refusesPlainHTTP: the password is not sent in clear text.
func TestNew_refusesPlainHTTP(t *testing.T) {
	t.Parallel()
	_, err := vr.New(vr.Config{Server: "http://vr.example.com", User: "u", Password: "p"})
	if !errors.Is(err, transport.ErrPlain) {
		t.Errorf("got %v, want %v", err, transport.ErrPlain)
	}
}

// TestLogin_isRefusedOnce: the first refused login answers all later calls, so that no account is locked.
func TestLogin_isRefusedOnce(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	for name, test := range map[string]struct {
		change    func(*vr.Config)
		want      error
		operation string
	}{
		"local":  {func(c *vr.Config) { c.Password = "wrong" }, vr.ErrLogin, "login"},
		"remote": {func(c *vr.Config) { c.RemotePassword = "wrong" }, vr.ErrRemoteLogin, "createRemoteSession"},
	} {
		c := l.client(t, test.change)
		l.Traffic().Reset()
		for range 5 {
			if _, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		if got := l.Traffic().Count(test.operation); got != 1 {
			t.Errorf("%s: %d logins, want 1", name, got)
		}
	}
}
