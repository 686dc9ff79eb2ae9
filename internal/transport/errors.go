// What can go wrong with a request, whichever service it goes to.

package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kinds of failures. The clients do not return these themselves but their own sentinels, which wrap them (see Kinds),
// so that a failure of vCenter can be distinguished from one of vSphere Replication.
var (
	// ErrNotFound: the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrPermission: the user may not do this.
	ErrPermission = errors.New("permission denied")
	// ErrConflict: an object of that name exists already.
	ErrConflict = errors.New("already exists")
	// ErrInvalid: the service refuses the request as it stands.
	ErrInvalid = errors.New("refused as invalid")
	// ErrSession: the session is not, or no longer, valid.
	ErrSession = errors.New("not authenticated")
	// ErrLogin: the service refuses the user or password.
	ErrLogin = errors.New("login refused")
	// ErrLimited: the service refuses the request because there are too many.
	ErrLimited = errors.New("too many requests")
	// ErrUnavailable: no usable answer. The request may have taken effect.
	ErrUnavailable = errors.New("no usable answer")
	// ErrUncertain: it is not known whether the change was made.
	ErrUncertain = errors.New("outcome unknown")
	// ErrCertificate: the server's certificate is not trusted.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrUnknownHost: the server's name cannot be resolved.
	ErrUnknownHost = errors.New("unknown host")
	// ErrAmbiguous: a name that should identify one object matches several.
	ErrAmbiguous = errors.New("the name is not unique")
)

// NameError is a name that nothing has, or several objects.
type NameError struct {
	// What is the kind of object, as in "category".
	What, Name string
	// Names are those that exist; nil where no listing was read.
	Names []string
	Err   error
}

// Error names the object.
func (e *NameError) Error() string { return fmt.Sprintf("%s %q: %v", e.What, e.Name, e.Err) }

// Unwrap returns the sentinel.
func (e *NameError) Unwrap() error { return e.Err }

// Existing returns the name, and those that exist.
func (e *NameError) Existing() (name string, names []string) { return e.Name, e.Names }

// Kinds are the sentinels of one service. Each wraps the kind of the same name.
type Kinds struct {
	NotFound, Permission, Conflict, Invalid, Session, Login, Limited, Unavailable, Uncertain, Certificate, UnknownHost,
	Ambiguous error
}

// NewKinds returns sentinels that differ from those of every other service.
func NewKinds() Kinds {
	own := func(kind error) error { return Kind(kind.Error(), kind) }
	return Kinds{
		NotFound: own(ErrNotFound), Permission: own(ErrPermission), Conflict: own(ErrConflict), Invalid: own(ErrInvalid),
		Session: own(ErrSession), Login: own(ErrLogin), Limited: own(ErrLimited), Unavailable: own(ErrUnavailable),
		Uncertain: own(ErrUncertain), Certificate: own(ErrCertificate), UnknownHost: own(ErrUnknownHost),
		Ambiguous: own(ErrAmbiguous),
	}
}

// Kind returns a new sentinel with the given text that wraps a kind.
func Kind(text string, kind error) error { return &sentinel{text, kind} }

type sentinel struct {
	text string
	kind error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.kind }

// OfStatus returns the kind of an answer by its HTTP status, which is not a success.
func (k Kinds) OfStatus(status int) error {
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

// NoAnswer classifies a failure to get any answer to op. The end of the caller's context is returned as such; the end
// of bounded alone means that the request took longer than its time limit.
func (k Kinds) NoAnswer(ctx, bounded context.Context, op string, limit time.Duration, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", op, ctx.Err())
	case bounded.Err() != nil:
		// Not Unavailable, which is repeated: what took longer than the limit once would take as long again.
		return fmt.Errorf("%s: no answer within %s: %w", op, limit, k.Uncertain)
	case redirected(err), errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%s: %w", op, err) // of no kind, so that it is not retried
	case CertificateRefused(err):
		return fmt.Errorf("%s: %w: %w", op, k.Certificate, err)
	case UnknownHost(err):
		return fmt.Errorf("%s: %w: %w", op, k.UnknownHost, err)
	default:
		return fmt.Errorf("%s: %w: %w", op, k.Unavailable, err)
	}
}
