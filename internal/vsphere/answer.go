package vsphere

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

const (
	// endpointIDPrefix is the prefix of the message IDs that the REST endpoint itself returns. A 404 with such an ID
	// means that the operation, not the object, does not exist.
	endpointIDPrefix = "com.vmware.vapi.rest."
	// sessionLimitID is part of the message ID that is returned when a login would exceed the session limit.
	sessionLimitID = "failedToLoginMaxUserSessionCountReached"
	// missingFieldID is the message ID for a missing field. vCenter sometimes returns it although the field was sent.
	missingFieldID = "vapi.data.structure.field.missing"
	// wrappedUnauthenticated appears in the 400 response that some services return after the session has expired.
	wrappedUnauthenticated = "com.vmware.vapi.std.errors.unauthenticated"
)

type localizableMessage struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

// parseError classifies an unsuccessful REST response. Depending on the release and on whether vCenter's front proxy
// responded, the body is vAPI JSON, text or empty. Below /rest, "type" is a name such as
// "com.vmware.vapi.std.errors.not_found". Below /api, "error_type" is a constant such as "NOT_FOUND".
func parseError(op, opID string, status int, body []byte) *transport.APIError {
	var doc struct {
		Type      string `json:"type"`
		ErrorType string `json:"error_type"`
		Value     struct {
			Messages []localizableMessage `json:"messages"`
		} `json:"value"`
		Messages []localizableMessage `json:"messages"`
	}
	e := &transport.APIError{Operation: op, OperationID: opID, Status: status}
	if json.Unmarshal(body, &doc) == nil {
		e.Type = doc.Type[strings.LastIndexByte(doc.Type, '.')+1:]
		if e.Type == "" {
			e.Type = strings.ToLower(doc.ErrorType)
		}
		for _, m := range append(doc.Value.Messages, doc.Messages...) {
			e.MessageIDs = append(e.MessageIDs, m.ID)
			if m.Default != "" {
				e.Messages = append(e.Messages, m.Default)
			}
		}
	}
	e.Kind = errorKind(e, body)
	return e
}

func errorKind(e *transport.APIError, body []byte) error {
	hasID := func(part string) bool {
		return slices.ContainsFunc(e.MessageIDs, func(id string) bool { return strings.Contains(id, part) })
	}
	switch {
	case e.Status == http.StatusBadRequest && bytes.Contains(body, []byte(wrappedUnauthenticated)):
		return ErrSession
	case e.Status == http.StatusServiceUnavailable && hasID(sessionLimitID):
		return ErrSessionLimit
	case e.Status == http.StatusNotFound && (e.Type == "operation_not_found" || hasID(endpointIDPrefix)),
		e.Status == http.StatusMethodNotAllowed:
		return ErrNoOperation
	}
	switch e.Type {
	case "already_exists":
		return ErrConflict
	case "concurrent_change":
		return ErrUnavailable // another change to the object is in progress
	case "not_found":
		return ErrNotFound
	case "unauthenticated":
		return ErrSession
	case "unauthorized":
		return ErrPermission
	case "service_unavailable", "timed_out":
		return ErrUnavailable
	}
	return kinds.FromStatus(e.Status)
}

// isUntyped404 reports whether an error is a 404 without an error type, which may come from a proxy.
func isUntyped404(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && e.Status == http.StatusNotFound && e.Type == ""
}

func isMissingField(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && e.Status == http.StatusBadRequest && slices.Contains(e.MessageIDs, missingFieldID)
}
