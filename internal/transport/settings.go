// The settings that the clients of all services share.

package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultTimeout bounds one request when Settings.Timeout is zero.
const DefaultTimeout = 300 * time.Second

// Settings configure the client of any service. The zero value is usable.
type Settings struct {
	// Insecure turns certificate checks off.
	Insecure bool
	// CAFile is a PEM bundle that is trusted in place of the system's roots; empty means the system's.
	CAFile string
	// Timeout bounds each single request; zero means DefaultTimeout.
	Timeout time.Duration
	// UserAgent names the client.
	UserAgent string
	// Observe is called after every request with a JSON answer; may be nil.
	Observe func(context.Context, Event)
	// Background returns the context of requests that several callers share; nil means context.Background.
	Background func() context.Context
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Sleep waits; nil means a timer that ends early with the context.
	Sleep func(context.Context, time.Duration) error
	// Wrap puts something around the HTTP transports, such as a check of the contract in tests; nil means nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Complete checks the settings and sets the defaults of those that are not given. It opens no connection.
func (s *Settings) Complete() error {
	if s.Timeout < 0 {
		return errors.New("the time-out of a request must not be negative")
	}
	if s.CAFile != "" {
		if _, err := Roots(s.CAFile); err != nil {
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
		s.Now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	if s.Sleep == nil {
		s.Sleep = Wait
	}
	return nil
}

// Client returns an HTTP client of completed settings that keeps up to idle connections to a host, where Go would keep
// two and close each further one after its request.
func (s *Settings) Client(idle int, scrubber *Scrubber) (*http.Client, error) {
	secure := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.Insecure, //nolint:gosec // the user's choice, off by default
	}
	if s.CAFile != "" {
		roots, err := Roots(s.CAFile)
		if err != nil {
			return nil, err
		}
		secure.RootCAs = roots
	}
	return &http.Client{Transport: s.Guard(&http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: idle, IdleConnTimeout: 90 * time.Second,
	}, scrubber)}, nil
}

// Guard returns a transport with the settings' wrapper and Guard around it.
func (s *Settings) Guard(t http.RoundTripper, scrubber *Scrubber) http.RoundTripper {
	if s.Wrap != nil {
		t = s.Wrap(t)
	}
	return Guard(t, scrubber)
}

// Address reads a host, host:port or URL, whose path replaces the given one. No error quotes it, because it may hold a
// password.
func Address(what, server, path string) (*url.URL, error) {
	server = strings.TrimSpace(server)
	if server == "" {
		return nil, fmt.Errorf("no %s is given", what)
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, fmt.Errorf("the %s is not a host, host:port or URL", what)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the URL of the %s must not carry a user or password; give them by their own arguments", what)
	}
	if err := CheckScheme(u); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = path
	}
	return u, nil
}

// ErrPlain reports that the server's URL would send the password in clear text.
var ErrPlain = errors.New(
	"http:// would send the password in clear text; use https:// (http is accepted for loopback addresses only)",
)

// CheckScheme refuses plain HTTP, except to a loopback address.
func CheckScheme(u *url.URL) error {
	if u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return nil
	}
	return ErrPlain
}
