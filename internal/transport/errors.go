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
	What, Name string
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

// unescaped is a string whose escape sequences have been decoded and whose line breaks have been removed. starts and
// ends map each byte to its range in the original string.
type unescaped struct {
	text         string
	starts, ends []int
}

func (u unescaped) unescape() unescaped {
	var (
		text   strings.Builder
		starts = make([]int, 0, len(u.text))
		ends   = make([]int, 0, len(u.text))
	)
	for at := 0; at < len(u.text); {
		value, length := decodeEscape(u.text[at:])
		text.WriteString(value)
		for range len(value) {
			starts, ends = append(starts, u.starts[at]), append(ends, u.ends[at+length-1])
		}
		at += length
	}
	return unescaped{text.String(), starts, ends}
}

func decodeEscape(text string) (value string, length int) {
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
		if value, ok := decodeHexByte(text, 1); ok {
			return value, 3
		}
	case '\\':
		return decodeBackslash(text)
	}
	return text[:1], 1
}

func decodeBackslash(text string) (value string, length int) {
	if len(text) < 2 {
		return text, len(text)
	}
	switch text[1] {
	case 'n', 'r':
		return "", 2
	case 't':
		return "\t", 2
	case 'x':
		if value, ok := decodeHexByte(text, 2); ok {
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

func decodeHexByte(text string, at int) (string, bool) {
	if len(text) < at+2 {
		return "", false
	}
	code, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", false
	}
	return string([]byte{byte(code)}), true
}

// MaxStartupWait limits how long a change keeps waiting for a service after Attempts attempts have failed. vCenter
// services take one to three minutes to restart, and waiting is better than failing in the middle of an apply.
const MaxStartupWait = 3 * time.Minute

type startupBudgetKey struct{}

type startupBudget struct {
	mu        sync.Mutex
	remaining time.Duration
}

// WithStartupWait returns a context for a change. While a service is starting, requests with this context wait up to
// MaxStartupWait in total.
func WithStartupWait(ctx context.Context) context.Context {
	return context.WithValue(ctx, startupBudgetKey{}, &startupBudget{remaining: MaxStartupWait})
}

func (p *startupBudget) spend(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > p.remaining {
		return false
	}
	p.remaining -= d
	return true
}

// startupProbe lets one change at a time probe a service that is starting. All other changes wait for the result of the
// probe.
type startupProbe struct {
	mu     sync.Mutex
	prober *startupBudget
	probed chan struct{} // closed when the probe ends
}

// wait waits for d or until the probe ends, and reports whether to send the request. It returns false immediately if
// the context was not created by WithStartupWait.
func (s *startupProbe) wait(
	ctx context.Context, sleep func(context.Context, time.Duration) error, d time.Duration,
) bool {
	p, ok := ctx.Value(startupBudgetKey{}).(*startupBudget)
	if !ok {
		return false
	}
	for p.spend(d) {
		probed := s.join(p)
		if probed == nil {
			return sleep(ctx, d) == nil
		}
		sleepCtx, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-probed:
				cancel()
			case <-sleepCtx.Done():
			}
		}()
		_ = sleep(sleepCtx, d)
		cancel()
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-probed:
			return true
		default:
		}
	}
	return false
}

// join makes p the prober if there is none. It returns nil for the prober. For all others, it returns a channel that is
// closed when the probe ends.
func (s *startupProbe) join(p *startupBudget) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prober == nil {
		s.prober, s.probed = p, make(chan struct{})
	}
	if s.prober == p {
		return nil
	}
	return s.probed
}

func (s *startupProbe) finish(ctx context.Context) {
	p, ok := ctx.Value(startupBudgetKey{}).(*startupBudget)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.prober == p {
		s.prober = nil
		close(s.probed)
	}
}
