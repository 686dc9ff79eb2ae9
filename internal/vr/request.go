package vr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const sessionHeader = "x-dr-session"

// request is a single API call. Messages contain its path template, but neither its IDs nor its body.
type request struct {
	method   string
	template string
	// ids are the values for the template's placeholders, in order.
	ids   []string
	query url.Values
	body  any
	// pairing is the ID of the pairing whose remote session the call needs, or empty.
	pairing string
	// readOnly marks a POST without side effects.
	readOnly bool
	// allowIncomplete accepts a response that is marked as incomplete.
	allowIncomplete bool
	skipRateLimit   bool
	throttled       time.Duration
}

// String returns the method and path template.
func (r request) String() string { return r.method + " " + r.template }

// isRead reports whether the request can be repeated safely: a write without a response might have taken effect.
func (r request) isRead() bool { return r.method == http.MethodGet || r.readOnly }

// path expands the template. It rejects an empty ID, which would produce the path of a different operation.
func (r request) path() (string, error) {
	return kinds.Expand(r.String(), r.template, r.ids)
}

// call sends a request within the rate limit and logs in first if necessary. It retries requests that were not
// processed (expired session, throttling) and reads that failed temporarily. For a write without a usable response, it
// returns ErrUncertain. out may be nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	renewed := false
	defer c.config.EndProbe(ctx)
	for attempt := 1; ; attempt++ {
		s, err := c.admit(ctx, &r)
		if err != nil {
			return err
		}
		after, err := c.send(ctx, r, path, s.local, attempt, out)
		if err == nil {
			return nil
		}
		if !renewed && mayBeSessionError(err) {
			var resend bool
			var failed error
			resend, renewed, failed = c.renewSessions(ctx, s, r.pairing, err)
			if failed != nil {
				return failed
			}
			if resend {
				attempt--
				continue
			}
		}
		if !r.isRead() && transport.MayHaveTakenEffect(err) {
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		}
		if !c.awaitRetry(ctx, err, after, attempt) {
			return err
		}
	}
}

// admit waits for the rate limiter and then opens the session, which might otherwise expire during the wait.
func (c *Client) admit(ctx context.Context, r *request) (session, error) {
	delayed, err := c.rateLimiter.Wait(ctx)
	if err != nil {
		return session{}, fmt.Errorf("%s: %w", r, err)
	}
	r.skipRateLimit = true
	r.throttled = delayed
	return c.open(ctx, r.pairing)
}

// awaitRetry waits before the next attempt. It returns false if there is none.
func (c *Client) awaitRetry(ctx context.Context, err error, after time.Duration, attempt int) bool {
	if errors.Is(err, ErrLimited) {
		c.rateLimiter.Throttle(after) // delays the next request of every caller
	}
	return c.config.AwaitRetry(ctx, err, after, attempt)
}

// mayBeSessionError reports whether an error might mean that a session has ended. The API documents 401 for the local
// session, but no status for a missing remote session.
func mayBeSessionError(err error) bool {
	if errors.Is(err, ErrLimited) {
		return false
	}
	if result, ok := transport.AsAPIError(err); ok {
		return result.Status == http.StatusUnauthorized || result.Status == http.StatusForbidden ||
			result.Status == http.StatusInternalServerError
	}
	return errors.Is(err, ErrPartial)
}

// send sends a request once, with a local session. It returns the delay that the gateway asks for.
func (c *Client) send(
	ctx context.Context,
	r request,
	path, session string,
	attempt int,
	out any,
) (time.Duration, error) {
	return c.sendAuthenticated(ctx, r, path, attempt, out, func(h http.Header) { h.Set(sessionHeader, session) })
}

// sendAuthenticated sends a request once. authenticate adds the session or the login.
func (c *Client) sendAuthenticated(
	ctx context.Context,
	r request,
	path string,
	attempt int,
	out any,
	authenticate func(http.Header),
) (after time.Duration, err error) {
	event := Event{Method: r.method, Path: r.template, Attempt: attempt, Throttled: r.throttled}
	if !r.skipRateLimit {
		event.Throttled, err = c.rateLimiter.Wait(ctx)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r, err)
		}
	}
	body, event, err := c.service.Send(ctx, transport.Request{
		Event:        event,
		Name:         r.String(),
		Path:         path,
		Query:        r.query,
		Body:         r.body,
		Authenticate: authenticate,
		ParseError: func(event *Event, body []byte) error {
			refused := parseError(r, event.Status, body)
			refused.OperationID = c.scrubber.Text(refused.OperationID)
			event.OperationID = refused.OperationID
			return refused
		},
	})
	if err != nil {
		return event.RetryAfter, err
	}
	return event.RetryAfter, c.scrubber.Error(c.decode(r, body, out))
}

// parseError classifies an error response. The body can be JSON from the API, HTML from a proxy, or empty.
func parseError(r request, status int, body []byte) *transport.APIError {
	var doc struct {
		Code        string `json:"error_code"`
		Message     string `json:"message"`
		OperationID string `json:"op_id"`
	}
	e := &transport.APIError{Operation: r.String(), Status: status, Kind: kindFromStatus(status)}
	if json.Unmarshal(body, &doc) == nil {
		e.Type = doc.Code
		e.OperationID = doc.OperationID
		if message := strings.TrimSpace(doc.Message); message != "" {
			e.Messages = []string{message}
		}
	}
	if isRateLimit(e) {
		e.Kind = ErrLimited
	}
	return e
}

// decode decodes a response into out, which may be nil. It rejects an empty response and, unless the request allows it,
// an incomplete response.
func (c *Client) decode(r request, body []byte, out any) error {
	if out == nil {
		return nil
	}
	var envelope struct {
		Meta *struct {
			Errors []metaError `json:"errors"`
		} `json:"_meta"`
	}
	for _, value := range []any{&envelope, out} {
		if err := c.service.Decode(r.String(), body, value); err != nil {
			return err
		}
	}
	if envelope.Meta == nil || r.allowIncomplete {
		return nil
	}
	return partialError(r, envelope.Meta.Errors)
}

// partialError returns ErrPartial with the missing parts, or nil if none is missing.
func partialError(r request, missing []metaError) error {
	if len(missing) == 0 {
		return nil
	}
	parts := make([]string, 0, len(missing))
	for _, m := range missing {
		parts = append(parts, strings.Trim(strings.Join([]string{m.Field, m.Code, m.Message}, " "), " "))
	}
	return fmt.Errorf("%s: %w: %s", r, ErrPartial, strings.Join(parts, "; "))
}
