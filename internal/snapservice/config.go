// Configuration of a Client.

package snapservice

import "terraform-provider-vsla/internal/transport"

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

	transport.Settings
}

// Event describes one finished request. Its path is a template.
type Event = transport.Event
