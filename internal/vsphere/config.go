package vsphere

import (
	"github.com/google/uuid"

	"terraform-provider-vsla/internal/transport"
)

// Config configures a client. Only Server and User are required.
type Config struct {
	// Server is a host, host:port or URL without user information.
	Server string
	// User and Password are used for both the REST and the SOAP login.
	User, Password string
	// Credentials can be shared by clients that use the same account. If nil, the client has its own.
	Credentials *transport.Credentials
	// RequestsPerSecond limits REST requests. If it is 0, requests are limited only after vCenter has throttled one.
	RequestsPerSecond float64

	transport.Settings
}

// Event describes a completed REST request.
type Event = transport.Event

// newURN returns an ID in vCenter's format. kind is "InventoryServiceCategory" or "InventoryServiceTag". vSphere 6.7
// and later accept IDs chosen by the client, so a create can be retried after a lost response without creating a second
// object.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }
