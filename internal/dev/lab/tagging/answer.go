package tagging

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Protocol is the format of requests and responses.
type Protocol int

// Supported protocols.
const (
	// REST is the older protocol under /rest. Responses are wrapped in "value", and errors contain "type".
	REST Protocol = iota
	// API is the newer protocol under /api. Responses are not wrapped, success statuses include 201 and 204, and errors
	// contain "error_type".
	API
)

// ProtocolOf returns the protocol used by a request.
func ProtocolOf(r *http.Request) Protocol {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return API
	}
	return REST
}

type message struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

type batch struct {
	Success  bool      `json:"success"`
	Messages []message `json:"error_messages"`
}

type fault struct {
	status   int
	kind     string
	messages []message
}

func newFault(status int, kind, id, text string, args []string) *fault {
	if args == nil {
		args = []string{}
	}
	return &fault{status: status, kind: kind, messages: []message{{ID: id, Default: text, Args: args}}}
}

func invalid(id, text string, args ...string) *fault {
	return newFault(http.StatusBadRequest, "invalid_argument", id, text, args)
}

func missingField(name string) *fault {
	return invalid("vapi.data.structure.field.missing", "The structure is missing a field.", name)
}

func exists(kind, name string) *fault {
	return newFault(http.StatusBadRequest, "already_exists", "cis.tagging.already_exists",
		"A "+kind+" of this name exists already.", []string{name})
}

func notFound(id string) *fault {
	const message = "cis.tagging.objectNotFound.error"
	return newFault(http.StatusNotFound, "not_found", message, "There is no such object.", []string{id})
}

func noSuchOperation(path string) *fault {
	return newFault(http.StatusNotFound, "not_found", "com.vmware.vapi.rest.operationsForUrlNotFound",
		"No operations exist at the URL.", []string{path})
}

func unauthorized(text string, args ...string) *fault {
	return newFault(http.StatusForbidden, "unauthorized", "cis.tagging.unauthorized", text, args)
}

func noPrivilege() *fault { return unauthorized("The user lacks the privilege for this operation.") }

// Unauthenticated rejects a request that has no valid session.
func Unauthenticated(w http.ResponseWriter, p Protocol) {
	newFault(http.StatusUnauthorized, "unauthenticated", "com.vmware.vapi.endpoint.method.authentication.required",
		"Authentication required.", nil).write(w, p)
}

// Answer writes a response with the given status. Under /rest, every successful response has status 200.
func Answer(w http.ResponseWriter, p Protocol, status int, v any) {
	switch {
	case p == REST:
		write(w, http.StatusOK, map[string]any{"value": v})
	case status == http.StatusNoContent:
		w.WriteHeader(status)
	default:
		write(w, status, v)
	}
}

func (f *fault) write(w http.ResponseWriter, p Protocol) {
	content := map[string]any{"messages": f.messages, "error_type": strings.ToUpper(f.kind)}
	if p == REST {
		content = map[string]any{"type": "com.vmware.vapi.std.errors." + f.kind, "value": content}
	}
	write(w, f.status, content)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // fails only if the client disconnects
}

// NoSuchOperation rejects a request for an operation that the release does not have.
func NoSuchOperation(w http.ResponseWriter, r *http.Request) {
	noSuchOperation(r.URL.Path).write(w, ProtocolOf(r))
}

// WrappedUnauthenticated rejects a request with an expired session. As in some vCenter services, the status is 400 and
// the message contains the actual error.
func WrappedUnauthenticated(w http.ResponseWriter, p Protocol) {
	invalid("vapi.method.authentication", "Invocation failed: com.vmware.vapi.std.errors.unauthenticated",
		"com.vmware.vapi.std.errors.unauthenticated").write(w, p)
}

// TooManySessions rejects a login that would exceed the session limit.
func TooManySessions(w http.ResponseWriter, p Protocol, user string, limit int) {
	newFault(
		http.StatusServiceUnavailable,
		"service_unavailable",
		"com.vmware.vapi.endpoint.failedToLoginMaxUserSessionCountReached",
		fmt.Sprintf(
			"User session count is limited to %d. Existing session count is %d for user %s",
			limit,
			limit,
			user,
		),
		[]string{strconv.Itoa(limit), strconv.Itoa(limit), user},
	).write(w, p)
}
