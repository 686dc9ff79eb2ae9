package vr

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

var kinds = transport.NewKinds()

// Sentinels of the package; test with errors.Is. Those of general kinds wrap the kind of the same name in package
// transport.
var (
	// ErrNotFound: the object does not exist, or the user may not see it.
	ErrNotFound = kinds.NotFound
	// ErrPermission: the user may not do this.
	ErrPermission = kinds.Permission
	// ErrInvalid: the gateway refuses the request as it stands.
	ErrInvalid = kinds.Invalid
	// ErrSession: the session is not, or no longer, valid.
	ErrSession = kinds.Session
	// ErrLogin: the gateway refuses the user or password.
	ErrLogin = kinds.Login
	// ErrLimited: the gateway's request limit refused the request, even after retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable: no usable response. The request may have taken effect.
	ErrUnavailable = kinds.Unavailable
	// ErrUncertain: it is not known whether the change was made.
	ErrUncertain = kinds.Uncertain
	// ErrCertificate: the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost: the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous: a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrRemoteLogin: the other site refuses the user or password. It comes with ErrRemote.
	ErrRemoteLogin = transport.Kind("login at the remote site refused", transport.ErrLogin)
	// ErrNoRemoteUser: the configuration contains no user for the other site. It comes with ErrRemote.
	ErrNoRemoteUser = errors.New("no user for the remote site is configured")
	// ErrRemote: no session at the other site could be opened, so the reading would be incomplete.
	ErrRemote = errors.New("no session at the remote site")
	// ErrApart: the two sites of a pairing are not connected.
	ErrApart = errors.New("the sites of the pairing are not connected")
	// ErrPairing: the gateway has no such pairing.
	ErrPairing = errors.New("there is no such pairing")
	// ErrPartial: the answer is announced as incomplete, or lacks what it must contain.
	ErrPartial = errors.New("the answer is incomplete")
	// ErrVersion: the server has no vSphere Replication REST API v2.
	ErrVersion = errors.New("the server has no vSphere Replication REST API v2")
	// ErrTask: the gateway accepted the request, and its task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost: the gateway no longer knows the task, so its outcome has to be read from what it worked on.
	ErrTaskLost = errors.New("the task is not known any more")
)

// reduce leaves status and code of an answer to a login: anything else may quote the password.
func reduce(e *transport.APIError) {
	e.Messages, e.OperationID = nil, ""
	if strings.ContainsFunc(e.Type, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		e.Type = ""
	}
}

// TaskError is a task that ended without success.
type TaskError struct {
	Task Task
}

// Error returns the gateway's reason.
func (e *TaskError) Error() string {
	s := fmt.Sprintf("task %s ended with status %s", e.Task.ID, e.Task.Status)
	if e.Task.Description != "" {
		s += " (" + e.Task.Description + ")"
	}
	if e.Task.Message != "" {
		s += ": " + e.Task.Message
	}
	if e.Task.Details != "" && e.Task.Details != e.Task.Message {
		s += " (" + e.Task.Details + ")"
	}
	return s
}

// Unwrap returns the sentinel.
func (e *TaskError) Unwrap() error { return ErrTask }

// answerError classifies an answer whose status is not a success. The body may be the API's JSON, a proxy's HTML or
// nothing.
func answerError(r request, status int, body []byte) *transport.APIError {
	var doc struct {
		Code        string `json:"error_code"`
		Message     string `json:"message"`
		OperationID string `json:"op_id"`
	}
	e := &transport.APIError{Operation: r.String(), Status: status, Kind: kindOf(status)}
	if json.Unmarshal(body, &doc) == nil {
		e.Type, e.OperationID = doc.Code, doc.OperationID
		if message := strings.TrimSpace(doc.Message); message != "" {
			e.Messages = []string{message}
		}
	}
	if limits(e) {
		e.Kind = ErrLimited
	}
	return e
}

// limits reports whether an answer is the gateway's request limit under another status than 429: appliances answer one
// with 403 or 503 and a code or message about it. Nothing was done then.
func limits(e *transport.APIError) bool {
	if e.Status != http.StatusForbidden && e.Status != http.StatusServiceUnavailable {
		return false
	}
	text := strings.ToLower(strings.ReplaceAll(e.Type, "_", " ") + " " + strings.Join(e.Messages, " "))
	for _, words := range []string{"rate limit", "request limit", "too many requests", "throttl"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

func kindOf(status int) error {
	if status == http.StatusConflict { // of states, not of names
		return ErrInvalid
	}
	return kinds.OfStatus(status)
}

type metaError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

// partial returns an error for the announced missing parts; nil without any.
func partial(r request, missing []metaError) error {
	if len(missing) == 0 {
		return nil
	}
	parts := make([]string, 0, len(missing))
	for _, m := range missing {
		parts = append(parts, strings.Trim(strings.Join([]string{m.Field, m.Code, m.Message}, " "), " "))
	}
	return fmt.Errorf("%s: %w: %s", r, ErrPartial, strings.Join(parts, "; "))
}
