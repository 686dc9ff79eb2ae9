// Configuration of a Client and its checks: everything that can be said without a connection.

package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/transport"
)

// DefaultTimeout bounds one request when Config.Timeout is zero.
const DefaultTimeout = 300 * time.Second

// Config configures the client of one vCenter. The zero values of the optional fields are usable.
type Config struct {
	// Server is a host, host:port or URL. A URL must not carry user information.
	Server string
	// User and Password authenticate both protocols.
	User, Password string
	// Credentials are shared with other clients of the vCenter, user and password; nil means not shared.
	Credentials *transport.Credentials
	// Insecure turns certificate checks off.
	Insecure bool
	// CAFile is a PEM bundle that is trusted in place of the system's roots; empty means the system's.
	CAFile string
	// Timeout bounds each single request; zero means DefaultTimeout.
	Timeout time.Duration
	// UserAgent names the client in vCenter's session list.
	UserAgent string
	// Observe is called after every REST request; may be nil.
	Observe func(context.Context, Event)
	// Background returns the context of requests that several callers share; nil means context.Background.
	Background func() context.Context
	// RequestsPerSecond bounds REST requests from the start; zero means that a bound is set when vCenter first refuses a
	// request for its load.
	RequestsPerSecond float64
	// Now is the clock of that bound; nil means time.Now.
	Now func() time.Time
	// Sleep waits between attempts; nil means a timer that ends early with the context.
	Sleep func(context.Context, time.Duration) error
	// Wrap puts something around the HTTP transport of both protocols, such as a record; nil means nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Event describes one finished REST request.
type Event = transport.Event

// endpoint checks the configuration and returns the SOAP endpoint's URL. It opens no connection.
func (c Config) endpoint() (*url.URL, error) {
	switch {
	case strings.TrimSpace(c.Server) == "":
		return nil, errors.New("no vCenter server is given")
	case c.User == "":
		return nil, errors.New("no vCenter user is given")
	case c.RequestsPerSecond < 0:
		return nil, errors.New("the limit of requests a second must not be negative")
	case c.Timeout < 0:
		return nil, errors.New("the time-out of a request must not be negative")
	}
	u, err := soap.ParseURL(c.Server)
	if err != nil || u == nil || u.Hostname() == "" {
		// The parser's own error quotes the whole input, which may hold a password.
		return nil, errors.New("the vCenter server is not a host, host:port or URL")
	}
	if u.User != nil && strings.Contains(c.Server, "@") {
		return nil, errors.New("the vCenter server's URL must not carry a user or password; give them by their own arguments")
	}
	u.User = nil
	if err := transport.CheckScheme(u); err != nil {
		return nil, fmt.Errorf("vCenter server: %w", err)
	}
	if c.CAFile != "" {
		if _, err := transport.Roots(c.CAFile); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// newURN returns an id in the form that vCenter uses for categories ("InventoryServiceCategory") and tags
// ("InventoryServiceTag"). Create calls choose their id (accepted since vSphere 6.7), so that a create whose answer was
// lost can be repeated without doing it twice.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }
