package transport

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Kinds of failures. The clients wrap them in sentinels of their own (see Kinds) to distinguish a vCenter failure from
// a vSphere Replication failure.
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
	ErrLogin = errors.New("login refused")
	// ErrLimited means that the service throttled the request.
	ErrLimited = errors.New("too many requests")
	// ErrUnavailable means that there was no usable response. The request may have taken effect.
	ErrUnavailable = errors.New("no usable response")
	// ErrUncertain means that the outcome of a change is unknown.
	ErrUncertain = errors.New("outcome unknown")
	// ErrCertificate means that the server's certificate is not trusted.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrUnknownHost means that the server's name cannot be resolved.
	ErrUnknownHost = errors.New("unknown host")
	// ErrAmbiguous means that several objects have the same name.
	ErrAmbiguous = errors.New("the name is not unique")
)

// NameError reports a name that matches no object, or more than one.
type NameError struct {
	// What is the type of the object, for example "category".
	What, Name string
	// Names lists the existing names; nil if they were not read.
	Names []string
	Err   error
}

// Error implements error.
func (e *NameError) Error() string { return fmt.Sprintf("%s %q: %v", e.What, e.Name, e.Err) }

// Unwrap returns the sentinel.
func (e *NameError) Unwrap() error { return e.Err }

// Existing returns the requested name and the existing names.
func (e *NameError) Existing() (name string, names []string) { return e.Name, e.Names }

// Kinds are the sentinels of one service. Each wraps the Err variable of the same name.
type Kinds struct {
	NotFound, Permission, Conflict, Invalid, Session, Login, Limited, Unavailable, Uncertain, Certificate, UnknownHost,
	Ambiguous error
}

// NewKinds returns sentinels that are distinct from those of other services.
func NewKinds() Kinds {
	own := func(kind error) error { return Kind(kind.Error(), kind) }
	return Kinds{
		NotFound: own(ErrNotFound), Permission: own(ErrPermission), Conflict: own(ErrConflict), Invalid: own(ErrInvalid),
		Session: own(ErrSession), Login: own(ErrLogin), Limited: own(ErrLimited), Unavailable: own(ErrUnavailable),
		Uncertain: own(ErrUncertain), Certificate: own(ErrCertificate), UnknownHost: own(ErrUnknownHost),
		Ambiguous: own(ErrAmbiguous),
	}
}

// Kind returns a sentinel with its own text that wraps a kind.
func Kind(text string, kind error) error { return &sentinel{text, kind} }

type sentinel struct {
	text string
	kind error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.kind }

// OfStatus maps the HTTP status of a failed request to a kind.
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

// NoAnswer classifies a request without a response. It returns the error of ctx if the caller's context ended, and an
// uncertain outcome if only the time limit of bounded expired.
func (k Kinds) NoAnswer(ctx, bounded context.Context, op string, limit time.Duration, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", op, ctx.Err())
	case bounded.Err() != nil:
		// Uncertain is not retried, because a retry would reach the same time limit.
		return fmt.Errorf("%s: no response within %s: %w", op, limit, k.Uncertain)
	case redirected(err), errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%s: %w", op, err) // without a kind, so it is not retried
	case CertificateRefused(err):
		return fmt.Errorf("%s: %w: %w", op, k.Certificate, err)
	case UnknownHost(err):
		return fmt.Errorf("%s: %w: %w", op, k.UnknownHost, err)
	default:
		return fmt.Errorf("%s: %w: %w", op, k.Unavailable, err)
	}
}

const deepest = 4

// unescaped is a text without escapes and line breaks. starts and ends map each byte to its range in the original
// text.
type unescaped struct {
	text         string
	starts, ends []int
}

// plain returns a text without unescaping it.
func plain(text string) unescaped {
	u := unescaped{text, make([]int, len(text)), make([]int, len(text))}
	for i := range len(text) {
		u.starts[i], u.ends[i] = i, i+1
	}
	return u
}

func (u unescaped) undo() unescaped {
	var (
		text   strings.Builder
		starts = make([]int, 0, len(u.text))
		ends   = make([]int, 0, len(u.text))
	)
	for at := 0; at < len(u.text); {
		value, length := escape(u.text[at:])
		text.WriteString(value)
		for range len(value) {
			starts, ends = append(starts, u.starts[at]), append(ends, u.ends[at+length-1])
		}
		at += length
	}
	return unescaped{text.String(), starts, ends}
}

func escape(text string) (value string, length int) {
	switch text[0] {
	case '\r', '\n':
		return "", 1
	case '&':
		if end := strings.IndexByte(text[:min(len(text), 12)], ';'); end > 0 {
			if value := html.UnescapeString(text[:end+1]); value != text[:end+1] {
				return value, end + 1
			}
		}
	case '%':
		if value, ok := hexByte(text, 1); ok {
			return value, 3
		}
	case '\\':
		return backslash(text)
	}
	return text[:1], 1
}

func backslash(text string) (value string, length int) {
	if len(text) < 2 {
		return text, len(text)
	}
	switch text[1] {
	case 'n', 'r':
		return "", 2
	case 't':
		return "\t", 2
	case 'x':
		if value, ok := hexByte(text, 2); ok {
			return value, 4
		}
	case 'u':
		if len(text) >= 6 {
			if code, err := strconv.ParseInt(text[2:6], 16, 32); err == nil && code >= 0 {
				return string(utf8.AppendRune(nil, rune(code))), 6
			}
		}
	case '"', '\'', '\\', '/':
		return text[1:2], 2
	}
	return text[:1], 1
}

func hexByte(text string, at int) (string, bool) {
	if len(text) < at+2 {
		return "", false
	}
	code, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", false
	}
	return string([]byte{byte(code)}), true
}

// PatientTime limits the additional delays of one change after its Attempts. A restart of vCenter's services takes one
// to three minutes, and waiting is better than a failure in the middle of an apply.
const PatientTime = 3 * time.Minute

type patienceKey struct{}

type patience struct {
	mu   sync.Mutex
	left time.Duration
}

// Patient returns a context for a change. Its requests wait up to PatientTime in total for a service that is starting.
func Patient(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{left: PatientTime})
}

func (p *patience) spend(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > p.left {
		return false
	}
	p.left -= d
	return true
}

// startup lets one change at a time probe a service that is starting. All other changes wait for its result.
type startup struct {
	mu      sync.Mutex
	prober  *patience
	settled chan struct{} // closed when the prober is done
}

// wait waits for d or until the prober is done, and reports whether to send the request. Without Patient it returns
// false immediately.
func (s *startup) wait(ctx context.Context, sleep func(context.Context, time.Duration) error, d time.Duration) bool {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	if !ok {
		return false
	}
	for p.spend(d) {
		settled := s.join(p)
		if settled == nil {
			return sleep(ctx, d) == nil
		}
		waiting, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-settled:
				cancel()
			case <-waiting.Done():
			}
		}()
		_ = sleep(waiting, d)
		cancel()
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-settled:
			return true
		default:
		}
	}
	return false
}

// join makes p the prober if there is none. It returns nil for the prober, and otherwise a channel that is closed when
// the prober is done.
func (s *startup) join(p *patience) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prober == nil {
		s.prober, s.settled = p, make(chan struct{})
	}
	if s.prober == p {
		return nil
	}
	return s.settled
}

func (s *startup) done(ctx context.Context) {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.prober == p {
		s.prober = nil
		close(s.settled)
	}
}
