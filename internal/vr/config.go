package vr

import (
	"cmp"
	"errors"
	"net/url"

	"terraform-provider-vsla/internal/transport"
)

const (
	// DefaultRequestsPerMinute leaves a margin below the limit of 50 requests per minute in each session, which applies
	// to release 8.8 and later.
	DefaultRequestsPerMinute = 45
)

// Config is the configuration of a Client. Optional fields can be zero.
type Config struct {
	// Server is the gateway's address: a host, host:port or URL without user information. A path in the URL replaces
	// the default API path.
	Server string
	// User and Password are the credentials of a vCenter account at the gateway's site.
	User     string
	Password string
	// RemoteUser and RemotePassword are used to log in to the remote site of a pairing. Most calls for a pairing
	// require them, unless the pairing connects a vCenter to itself.
	RemoteUser     string
	RemotePassword string
	// Credentials and RemoteCredentials can be shared with other clients that use the same accounts. If nil, the client
	// creates its own.
	Credentials       *transport.Credentials
	RemoteCredentials *transport.Credentials
	// RequestsPerMinute is the maximum number of requests per minute, including a burst of up to ten. 0 means no limit.
	RequestsPerMinute int

	transport.Settings
}

const basePath = "/api/rest/vr/v2"

// complete sets defaults, validates the configuration and returns the API URL.
func (c *Config) complete() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("the replication server user is not set")
	case c.RequestsPerMinute < 0:
		return nil, errors.New("the number of requests per minute must not be negative")
	}
	c.Credentials = cmp.Or(c.Credentials, transport.NewCredentials())
	c.RemoteCredentials = cmp.Or(c.RemoteCredentials, transport.NewCredentials())
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return transport.ParseAddress("replication server", c.Server, basePath)
}

// Event describes a completed request. Its path is a template, for example "/pairings/{pairing_id}/replications".
type Event = transport.Event
