package transport

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// APIError describes an unsuccessful response.
type APIError struct {
	// Operation identifies the request, for example "POST tag".
	Operation string
	// OperationID identifies the request in the service's logs. It can be empty.
	OperationID string
	// Status is the HTTP status.
	Status int
	// Type is the error type or code that the service returned. It is empty if the response came from a proxy.
	Type string
	// Messages are the service's messages. They can be empty.
	Messages []string
	// MessageIDs are the message IDs, if the service returned any.
	MessageIDs []string
	// Kind is the sentinel of the service.
	Kind error
}

// Error returns a single line without credentials.
func (e *APIError) Error() string {
	s := fmt.Sprintf("%s: %v (HTTP %d", e.Operation, e.Kind, e.Status)
	if e.Type != "" {
		s += " " + e.Type
	}
	if e.OperationID != "" {
		s += ", operation " + e.OperationID
	}
	s += ")"
	if len(e.Messages) > 0 {
		s += ": " + strings.Join(e.Messages, "; ")
	}
	return s
}

// Unwrap returns the sentinel.
func (e *APIError) Unwrap() error { return e.Kind }

// AsAPIError returns the APIError that err wraps, if any.
func AsAPIError(err error) (*APIError, bool) { return errors.AsType[*APIError](err) }

// isServiceStarting reports whether a proxy responded on behalf of a service that is not running. Such a response has
// status 503 and contains no service error.
func isServiceStarting(err error) bool {
	if e, ok := AsAPIError(err); ok {
		return e.Status == http.StatusServiceUnavailable && e.Type == "" && len(e.Messages) == 0
	}
	return SOAPStatus(err) == http.StatusServiceUnavailable
}
