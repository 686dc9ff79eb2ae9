// What can go wrong at a vCenter, as sentinels, and the one place that classifies answers into them.

package vsphere

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

// Sentinels of the package; test with errors.Is.
var (
	// ErrNotFound: the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrPermission: the user may not do this, or (vCenter gives the same answer) the object to tag does not exist.
	ErrPermission = errors.New("permission denied")
	// ErrConflict: an object of that name exists already.
	ErrConflict = errors.New("already exists")
	// ErrInvalid: vCenter refuses the request as it stands.
	ErrInvalid = errors.New("refused as invalid")
	// ErrSession: the session is not, or no longer, valid.
	ErrSession = errors.New("not authenticated")
	// ErrLogin: vCenter refuses the user or password.
	ErrLogin = errors.New("login refused")
	// ErrUnavailable: no usable answer, even after repeating the request. What it was to do may have been done.
	ErrUnavailable = errors.New("no usable answer")
	// ErrCertificate: the server's certificate is not trusted.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrAmbiguous: a name that should identify one object fits several.
	ErrAmbiguous = errors.New("the name is not unique")
	// ErrUncertain: it is not known whether the change was made.
	ErrUncertain = errors.New("outcome unknown")
)

// APIError is an answer of the REST API that is not a success.
type APIError struct {
	// Operation says what was asked, for example "POST tag".
	Operation string
	// OperationID finds the request in vCenter's logs.
	OperationID string
	// Status is the HTTP status.
	Status int
	// Type is the last part of the vAPI error type, for example "already_exists"; may be empty.
	Type string
	// Messages are vCenter's own; may be empty.
	Messages []string
	kind     error
}

// Error returns one line without any credential.
func (e *APIError) Error() string {
	s := fmt.Sprintf("%s: %v (HTTP %d", e.Operation, e.kind, e.Status)
	if e.Type != "" {
		s += " " + e.Type
	}
	s += ", operation " + e.OperationID + ")"
	if len(e.Messages) > 0 {
		s += ": " + strings.Join(e.Messages, "; ")
	}
	return s
}

// Unwrap returns the sentinel.
func (e *APIError) Unwrap() error { return e.kind }

type localizableMessage struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

// answerError classifies a REST answer whose status is not a success. The body may be vAPI's JSON, text or nothing:
// vCenter's front proxy and older releases differ.
func answerError(op, opID string, status int, body []byte) *APIError {
	var doc struct {
		Type  string `json:"type"`
		Value struct {
			Messages []localizableMessage `json:"messages"`
		} `json:"value"`
		Messages []localizableMessage `json:"messages"`
	}
	e := &APIError{Operation: op, OperationID: opID, Status: status}
	if json.Unmarshal(body, &doc) == nil {
		e.Type = doc.Type[strings.LastIndexByte(doc.Type, '.')+1:]
		for _, m := range append(doc.Value.Messages, doc.Messages...) {
			if m.Default != "" {
				e.Messages = append(e.Messages, m.Default)
			}
		}
	}
	e.kind = kindOf(status, e.Type)
	return e
}

func kindOf(status int, vapiType string) error {
	switch vapiType {
	case "already_exists":
		return ErrConflict
	case "not_found":
		return ErrNotFound
	case "unauthenticated":
		return ErrSession
	case "unauthorized":
		return ErrPermission
	case "service_unavailable", "timed_out":
		return ErrUnavailable
	}
	switch {
	case status == http.StatusUnauthorized:
		return ErrSession
	case status == http.StatusForbidden:
		return ErrPermission
	case status == http.StatusNotFound:
		return ErrNotFound
	case status == http.StatusConflict:
		return ErrConflict
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return ErrUnavailable
	default:
		return ErrInvalid
	}
}

// overloaded reports whether a service refused a request for its load.
func overloaded(err error) bool {
	e, ok := errors.AsType[*APIError](err)
	return ok && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable)
}

// transportError classifies a failure to get any answer. The parent context's end is never dressed up as something
// else.
func transportError(ctx context.Context, op string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", op, ctx.Err())
	case transport.CertificateRefused(err):
		return fmt.Errorf("%s: %w: %w", op, ErrCertificate, err)
	case transport.UnknownHost(err):
		return fmt.Errorf("%s: the server's name is not known: %w", op, err)
	default:
		return fmt.Errorf("%s: %w: %w", op, ErrUnavailable, err)
	}
}

// soapError classifies a SOAP fault or a transport failure of a SOAP call.
func soapError(ctx context.Context, op string, err error) error {
	var (
		lookup   *LookupError
		interval *IntervalError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lookup), errors.As(err, &interval), errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid):
		// This package's own, found in an answer.
		return fmt.Errorf("%s: %w", op, err)
	case fault.Is(err, &types.NotAuthenticated{}):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.InvalidLogin{}):
		return fmt.Errorf("%s: %w", op, ErrLogin)
	case fault.Is(err, &types.NoPermission{}):
		return fmt.Errorf("%s: %w: %w", op, ErrPermission, err)
	case fault.Is(err, &types.ManagedObjectNotFound{}):
		return fmt.Errorf("%s: %w: %w", op, ErrNotFound, err)
	case soap.IsSoapFault(err):
		// An answer, and the same one however often it is asked for.
		return fmt.Errorf("%s: %w: %w", op, ErrInvalid, err)
	default:
		return transportError(ctx, op, err)
	}
}
