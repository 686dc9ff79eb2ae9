package transport

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// APIError is an unsuccessful response.
type APIError struct {
	// Operation identifies the request, for example "POST tag".
	Operation string
	// OperationID identifies the request in the service's logs. It may be empty.
	OperationID string
	// Status is the HTTP status.
	Status int
	// Type is the service's own type or code of the error. The response of a proxy has none.
	Type string
	// Messages are the service's own. They may be empty.
	Messages []string
	// MessageIDs are the ids of the messages, if the service has any.
	MessageIDs []string
	// Kind is the sentinel.
	Kind error
}

// Error returns one line without any credential.
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

// Answer returns the unsuccessful response that an error wraps.
func Answer(err error) (*APIError, bool) { return errors.AsType[*APIError](err) }

// starting reports whether a proxy responds that the service behind it does not run: 503 without an error of the
// service.
func starting(err error) bool {
	if e, ok := Answer(err); ok {
		return e.Status == http.StatusServiceUnavailable && e.Type == "" && len(e.Messages) == 0
	}
	return SOAPStatus(err) == http.StatusServiceUnavailable
}
