// Configuration of a Client and its checks: everything that can be said without a connection.

package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	// DefaultTimeout bounds one request when Config.Timeout is zero.
	DefaultTimeout = 300 * time.Second
	// DefaultRequestsPerMinute stays below the 50 requests a minute that a gateway of 8.8 or later allows to a session.
	DefaultRequestsPerMinute = 45

	basePath = "/api/rest/vr/v2"
)

// Config configures the client of one gateway. The zero values of the optional fields are usable.
type Config struct {
	// Server is a host, host:port or URL. A URL must not carry user information; a path in it replaces the API's own.
	Server string
	// User and Password authenticate at the gateway: an account of the vCenter of its site.
	User, Password string
	// RemoteUser and RemotePassword authenticate at the other site of a pairing. They are needed by everything that
	// concerns a pairing, but for one of a vCenter with itself.
	RemoteUser, RemotePassword string
	// Insecure turns certificate checks off.
	Insecure bool
	// CAFile is a PEM bundle that is trusted in place of the system's roots; empty means the system's.
	CAFile string
	// Timeout bounds each single request; zero means DefaultTimeout.
	Timeout time.Duration
	// RequestsPerMinute is the client's own limit, after a burst of ten; 0 means none.
	RequestsPerMinute int
	// UserAgent names the client.
	UserAgent string
	// Observe is called after every request; may be nil.
	Observe func(context.Context, Event)
	// Background returns the context of requests that several callers share; nil means context.Background.
	Background func() context.Context
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Sleep waits; nil means a timer that ends early with the context.
	Sleep func(context.Context, time.Duration) error
	// Wrap puts something around the HTTP transport, such as a check of the contract in tests; nil means nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Event describes one finished request. Its path is a template, for example "/pairings/{pairing_id}/replications".
type Event = transport.Event

// base checks the configuration and returns the URL of the API. It opens no connection.
func (c Config) base() (*url.URL, error) {
	switch {
	case strings.TrimSpace(c.Server) == "":
		return nil, errors.New("no replication server is given")
	case c.User == "":
		return nil, errors.New("no user of the replication server is given")
	case c.Timeout < 0:
		return nil, errors.New("the time-out of a request must not be negative")
	case c.RequestsPerMinute < 0:
		return nil, errors.New("the number of requests a minute must not be negative")
	}
	if c.CAFile != "" {
		if _, err := transport.Roots(c.CAFile); err != nil {
			return nil, err
		}
	}
	return address(strings.TrimSpace(c.Server))
}

// address reads a host, host:port or URL.
func address(server string) (*url.URL, error) {
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" ||
		u.Fragment != "" {
		// The parser's own error quotes the whole input, which may hold a password.
		return nil, errors.New("the replication server is not a host, host:port or URL")
	}
	if u.User != nil {
		return nil, errors.New(
			"the replication server's URL must not carry a user or password; give them by their own arguments",
		)
	}
	if err := transport.CheckScheme(u); err != nil {
		return nil, fmt.Errorf("replication server: %w", err)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" {
		u.Path = basePath
	}
	return u, nil
}
