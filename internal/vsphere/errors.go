package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

var kinds = transport.NewKinds()

// Sentinels of the package; test with errors.Is. Each wraps the kind of the same name in package transport.
var (
	// ErrNotFound: the object does not exist.
	ErrNotFound = kinds.NotFound
	// ErrPermission: the user may not do this, or (vCenter returns the same error for both) the object to tag does not
	// exist.
	ErrPermission = kinds.Permission
	// ErrConflict: an object of that name exists already.
	ErrConflict = kinds.Conflict
	// ErrInvalid: vCenter refuses the request as it stands.
	ErrInvalid = kinds.Invalid
	// ErrSession: the session is not, or no longer, valid.
	ErrSession = kinds.Session
	// ErrLogin: vCenter refuses the user or password.
	ErrLogin = kinds.Login
	// ErrPasswordExpired: the password was right until it expired. It is an ErrLogin, too.
	ErrPasswordExpired = transport.Kind("the password has expired", ErrLogin)
	// ErrLimited: vCenter refuses the request because there are too many, even after waiting.
	ErrLimited = kinds.Limited
	// ErrUnavailable: no usable response, even after repeating the request. The request may have taken effect.
	ErrUnavailable = kinds.Unavailable
	// ErrCertificate: the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost: the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous: a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrUncertain: it is not known whether the change was made.
	ErrUncertain = kinds.Uncertain
	// ErrNoOperation: the server does not know the operation: its release has none, or its services are starting.
	ErrNoOperation = transport.Kind("no such operation", transport.ErrUnavailable)
	// ErrNotVCenter: the server answers, but has no login of vCenter.
	ErrNotVCenter = errors.New("the server has no login of vCenter")
	// ErrSessionLimit: the user has as many sessions as vCenter allows.
	ErrSessionLimit = transport.Kind("too many sessions", transport.ErrUnavailable)
)

func overloaded(err error) bool {
	e, ok := transport.Answer(err)
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
		// This package's own, found in an answer.
		return fmt.Errorf("%s: %w", op, err)
	case fault.Is(err, &types.NotAuthenticated{}):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.PasswordExpired{}):
		return fmt.Errorf("%s: %w", op, ErrPasswordExpired)
	case loginRefused(err):
		return fmt.Errorf("%s: %w", op, ErrLogin)
	case fault.Is(err, &types.NoPermission{}):
		return fmt.Errorf("%s: %w: %w", op, ErrPermission, err)
	case ofSession(err):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.ManagedObjectNotFound{}):
		return fmt.Errorf("%s: %w: %w", op, ErrNotFound, err)
	case unreached(err):
		return fmt.Errorf("%s: %w: %w", op, ErrUnavailable, err)
	case soap.IsSoapFault(err):
		// An answer, and the same one however often it is asked for.
		return fmt.Errorf("%s: %w: %w", op, ErrInvalid, err)
	default:
		return kinds.NoAnswer(ctx, ctx, op, 0, err)
	}
}

// loginError is soapError for a login: of the answer it has status and kind of fault, because the text may quote the
// password, and it is final whatever status refuses it.
func loginError(ctx context.Context, op string, err error) error {
	classified := soapError(ctx, op, err)
	switch status := transport.SOAPStatus(err); {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%s: %w (HTTP %d)", op, ErrLogin, status)
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return fmt.Errorf("%s: %w (HTTP %d)", op, kinds.OfStatus(status), status)
	case soap.IsSoapFault(err) && !errors.Is(classified, ErrLogin):
		return transport.Kind(fmt.Sprintf("%s: fault %T", op, soap.ToSoapFault(err).VimFault()), classified)
	}
	return classified
}

func loginRefused(err error) bool {
	var refused types.BaseInvalidLogin
	_, ok := fault.As(err, &refused)
	return ok
}

// unreached reports whether a fault means that vCenter could not reach a host: HostNotReachable, HostNotConnected and
// the like.
func unreached(err error) bool {
	var communication types.BaseHostCommunication
	_, ok := fault.As(err, &communication)
	return ok
}

// ofSession reports whether a fault means that a view or a collector does not exist: those end with their session, so
// the session in use is another one.
func ofSession(err error) bool {
	var gone *types.ManagedObjectNotFound
	if _, ok := fault.As(err, &gone); !ok {
		return false
	}
	return gone.Obj.Type == "ContainerView" || gone.Obj.Type == "PropertyCollector"
}
