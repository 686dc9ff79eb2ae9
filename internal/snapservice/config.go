// Configuration of a Client and its checks: everything that can be said without a connection.

package snapservice

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

// DefaultTimeout bounds one request when Config.Timeout is zero.
const DefaultTimeout = 300 * time.Second

// Config is how to reach one appliance. The zero values of the optional fields are usable.
type Config struct {
	// Server is the appliance as host, host:port or URL, without user information; a path in a URL replaces /api.
	Server string
	// VCenter is the vCenter of the appliance's site, as host, host:port or URL; its STS issues the token.
	VCenter string
	// User and Password authenticate at the STS.
	User, Password string
	// Credentials are shared with the other clients of that vCenter, user and password; nil means not shared.
	Credentials *transport.Credentials
	// Insecure turns certificate checks off.
	Insecure bool
	// CAFile is a PEM bundle that is trusted in place of the system's roots; empty means the system's.
	CAFile string
	// Timeout bounds each single request; zero means DefaultTimeout.
	Timeout time.Duration
	// UserAgent names the client.
	UserAgent string
	// Observe is called after every request to the appliance; may be nil.
	Observe func(context.Context, Event)
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Sleep waits; nil means a timer that ends early with the context.
	Sleep func(context.Context, time.Duration) error
	// Wrap puts something around the HTTP transport to the appliance, such as a check of the contract in tests; nil means
	// nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Event describes one finished request. Its path is a template.
type Event = transport.Event

func (c Config) check() error {
	switch {
	case c.User == "":
		return errors.New("no user of vSAN Data Protection is given")
	case c.Timeout < 0:
		return errors.New("the time limit of a request must not be negative")
	}
	return nil
}

// address reads a host, host:port or URL.
func address(what, server, path string) (*url.URL, error) {
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
		// The parser's own error quotes the whole input, which may hold a password.
		return nil, fmt.Errorf("the %s is not a host, host:port or URL", what)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the URL of the %s must not carry a user or password; set them by their own arguments", what)
	}
	if err := transport.CheckScheme(u); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = path
	}
	return u, nil
}
