package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"
)

// DefaultTimeout is the default value of Settings.Timeout.
const DefaultTimeout = 300 * time.Second

// Settings configure a client. The zero value is usable.
type Settings struct {
	// Insecure disables certificate verification.
	Insecure bool
	// CAFile is the path of a PEM bundle that replaces the system's root certificates. If it is empty, the system's
	// certificates are used.
	CAFile string
	// Timeout limits each request. 0 means DefaultTimeout.
	Timeout time.Duration
	// UserAgent is sent in the User-Agent header.
	UserAgent string
	// Observe, if set, is called after each JSON request.
	Observe func(context.Context, Event)
	// Background returns the context for requests shared by several callers. It defaults to context.Background.
	Background func() context.Context
	// Now returns the current time. It defaults to the system clock.
	Now func() time.Time
	// Sleep waits for the delay or until the context ends. It defaults to the package's Sleep function.
	Sleep func(context.Context, time.Duration) error
	// Wrap, if set, wraps the HTTP transports. Tests use it to check requests against the API contract.
	Wrap func(http.RoundTripper) http.RoundTripper

	startupProbe *startupProbe
}

// Complete validates the settings and sets defaults. It does not connect to a server.
func (s *Settings) Complete() error {
	if s.Timeout < 0 {
		return errors.New("the request timeout must not be negative")
	}
	if s.CAFile != "" {
		if _, err := ReadRoots(s.CAFile); err != nil {
			return err
		}
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.Observe == nil {
		s.Observe = func(context.Context, Event) {}
	}
	if s.Background == nil {
		s.Background = context.Background
	}
	if s.Now == nil {
		s.Now = time.Now //nolint:forbidigo // the default for an injectable clock
	}
	if s.Sleep == nil {
		s.Sleep = Sleep
	}
	s.startupProbe = &startupProbe{}
	return nil
}

// NewHTTPClient returns an HTTP client that keeps the given number of idle connections per host, instead of Go's
// default of two. s.Complete must have been called.
func (s *Settings) NewHTTPClient(idle int, scrubber *Scrubber) (*http.Client, error) {
	secure := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.Insecure, //nolint:gosec // set by the user, off by default
	}
	if s.CAFile != "" {
		roots, err := ReadRoots(s.CAFile)
		if err != nil {
			return nil, err
		}
		secure.RootCAs = roots
	}
	return &http.Client{Transport: s.WrapTransport(&http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     secure,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     90 * time.Second,
	}, scrubber)}, nil
}

// WrapTransport applies s.Wrap and Guard to a transport.
func (s *Settings) WrapTransport(t http.RoundTripper, scrubber *Scrubber) http.RoundTripper {
	if s.Wrap != nil {
		t = s.Wrap(t)
	}
	return Guard(t, scrubber)
}
