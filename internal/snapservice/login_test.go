package snapservice_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

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
				if !errors.Is(err, snapservice.ErrLogin) || strings.Contains(err.Error(), "wrong-password") {
					t.Errorf("got %v, want %v without the password", err, snapservice.ErrLogin)
				}
			})
		}
		callers.Wait()
		if n := s.vc.Traffic().Count("POST /sts/STSService"); n != 1 || s.vc.Locked() {
			t.Errorf("%d logins at the STS, want 1; locked: %v", n, s.vc.Locked())
		}
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
			if errors.Is(err, transport.ErrLogin) || err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("got %v, want a refusal of the token alone", err)
			}
		}
		if n := s.vc.Traffic().Count("POST /sts/STSService"); n != 1 {
			t.Errorf("%d requests to the STS, want 1", n)
		}
		other := transport.NewSession[int](shared)
		if _, err := other.Open(t.Context(), func(context.Context) (int, error) { return 1, nil }); err != nil {
			t.Errorf("another service with the same password: %v", err)
		}
	})
	t.Run("long header", func(t *testing.T) {
		t.Parallel()
		s := start(t, lab.Switches{}, nil)
		s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusRequestHeaderFieldsTooLarge})
		if _, err := s.client.Groups(t.Context(), s.cluster, 0); !errors.Is(err, snapservice.ErrHeader) {
			t.Errorf("got %v, want %v", err, snapservice.ErrHeader)
		}
	})
}

// TestSession: a session that ended is replaced once for ten callers, and a write that was refused for it is repeated.
func TestSession(t *testing.T) {
	t.Parallel()
	s := start(t, lab.Switches{}, nil)
	spec := s.gold(s.tag(t, 0))
	if _, err := s.client.Groups(t.Context(), s.cluster, 0); err != nil {
		t.Fatal(err)
	}
	s.ExpireSessions()
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if _, err := s.client.VMs(t.Context(), s.vc.Clusters()[1].ID); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Go(func() {
		if _, err := s.client.Create(t.Context(), s.cluster, spec, patience); err != nil {
			t.Error(err)
		}
	})
	callers.Wait()
	if _, ever := s.Sessions(); ever != 2 {
		t.Errorf("%d sessions were opened, want 2", ever)
	}
	if n := s.Traffic().Count("sites"); n != 1 {
		t.Errorf("the sites are read %d times, want once", n)
	}
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
