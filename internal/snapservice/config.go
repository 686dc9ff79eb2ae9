package snapservice

import (
	"terraform-provider-vsla/internal/transport"
)

// Config is the configuration of a Client. Optional fields can be zero.
type Config struct {
	// Server is the appliance's address: a host, host:port or URL without user information. A path in the URL replaces
	// /api.
	Server string
	// VCenter is the address of the appliance's vCenter, in the same form as Server. Its STS issues the login token.
	VCenter string
	// User and Password are used to log in to the STS.
	User     string
	Password string
	// Credentials can be shared with other clients for the same vCenter and user. If nil, the client creates its own.
	Credentials *transport.Credentials

	transport.Settings
}

// Event describes a completed request. Its path is a template.
type Event = transport.Event
