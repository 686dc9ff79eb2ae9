// Configuration of a Client and its checks: everything that can be said without a connection.

package vsphere

import (
	"errors"
	"net/url"

	"github.com/google/uuid"

	"terraform-provider-vsla/internal/transport"
)

// Config configures the client of one vCenter. The zero values of the optional fields are usable.
type Config struct {
	// Server is a host, host:port or URL. A URL must not carry user information.
	Server string
	// User and Password authenticate both protocols.
	User, Password string
	// Credentials are shared with other clients of the vCenter, user and password; nil means not shared.
	Credentials *transport.Credentials
	// RequestsPerSecond bounds REST requests from the start; zero means that a bound is set when vCenter first refuses a
	// request for its load.
	RequestsPerSecond float64

	transport.Settings
}

// Event describes one finished REST request.
type Event = transport.Event

// check sets the defaults of the configuration and returns the SOAP endpoint's URL. It opens no connection.
func (c *Config) check() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("no vCenter user is given")
	case c.RequestsPerSecond < 0:
		return nil, errors.New("the limit of requests a second must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	if c.Credentials == nil {
		c.Credentials = transport.NewCredentials()
	}
	return transport.Address("vCenter server", c.Server, "/sdk")
}

// newURN returns an id in the form that vCenter uses for categories ("InventoryServiceCategory") and tags
// ("InventoryServiceTag"). Create calls choose their id (accepted since vSphere 6.7), so that a create whose answer was
// lost can be repeated without doing it twice.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }
