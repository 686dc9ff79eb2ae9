package vr_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

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
		assert.NoError(t, err)
	case <-t.Context().Done():
	}
	close(open)
	assert.NoError(t, <-remote)
}

// TestNew_refusesPlainHTTP: the password is not sent in clear text.
func TestNew_refusesPlainHTTP(t *testing.T) {
	t.Parallel()
	_, err := vr.New(vr.Config{Server: "http://vr.example.com", User: "u", Password: "p"})
	assert.ErrorIs(t, err, transport.ErrPlain)
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
			_, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
			assert.ErrorIs(t, err, test.want, name)
		}
		assert.Equal(t, 1, l.Traffic().Count(test.operation), name)
	}
}
