package vr

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

var kinds = transport.NewKinds()

// Sentinel errors, for use with errors.Is. Each error from kinds wraps the error of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist or is not visible to the user.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege.
	ErrPermission = kinds.Permission
	// ErrInvalid is returned if the gateway rejects the request as invalid.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if the gateway rejects the user name or password.
	ErrLogin = kinds.Login
	// ErrLimited is returned if the gateway still throttles the request after all retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable is returned if there is no usable response. The request might have taken effect.
	ErrUnavailable = kinds.Unavailable
	// ErrUncertain is returned if it is unknown whether a change took effect.
	ErrUncertain = kinds.Uncertain
	// ErrCertificate is returned if the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost is returned if the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous is returned if a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrRemoteLogin is returned together with ErrRemote if the remote site rejects the user name or password.
	ErrRemoteLogin = transport.NewKind("login to the remote site rejected", transport.ErrLogin)
	// ErrNoRemoteUser is returned together with ErrRemote if no user or no password for the remote site is configured.
	ErrNoRemoteUser = errors.New("no user or no password for the remote site is configured")
	// ErrRemote is returned if a session at the remote site cannot be opened. Without such a session, responses would
	// be incomplete.
	ErrRemote = errors.New("no session at the remote site")
	// ErrDisconnected is returned if the two sites of a pairing are not connected.
	ErrDisconnected = errors.New("the sites of the pairing are not connected")
	// ErrPairing is returned if the pairing does not exist.
	ErrPairing = errors.New("the pairing does not exist")
	// ErrPartial is returned if the gateway marks a response as incomplete or if required parts are missing.
	ErrPartial = errors.New("the response is incomplete")
	// ErrVersion is returned if the server does not provide the vSphere Replication REST API v2.
	ErrVersion = errors.New("the server does not provide the vSphere Replication REST API v2")
	// ErrTask is returned if the gateway accepted the request but the task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost is returned if the gateway no longer has a record of the task. The caller must read the object to
	// learn the outcome.
	ErrTaskLost = errors.New("the task no longer exists")
)

// TaskError is returned if a task fails.
type TaskError struct {
	Task Task
}

// Error returns the reason reported by the gateway.
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

// Unwrap returns ErrTask.
func (e *TaskError) Unwrap() error { return ErrTask }

// isRateLimit reports whether a 403 or 503 response has an error code or message that refers to the gateway's request
// limit. The gateway has not processed such a request.
func isRateLimit(e *transport.APIError) bool {
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

func kindFromStatus(status int) error {
	if status == http.StatusConflict { // a conflicting state, not a name conflict
		return ErrInvalid
	}
	return kinds.FromStatus(status)
}

type metaError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}
