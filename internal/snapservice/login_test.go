package snapservice_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

// TestLogin_wrongPassword checks that concurrent callers share one login, so that they do not lock the account.
func TestLogin_wrongPassword(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, func(c *snapservice.Config) { c.Password = "wrong-password" })
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
			if assert.ErrorIs(t, err, snapservice.ErrLogin) {
				assert.NotContains(t, err.Error(), "wrong-password")
			}
		})
	}
	callers.Wait()
	assert.Equal(t, 1, s.vc.Traffic().Count("POST /sts/STSService"))
	assert.False(t, s.vc.Locked(), "the account is locked")
}

// TestLogin_noToken checks that an error of the STS that is not about the credentials is not shared with other clients
// as a rejected login, and is not retried.
func TestLogin_noToken(t *testing.T) {
	t.Parallel()
	shared := transport.NewCredentials()
	s := startSite(t, lab.Switches{}, func(c *snapservice.Config) { c.Credentials = shared })
	const text = "The time now does not fall in the request lifetime interval"
	s.vc.Traffic().Break(fault.Rule{
		Kind:   "POST /sts/STSService",
		Status: http.StatusInternalServerError,
		Body: `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>` +
			`<faultcode>ns0:InvalidTimeRange</faultcode><faultstring>` + text +
			`</faultstring></S:Fault></S:Body></S:Envelope>`,
	})
	for range 2 {
		_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
		require.NotErrorIs(t, err, transport.ErrLogin)
		require.ErrorContains(t, err, text)
	}
	assert.Equal(t, 1, s.vc.Traffic().Count("POST /sts/STSService"))
	other := transport.NewSession[int](shared)
	_, err := other.Open(t.Context(), func(context.Context) (int, error) { return 1, nil })
	assert.NoError(t, err)
}

// TestLogin_clock checks that a login succeeds at its second attempt if the clock of the STS differs.
func TestLogin_clock(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": time.Hour, "behind": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, lab.Switches{}, nil)
			s.vc.SetSTSClock(ahead)
			_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
			require.NoError(t, err)
			assert.Equal(t, 2, s.vc.Traffic().Count("POST /sts/STSService"))
		})
	}
}

func TestLogin_longHeader(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusRequestHeaderFieldsTooLarge})
	_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
	assert.ErrorIs(t, err, snapservice.ErrHeader)
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusOK, Body: "<html>"})
	_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
	require.ErrorIs(t, err, snapservice.ErrUnavailable)
	assert.Equal(t, 2, s.Traffic().Count("POST session"))
}

// TestSession_expired checks that concurrent callers share one new session after the end of the first one.
func TestSession_expired(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	spec := s.goldSpec(s.newTag(t, 0))
	_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
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
		_, err := s.client.Create(t.Context(), s.cluster, spec, waitOptions)
		assert.NoError(t, err)
	})
	callers.Wait()
	_, ever := s.Sessions()
	assert.Equal(t, 2, ever)
	assert.Equal(t, 1, s.Traffic().Count("sites"))
}
