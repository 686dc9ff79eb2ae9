package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"terraform-provider-vsla/internal/transport"
)

var kinds = transport.NewKinds()

// Sentinel errors, to be tested with errors.Is. Most of them wrap the error of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege. vCenter also returns this error if the object to be
	// tagged does not exist.
	ErrPermission = kinds.Permission
	// ErrConflict is returned if an object with the same name already exists.
	ErrConflict = kinds.Conflict
	// ErrInvalid is returned if vCenter rejects the request as invalid.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if vCenter rejects the user name or password.
	ErrLogin = kinds.Login
	// ErrPasswordExpired is returned if the password is correct but has expired. It wraps ErrLogin.
	ErrPasswordExpired = transport.NewKind("the password has expired", ErrLogin)
	// ErrLimited is returned if vCenter still throttles the request after all retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable is returned if there is still no usable response after all retries. The request might have taken
	// effect.
	ErrUnavailable = kinds.Unavailable
	// ErrCertificate is returned if the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost is returned if the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous is returned if a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrUncertain is returned if it is unknown whether a change took effect.
	ErrUncertain = kinds.Uncertain
	// ErrNoOperation is returned if the release lacks the operation or its services are still starting.
	ErrNoOperation = transport.NewKind("no such operation", transport.ErrUnavailable)
	// ErrNotVCenter is returned if the server responds but does not offer a vCenter login.
	ErrNotVCenter = errors.New("the server does not offer a vCenter login")
	// ErrSessionLimit is returned if the user has reached vCenter's session limit.
	ErrSessionLimit = transport.NewKind("too many sessions", transport.ErrUnavailable)
)

func isOverloaded(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable)
}

func soapError(ctx context.Context, op string, err error) error {
	var (
		lookup   *transport.NameError
		interval *IntervalError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lookup), errors.As(err, &interval), errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid),
		errors.Is(err, ErrUncertain):
		// Errors of this package are already classified.
		return fmt.Errorf("%s: %w", op, err)
	case fault.Is(err, &types.NotAuthenticated{}):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.PasswordExpired{}):
		return fmt.Errorf("%s: %w", op, ErrPasswordExpired)
	case isInvalidLogin(err):
		return fmt.Errorf("%s: %w", op, ErrLogin)
	case fault.Is(err, &types.NoPermission{}):
		return fmt.Errorf("%s: %w: %w", op, ErrPermission, err)
	case isSessionObjectGone(err):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.ManagedObjectNotFound{}):
		return fmt.Errorf("%s: %w: %w", op, ErrNotFound, err)
	case isHostUnreachable(err):
		return fmt.Errorf("%s: %w: %w", op, ErrUnavailable, err)
	case soap.IsSoapFault(err):
		// A retry would return the same fault.
		return fmt.Errorf("%s: %w: %w", op, ErrInvalid, err)
	default:
		return kinds.NoResponse(ctx, ctx, op, 0, err)
	}
}

// loginError classifies a login error. It keeps only the status and the fault type, because the text may quote the
// password. A 401 means that the login was rejected, not that a session has expired.
func loginError(ctx context.Context, op string, err error) error {
	classified := soapError(ctx, op, err)
	switch status := transport.SOAPStatus(err); {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%s: %w (HTTP %d)", op, ErrLogin, status)
	case status == http.StatusNotFound:
		return fmt.Errorf("%s: %w (HTTP %d)", op, ErrNotVCenter, status)
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return fmt.Errorf("%s: %w (HTTP %d)", op, kinds.FromStatus(status), status)
	case isNotXML(err):
		return transport.AsLoginError(fmt.Errorf("%s: %w: %w", op, transport.ErrNotDocumented, ErrUnavailable))
	case soap.IsSoapFault(err) && !errors.Is(classified, ErrLogin):
		return transport.NewKind(fmt.Sprintf("%s: fault %T", op, soap.ToSoapFault(err).VimFault()), classified)
	}
	return classified
}

// isNotXML reports whether the response to a SOAP request is of another protocol, for example the page of a proxy.
func isNotXML(err error) bool {
	_, isElement := errors.AsType[xml.UnmarshalError](err)
	_, isSyntax := errors.AsType[*xml.SyntaxError](err)
	return isElement || isSyntax
}

func isInvalidLogin(err error) bool {
	var refused types.BaseInvalidLogin
	_, ok := fault.As(err, &refused)
	return ok
}

// isHostUnreachable reports whether a fault means that vCenter could not reach a host, for example HostNotReachable or
// HostNotConnected.
func isHostUnreachable(err error) bool {
	var communication types.BaseHostCommunication
	_, ok := fault.As(err, &communication)
	return ok
}

// isSessionObjectGone reports whether a fault means that a view or a property collector does not exist. Both end with
// their session, so the session must have been replaced.
func isSessionObjectGone(err error) bool {
	var notFound *types.ManagedObjectNotFound
	if _, ok := fault.As(err, &notFound); !ok {
		return false
	}
	return notFound.Obj.Type == "ContainerView" || notFound.Obj.Type == "PropertyCollector"
}
