// Configuration of a Client and its checks: everything that can be said without a connection.

package vr

import (
	"errors"
	"net/url"

	"terraform-provider-vsla/internal/transport"
)

const (
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
	// Credentials and RemoteCredentials are shared with other clients that log in with the same user and password; nil
	// means not shared.
	Credentials, RemoteCredentials *transport.Credentials
	// RequestsPerMinute is the client's own limit, after a burst of ten; 0 means none.
	RequestsPerMinute int

	transport.Settings
}

// Event describes one finished request. Its path is a template, for example "/pairings/{pairing_id}/replications".
type Event = transport.Event

// base checks the configuration, sets its defaults and returns the URL of the API. It opens no connection.
func (c *Config) base() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("no user of the replication server is given")
	case c.RequestsPerMinute < 0:
		return nil, errors.New("the number of requests a minute must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return transport.Address("replication server", c.Server, basePath)
}
