package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// RedirectError reports a redirect. Redirects are not followed, because they would send the credentials to another
// server.
type RedirectError struct{ From, To string }

// Error names both hosts.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s redirects to %s, which is not followed: it would be sent the credentials", e.From, e.To)
}

// Advice returns a remedy for the user.
func (*RedirectError) Advice() string {
	return "The server redirects to another address, and redirects are not followed. Set the server's own address, " +
		"and check proxies and load balancers in front of it."
}

func redirected(err error) bool {
	_, ok := errors.AsType[*RedirectError](err)
	return ok
}

// Redirect returns a *RedirectError if the response is a redirect, or nil.
func Redirect(answer *http.Response) error {
	if answer.StatusCode < http.StatusMultipleChoices || answer.StatusCode >= http.StatusBadRequest {
		return nil
	}
	to := "no address"
	if location, err := answer.Location(); err == nil {
		to = location.Scheme + "://" + location.Host // the path may contain secrets
	}
	from := (&url.URL{Scheme: answer.Request.URL.Scheme, Host: answer.Request.URL.Host}).String()
	return &RedirectError{From: from, To: to}
}

// Guard returns a transport that fails with a *RedirectError on redirects and with ErrTooLarge on responses above
// MaxAnswer. It registers the secrets of each request with the scrubber before sending it.
func Guard(next http.RoundTripper, s *Scrubber) http.RoundTripper { return &guard{next, s} }

type guard struct {
	next     http.RoundTripper
	scrubber *Scrubber
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	g.scrubber.learn(r)
	answer, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(Redirect(answer), Limit(answer)); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer, nil
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (g *guard) CloseIdleConnections() {
	if closer, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// MaxAnswer is the maximum size of a response in bytes.
const MaxAnswer = 64 << 20

// ErrTooLarge reports a response above MaxAnswer.
var ErrTooLarge = fmt.Errorf("the response is larger than %d MiB", MaxAnswer>>20)

// Limit returns ErrTooLarge if the announced length exceeds MaxAnswer. Otherwise reading the body beyond MaxAnswer
// fails with ErrTooLarge.
func Limit(answer *http.Response) error {
	if answer.ContentLength > MaxAnswer {
		return ErrTooLarge
	}
	answer.Body = &limited{ReadCloser: answer.Body, left: MaxAnswer}
	return nil
}

type limited struct {
	io.ReadCloser

	left int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}
