// Package transport contains the code shared by the clients of vCenter, vSphere Replication and vSAN Data Protection:
// error kinds, retries, rate limits, logins, certificate checks and JSON requests.
package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Service sends requests to a server. Settings.Complete must have been called on its settings.
type Service struct {
	Settings

	Base     *url.URL
	HTTP     *http.Client
	Scrubber *Scrubber
	Kinds    Kinds
}

// Request is a request with a JSON body.
type Request struct {
	Event

	// Name identifies the request in messages. Messages contain no other part of the request.
	Name string
	// Path is appended to the path of the service URL.
	Path  string
	Query url.Values
	// Body is encoded as JSON. nil means no body.
	Body any
	// Authenticate adds the authentication headers.
	Authenticate func(http.Header)
	// ParseError converts an unsuccessful response to an error. It may add details to the event.
	ParseError func(event *Event, body []byte) error
}

// Send sends a request once and returns the response body.
func (s *Service) Send(ctx context.Context, r Request) (body []byte, event Event, err error) {
	event = r.Event
	bounded, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := s.request(bounded, r)
	if err != nil {
		return nil, event, err
	}
	defer func() {
		s.Observe(ctx, event)
		err = s.Scrubber.Error(err)
	}()
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return nil, event, s.Kinds.NoResponse(ctx, bounded, r.Name, s.Timeout, WithoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read or is not needed
	event.Status = resp.StatusCode
	event.RetryAfter = RetryAfter(resp.Header)
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		return nil, event, s.Kinds.NoResponse(ctx, bounded, r.Name, s.Timeout, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return body, event, r.ParseError(&event, body)
	}
	return body, event, nil
}

func (s *Service) request(ctx context.Context, r Request) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(s.Base.String(), "/") + r.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an ID is not valid in a URL", r.Name, s.Kinds.Invalid)
	}
	u.RawQuery = r.Query.Encode()
	var body io.Reader
	if r.Body != nil {
		content, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an ID is not valid in a URL", r.Name, s.Kinds.Invalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json") // some gateways require it even without a body
	req.Header.Set("User-Agent", s.UserAgent)
	r.Authenticate(req.Header)
	return req, nil
}

// Decode decodes a JSON response into out. name identifies the request in errors.
func (s *Service) Decode(name string, body []byte, out any) error {
	err := json.Unmarshal(body, out)
	if err == nil && lacksList(reflect.ValueOf(out)) {
		err = errors.New("a list is missing or null")
	}
	if err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			// Replace the original error, because it names a Go type.
			err = fmt.Errorf("unexpected %s at %s", mismatch.Value, cmp.Or(mismatch.Field, "the top level"))
		}
		err = s.Scrubber.Error(err)
		return fmt.Errorf("%s: %w: %w: %w", name, ErrNotDocumented, s.Kinds.Unavailable, err)
	}
	return nil
}

// Expand replaces the placeholders of a path template with ids, in order. It rejects empty IDs, "." and "..", because
// the path would then address a different operation.
func (k Kinds) Expand(name, template string, ids []string) (string, error) {
	var b strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		placeholder, tail, _ := strings.Cut(after, "}")
		if len(ids) == 0 || ids[0] == "" || ids[0] == "." || ids[0] == ".." {
			return "", fmt.Errorf("%s: %w: %s is empty or invalid", name, k.Invalid, placeholder)
		}
		b.WriteString(url.PathEscape(ids[0]))
		ids = ids[1:]
		rest = tail
	}
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

// APIError describes an unsuccessful response.
type APIError struct {
	// Operation identifies the request, for example "POST tag".
	Operation string
	// OperationID identifies the request in the service's logs. It can be empty.
	OperationID string
	// Status is the HTTP status.
	Status int
	// Type is the error type or code that the service returned. It is empty if the response came from a proxy.
	Type string
	// Messages are the service's messages. They can be empty.
	Messages []string
	// MessageIDs are the message IDs, if the service returned any.
	MessageIDs []string
	// Kind is the sentinel of the service.
	Kind error
}

// Error returns a single line without credentials.
func (e *APIError) Error() string {
	s := fmt.Sprintf("%s: %v (HTTP %d", e.Operation, e.Kind, e.Status)
	if e.Type != "" {
		s += " " + e.Type
	}
	if e.OperationID != "" {
		s += ", operation " + e.OperationID
	}
	s += ")"
	if len(e.Messages) > 0 {
		s += ": " + strings.Join(e.Messages, "; ")
	}
	return s
}

// Unwrap returns the sentinel.
func (e *APIError) Unwrap() error { return e.Kind }

// AsAPIError returns the APIError that err wraps, if any.
func AsAPIError(err error) (*APIError, bool) { return errors.AsType[*APIError](err) }

// isServiceStarting reports whether a proxy responded on behalf of a service that is not running. Such a response has
// status 503 and contains no service error.
func isServiceStarting(err error) bool {
	if e, ok := AsAPIError(err); ok {
		return e.Status == http.StatusServiceUnavailable && e.Type == "" && len(e.Messages) == 0
	}
	return SOAPStatus(err) == http.StatusServiceUnavailable
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

// AwaitRetry waits until a request can be retried, and reports whether to retry it. Requests without a usable response
// are retried with exponential backoff. Throttled requests are retried immediately, because RateLimiter delays them.
// Other errors are final. If ctx is from WithStartupWait, requests to a service that is starting can be attempted more
// than Attempts times. s.Complete must have been called.
func (s *Settings) AwaitRetry(ctx context.Context, err error, after time.Duration, attempt int) bool {
	_, isLogin := errors.AsType[*loginError](err)
	switch {
	case isLogin && attempt > 1:
		return false
	case attempt >= Attempts:
		return isServiceStarting(err) && s.startupProbe.wait(ctx, s.Sleep, max(after, maxDelay))
	case errors.Is(err, ErrLimited):
		return ctx.Err() == nil
	case errors.Is(err, ErrUnavailable):
		return s.Sleep(ctx, max(after, Delay(attempt))) == nil
	}
	return false
}

// EndProbe ends the caller's probe, if AwaitRetry started one. Callers of AwaitRetry defer it.
func (s *Settings) EndProbe(ctx context.Context) { s.startupProbe.finish(ctx) }

// Sleep sleeps for d or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// GracePeriod limits how long a change can continue after cancellation. It leaves time for one request and a retry
// without delaying the exit after Ctrl-C for too long.
const GracePeriod = 30 * time.Second

// LoginGracePeriod limits how long a login can continue after cancellation. It is shorter than GracePeriod, so that an
// unreachable server does not delay the exit.
const LoginGracePeriod = 5 * time.Second

// WithGracePeriod returns a context that has the values of ctx, but is canceled only when GracePeriod has passed after
// ctx is canceled. The caller must call cancel.
func WithGracePeriod(ctx context.Context) (graceful context.Context, cancel context.CancelFunc) {
	return withGrace(ctx, GracePeriod)
}

func withGrace(ctx context.Context, period time.Duration) (graceful context.Context, cancel context.CancelFunc) {
	graceful, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = Sleep(graceful, period)
		end()
	})
	return graceful, func() {
		stop()
		end()
	}
}
