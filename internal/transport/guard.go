package transport

import (
	"errors"
	"fmt"
	"net/http"
)

// RedirectError reports a redirect. Redirects are not followed, because another server would receive the credentials.
type RedirectError struct{ From, To string }

// Error returns a message with both hosts.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s redirects to %s; redirects are not followed, to protect the credentials", e.From, e.To)
}

// Advice returns a hint for the user.
func (*RedirectError) Advice() string {
	return "The server redirects to another address, and redirects are not followed. Set the address of the server " +
		"itself, and check any proxies and load balancers in front of it."
}

// Guard wraps a transport. Redirects fail with a *RedirectError, and responses larger than MaxResponseSize fail with
// ErrTooLarge. Before a request is sent, its secrets are registered with the scrubber.
func Guard(next http.RoundTripper, s *Scrubber) http.RoundTripper { return &guard{next, s} }

type guard struct {
	next     http.RoundTripper
	scrubber *Scrubber
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	g.scrubber.addSecretsOf(r)
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(CheckRedirect(resp), LimitBody(resp)); err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	return resp, nil
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (g *guard) CloseIdleConnections() {
	if closer, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// ErrTooLarge means that a response exceeds MaxResponseSize.
var ErrTooLarge = fmt.Errorf("the response is larger than %d MiB", MaxResponseSize>>20)
