// The HTTP transport of every client.

package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// RedirectError reports that a server redirects a request. None is followed: the request would take password or session
// to another server.
type RedirectError struct{ From, To string }

// Error names both hosts.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s redirects to %s, which is not followed: it would be sent the credentials", e.From, e.To)
}

// Advice returns what a user can do about it.
func (*RedirectError) Advice() string {
	return "The server redirects to another address, and redirects are not followed. Set the server's own address, " +
		"and check proxies and load balancers in front of it."
}

func redirected(err error) bool {
	_, ok := errors.AsType[*RedirectError](err)
	return ok
}

// Redirect returns the error of an answer that redirects; nil for any other.
func Redirect(answer *http.Response) error {
	if answer.StatusCode < http.StatusMultipleChoices || answer.StatusCode >= http.StatusBadRequest {
		return nil
	}
	to := "no address"
	if location, err := answer.Location(); err == nil {
		to = location.Scheme + "://" + location.Host // its path may contain anything
	}
	from := (&url.URL{Scheme: answer.Request.URL.Scheme, Host: answer.Request.URL.Host}).String()
	return &RedirectError{From: from, To: to}
}

// Guard returns a transport that refuses redirects, by a *RedirectError, and answers above MaxAnswer, by ErrTooLarge.
// It makes the secrets of each request known to the scrubber before it is sent.
func Guard(next http.RoundTripper, s *Scrubber) http.RoundTripper { return &guard{next, s} }

type guard struct {
	next     http.RoundTripper
	scrubber *Scrubber
}

// RoundTrip sends a request.
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

// CloseIdleConnections closes those of the transport below.
func (g *guard) CloseIdleConnections() {
	if closer, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// MaxAnswer is the largest answer that is read, in bytes.
const MaxAnswer = 64 << 20

// ErrTooLarge is the error of an answer above MaxAnswer.
var ErrTooLarge = fmt.Errorf("the answer is larger than %d MiB", MaxAnswer>>20)

// Limit makes the body of an answer end with ErrTooLarge after MaxAnswer, and returns it if the answer announces more.
func Limit(answer *http.Response) error {
	if answer.ContentLength > MaxAnswer {
		return ErrTooLarge
	}
	answer.Body = &limited{ReadCloser: answer.Body, left: MaxAnswer}
	return nil
}

// limited is a body with a limit to its size.
type limited struct {
	io.ReadCloser

	left int64
}

// Read reads up to the limit.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}
