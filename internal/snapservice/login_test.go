package snapservice_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

// TestLogin: a wrong password is tried once by all callers; an appliance of another vCenter is refused.
func TestLogin(t *testing.T) {
	t.Parallel()
	t.Run("wrong password", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, func(c *snapservice.Config) { c.Password = "wrong-password" })
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				_, err := s.client.Groups(t.Context(), s.cluster, 0)
				require.ErrorIs(t, err, snapservice.ErrLogin)
				assert.NotContains(t, err.Error(), "wrong-password")
			})
		}
		callers.Wait()
		n := s.vc.Traffic().Count("POST /sts/STSService")
		require.Equal(t, 1, n)
		assert.False(t, s.vc.Locked(), "%d logins at the STS, want 1; locked: %v", n, s.vc.Locked())
	})
	t.Run("no token", func(t *testing.T) {
		t.Parallel()
		shared := transport.NewCredentials()
		s := start(t, lab.Switches{}, func(c *snapservice.Config) { c.Credentials = shared })
		const text = "The time now does not fall in the request lifetime interval"
		s.vc.Traffic().Break(fault.Rule{
			Kind: "POST /sts/STSService", Status: http.StatusInternalServerError,
			Body: `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>` +
				`<faultcode>ns0:InvalidTimeRange</faultcode><faultstring>` + text + `</faultstring></S:Fault></S:Body></S:Envelope>`,
		})
		for range 2 {
			_, err := s.client.Groups(t.Context(), s.cluster, 0)
			assert.True(t, !errors.Is(err, transport.ErrLogin) && err != nil && strings.Contains(err.Error(), text),
				"got %v, want a refusal of the token alone", err)
		}
		assert.Equal(t, 1, s.vc.Traffic().Count("POST /sts/STSService"))
		other := transport.NewSession[int](shared)
		_, err := other.Open(t.Context(), func(context.Context) (int, error) { return 1, nil })
		assert.NoError(t, err)
	})
	t.Run("long header", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusRequestHeaderFieldsTooLarge})
		_, err := s.client.Groups(t.Context(), s.cluster, 0)
		assert.ErrorIs(t, err, snapservice.ErrHeader)
	})
}

// TestSession: a session that ended is replaced once for ten callers, and a write that was refused for it is repeated.
func TestSession(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	spec := s.gold(s.tag(t, 0))
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	require.NoError(t, err)
	s.ExpireSessions()
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			_, err := s.client.VMs(t.Context(), s.vc.Clusters()[1].ID)
			assert.NoError(t, err)
		})
	}
	callers.Go(func() {
		_, err := s.client.Create(t.Context(), s.cluster, spec, patience)
		assert.NoError(t, err)
	})
	callers.Wait()
	_, ever := s.Sessions()
	assert.Equal(t, 2, ever)
	assert.Equal(t, 1, s.Traffic().Count("sites"))
}

// TestSecrets: a server that repeats header and session in an error does not bring them into a message.
func TestSecrets(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	if _, err := s.client.Groups(t.Context(), s.cluster, 0); err != nil {
		t.Fatal(err)
	}
	s.Traffic().Break(fault.Rule{
		Kind: "list", Status: http.StatusBadRequest,
		Body: `{"error_type":"INVALID_ARGUMENT","messages":[{"id":"x","default_message":"session secret-session-0001 of ` +
			s.vc.Password() + "\\u001b[31m" + strings.Repeat("x", 64<<10) + `","args":[]}]}`,
	})
	s.Advance(1e9)
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	if err == nil || len(err.Error()) > 1500 || strings.ContainsAny(err.Error(), "\x1b") ||
		strings.Contains(err.Error(), "secret-session") || strings.Contains(err.Error(), s.vc.Password()) {
		t.Errorf("got %.200v, want a short error without secrets and control characters", err)
	}
}
