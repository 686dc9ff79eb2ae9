package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kinds of failures. Each client wraps them in its own sentinels (see Kinds), so that callers can distinguish a vCenter
// failure from a vSphere Replication failure.
var (
	// ErrNotFound means that the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrPermission means that the user lacks a privilege.
	ErrPermission = errors.New("permission denied")
	// ErrConflict means that an object with that name already exists.
	ErrConflict = errors.New("already exists")
	// ErrInvalid means that the service rejected the request as invalid.
	ErrInvalid = errors.New("rejected as invalid")
	// ErrSession means that the session is missing or has expired.
	ErrSession = errors.New("not authenticated")
	// ErrLogin means that the service rejected the user name or password.
	ErrLogin = errors.New("login rejected")
	// ErrLimited means that the service throttled the request.
	ErrLimited = errors.New("too many requests")
	// ErrUnavailable means that the service did not return a usable response. The request might still have taken
	// effect.
	ErrUnavailable = errors.New("no usable response")
	// ErrUncertain means that the outcome of a change is unknown.
	ErrUncertain = errors.New("outcome unknown")
	// ErrCertificate means that the server's certificate is not trusted.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrUnknownHost means that the server's name cannot be resolved.
	ErrUnknownHost = errors.New("unknown host")
	// ErrAmbiguous means that several objects have the same name.
	ErrAmbiguous = errors.New("the name is not unique")
	// ErrNotDocumented means that a response does not match the documented API.
	ErrNotDocumented = errors.New("the response does not match the documented API")
)

// NameError reports a name that matches no object or more than one.
type NameError struct {
	// What is the object type, for example "category".
	What string
	Name string
	// Names lists the existing names. It is nil if they were not read.
	Names []string
	Err   error
}

// Error implements error.
func (e *NameError) Error() string { return fmt.Sprintf("%s %q: %v", e.What, e.Name, e.Err) }

// Unwrap returns the sentinel.
func (e *NameError) Unwrap() error { return e.Err }

// Existing returns the requested name and the existing names.
func (e *NameError) Existing() (name string, names []string) { return e.Name, e.Names }

// Kinds are the sentinel errors of one service. Each wraps the Err variable of the same name.
type Kinds struct {
	NotFound    error
	Permission  error
	Conflict    error
	Invalid     error
	Session     error
	Login       error
	Limited     error
	Unavailable error
	Uncertain   error
	Certificate error
	UnknownHost error
	Ambiguous   error
}

// NewKinds returns sentinels that differ from those of other services.
func NewKinds() Kinds {
	wrap := func(kind error) error { return NewKind(kind.Error(), kind) }
	return Kinds{
		NotFound:    wrap(ErrNotFound),
		Permission:  wrap(ErrPermission),
		Conflict:    wrap(ErrConflict),
		Invalid:     wrap(ErrInvalid),
		Session:     wrap(ErrSession),
		Login:       wrap(ErrLogin),
		Limited:     wrap(ErrLimited),
		Unavailable: wrap(ErrUnavailable),
		Uncertain:   wrap(ErrUncertain),
		Certificate: wrap(ErrCertificate),
		UnknownHost: wrap(ErrUnknownHost),
		Ambiguous:   wrap(ErrAmbiguous),
	}
}

// NewKind returns a sentinel that has the given text and wraps kind.
func NewKind(text string, kind error) error { return &sentinel{text, kind} }

type sentinel struct {
	text string
	kind error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.kind }

// FromStatus maps the HTTP status of a failed request to a kind.
func (k Kinds) FromStatus(status int) error {
	switch {
	case status == http.StatusUnauthorized:
		return k.Session
	case status == http.StatusForbidden:
		return k.Permission
	case status == http.StatusNotFound:
		return k.NotFound
	case status == http.StatusConflict:
		return k.Conflict
	case status == http.StatusTooManyRequests:
		return k.Limited
	case status >= http.StatusInternalServerError:
		return k.Unavailable
	default:
		return k.Invalid
	}
}

// NoResponse classifies the error of a request that received no response. bounded is ctx with the request's time limit.
// The result wraps ctx.Err() if ctx is done, or Uncertain if only the time limit was exceeded.
func (k Kinds) NoResponse(ctx, bounded context.Context, op string, limit time.Duration, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", op, ctx.Err())
	case bounded.Err() != nil:
		// Uncertain is not retried, because a retry would also time out.
		return fmt.Errorf("%s: no response within %s: %w", op, limit, k.Uncertain)
	case isRedirect(err), errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%s: %w", op, err) // wraps no sentinel, so it is not retried
	case IsCertificateError(err):
		return fmt.Errorf("%s: %w: %w", op, k.Certificate, err)
	case IsUnknownHost(err):
		return fmt.Errorf("%s: %w: %w", op, k.UnknownHost, err)
	default:
		return fmt.Errorf("%s: %w: %w", op, k.Unavailable, err)
	}
}

func isRedirect(err error) bool {
	_, ok := errors.AsType[*RedirectError](err)
	return ok
}

// IsRefused reports whether the server refused a connection because nothing listens at its address. A connection that
// a proxy refused does not count.
func IsRefused(err error) bool {
	network, ok := errors.AsType[*net.OpError](err)
	return ok && network.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED)
}

// IsUnknownHost reports whether a request failed because the server's name cannot be resolved.
func IsUnknownHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// loginError is the error of a login whose response nobody understands.
type loginError struct{ error }

// Unwrap returns the error of the request.
func (e *loginError) Unwrap() error { return e.error }

// AsLoginError marks ErrNotDocumented as the error of a login. AwaitRetry repeats it only once, because each login
// might open a session that nobody closes.
func AsLoginError(err error) error {
	if !errors.Is(err, ErrNotDocumented) {
		return err
	}
	return &loginError{err}
}

// MayHaveTakenEffect reports whether the request may have taken effect despite the error.
func MayHaveTakenEffect(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrTooLarge)
}

// SOAPStatus returns the HTTP status of a failed SOAP request, or 0 if there is none. govmomi exposes the status only
// as text.
func SOAPStatus(err error) int {
	wrapped, ok := errors.AsType[*url.Error](err)
	if !ok {
		return 0
	}
	code, _, _ := strings.Cut(wrapped.Err.Error(), " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < http.StatusMultipleChoices || status > 599 {
		return 0
	}
	return status
}

// WithoutURL removes the URL from a net/http error, because the URL may contain IDs.
func WithoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
