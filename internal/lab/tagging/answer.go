// Answers in vAPI's shapes.

package tagging

import (
	"encoding/json"
	"net/http"
)

type message struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

type batch struct {
	Success  bool      `json:"success"`
	Messages []message `json:"error_messages"`
}

// fault is an error of the service.
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

func exists(kind, name string) *fault {
	return newFault(
		http.StatusBadRequest,
		"already_exists",
		"cis.tagging.already_exists",
		"A "+kind+" of this name exists already.",
		[]string{name},
	)
}

func notFound(id string) *fault {
	return newFault(http.StatusNotFound, "not_found", "cis.tagging.not_found", "There is no such object.", []string{id})
}

func unauthorized(text string, args ...string) *fault {
	return newFault(http.StatusForbidden, "unauthorized", "cis.tagging.unauthorized", text, args)
}

// Unauthenticated answers a request without a valid session.
func Unauthenticated(w http.ResponseWriter) {
	newFault(http.StatusUnauthorized, "unauthenticated", "com.vmware.vapi.endpoint.method.authentication.required",
		"Authentication required.", nil).write(w)
}

func (f *fault) write(w http.ResponseWriter) {
	write(w, f.status, map[string]any{
		"type":  "com.vmware.vapi.std.errors." + f.kind,
		"value": map[string]any{"messages": f.messages},
	})
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // the shapes are fixed; an error is a client that went away
}

// Value answers with the envelope of the /rest endpoints.
func Value(w http.ResponseWriter, v any) { write(w, http.StatusOK, map[string]any{"value": v}) }
