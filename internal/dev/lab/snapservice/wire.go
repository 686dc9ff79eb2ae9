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

func texts(list ...string) []message {
	messages := make([]message, 0, len(list))
	for _, text := range list {
		messages = append(messages, message{"com.vmware.snapservice.text", text, []string{}})
	}
	return messages
}

// refusal is an error of the API.
type refusal struct {
	Type     string    `json:"error_type"`
	Messages []message `json:"messages"`
}

// Error returns the type.
func (r *refusal) Error() string { return r.Type }

func refuse(kind, text string) error { return &refusal{kind, texts(text)} }

// statuses are the statuses of the error types; all others are 400.
var statuses = map[string]int{
	"UNAUTHENTICATED": http.StatusUnauthorized, "UNAUTHORIZED": http.StatusForbidden,
	"NOT_FOUND": http.StatusNotFound, "OPERATION_NOT_FOUND": http.StatusNotFound,
	"ERROR": http.StatusInternalServerError,
}

func answerError(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{"ERROR", texts(err.Error())}
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
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// items returns the response of a listing.
func items[T any](list []T) any {
	if list == nil {
		list = []T{}
	}
	order.By(list, func(item T) string {
		text, _ := json.Marshal(item) // maps and texts always marshal
		return string(text)
	})
	return map[string]any{"items": list}
}

// read decodes a body and rejects unknown fields.
func read(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return refuse("UNEXPECTED_INPUT", err.Error())
	}
	return nil
}
