package vr_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// TestEcho: an appliance that quotes each request gets no secret into an error or an event.
func TestEcho(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"login", "createRemoteSession", "getAllReplications", "pauseReplication"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			l := start(t, gateway.Switches{})
			c := l.client(t)
			l.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusBadRequest, Echo: true})
			_, err := c.Replications(t.Context(), l.PairingID(), "", vr.Recent)
			if operation == "pauseReplication" {
				_, err = c.Pause(t.Context(), l.PairingID(), "GID-1")
			}
			if err == nil || !strings.Contains(err.Error(), "quoted: ") {
				t.Fatalf("got %v, want an error that quotes the request", err)
			}
			text := fmt.Sprint(err, l.events)
			secrets := append(l.SessionIDs(), l.Password(), l.RemotePassword())
			for _, login := range []string{l.User() + ":" + l.Password(), l.RemoteUser() + ":" + l.RemotePassword()} {
				secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(login)))
			}
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("got the secret %q in %s, want it removed", secret, text)
				}
			}
		})
	}
}

// TestRedirect: no redirect is followed, so that neither password nor session goes to another server, and none is
// retried.
func TestRedirect(t *testing.T) {
	t.Parallel()
	other := start(t, gateway.Switches{})
	t.Cleanup(func() {
		if n := other.Traffic().Total(); n != 0 {
			t.Errorf("got %d requests at the other server, want none", n)
		}
	})
	for _, operation := range []string{"login", "createRemoteSession", "getAllReplications", "pauseReplication"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			l := start(t, gateway.Switches{})
			l.Traffic().Break(fault.Rule{
				Kind: operation, Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": other.URL() + "/x"},
			})
			c := l.client(t)
			_, err := c.Replications(t.Context(), l.PairingID(), "", vr.Recent)
			if operation == "pauseReplication" {
				_, err = c.Pause(t.Context(), l.PairingID(), "GID-1")
			}
			redirect, ok := errors.AsType[*transport.RedirectError](err)
			if n := l.Traffic().Count(operation); !ok || redirect.From != l.URL() || redirect.To != other.URL() || n != 1 {
				t.Errorf("got %v after %d requests, want a refusal from %s to %s after 1", err, n, l.URL(), other.URL())
			}
		})
	}
}

// TestLongAnswer: an answer above the limit is an error that names the limit, and the read is not retried.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t, func(c *vr.Config) {
		wrap := c.Wrap
		c.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return long{wrap(next)}
		}
	})
	_, err := c.Pairings(t.Context())
	if n := l.Traffic().Count("getVrPairings"); !errors.Is(err, transport.ErrTooLarge) || n != 1 ||
		!strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("got %v after %d requests, want an error that names the limit after 1", err, n)
	}
}

// long announces a long answer to everything but logins.
type long struct{ next http.RoundTripper }

func (l long) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.next.RoundTrip(r)
	if err == nil && !strings.HasSuffix(r.URL.Path, "session") {
		answer.ContentLength = transport.MaxAnswer + 1
	}
	return answer, err
}
