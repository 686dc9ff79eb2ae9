package snapservice

import (
	"encoding/json"
	"errors"
	"net/http"

	"terraform-provider-vsla/internal/dev/lab/order"
)

type message struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

// refusal is an error response.
type refusal struct {
	Type     string    `json:"error_type"`
	Messages []message `json:"messages"`
}

func (r *refusal) Error() string { return r.Type }

// statuses maps error types to HTTP statuses. Other types have status 400.
var statuses = map[string]int{
	"UNAUTHENTICATED":     http.StatusUnauthorized,
	"NOT_FOUND":           http.StatusNotFound,
	"OPERATION_NOT_FOUND": http.StatusNotFound,
	"ERROR":               http.StatusInternalServerError,
}

func answerError(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{"ERROR", newMessages(err.Error())}
	}
	status, known := statuses[r.Type]
	if !known {
		status = http.StatusBadRequest
	}
	writeJSON(w, status, r)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status = http.StatusInternalServerError
		text = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// items returns a response with a list, in the order of the package order.
func items[T any](list []T) any {
	if list == nil {
		list = []T{}
	}
	order.By(list, func(item T) string {
		text, _ := json.Marshal(item)
		return string(text)
	})
	return map[string]any{"items": list}
}

// decode decodes the body of a request. It refuses unknown fields.
func decode(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return newRefusal("UNEXPECTED_INPUT", err.Error())
	}
	return nil
}

func newMessages(list ...string) []message {
	messages := make([]message, 0, len(list))
	for _, text := range list {
		messages = append(messages, message{"com.vmware.snapservice.text", text, []string{}})
	}
	return messages
}

func newRefusal(kind, text string) error { return &refusal{kind, newMessages(text)} }
