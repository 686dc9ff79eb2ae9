package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const sessionHeader = "x-dr-session"

// request is one call. Its template names it in messages; ids and body do not appear there.
type request struct {
	method, template string
	// ids fill the template's placeholders, in their order.
	ids   []string
	query url.Values
	body  any
	// pairing is the pairing whose remote session the call needs; empty when it needs none.
	pairing string
	// reads marks a POST that changes nothing.
	reads bool
	// incomplete accepts an answer that is announced as incomplete.
	incomplete bool
	// urgent requests are not delayed by the client's own limit.
	urgent bool
	// delayed is how long that limit has delayed the request already.
	delayed time.Duration
}

// String returns method and template.
func (r request) String() string { return r.method + " " + r.template }

// repeatable reports whether the request is a read. A write may have taken effect without an answer.
func (r request) repeatable() bool { return r.method == http.MethodGet || r.reads }

// path fills the template. An empty id would address another operation, so it is refused.
func (r request) path() (string, error) {
	return kinds.Expand(r.String(), r.template, r.ids)
}

// call sends a request within the client's limit, after logging in where that is needed. It retries requests that were
// refused before they took effect (a session that ended, the gateway's limit) and reads that failed transiently. A
// write without a usable answer is ErrUncertain. out may be nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	healed := false
	defer c.config.Done(ctx)
	for attempt := 1; ; attempt++ {
		s, err := c.admit(ctx, &r)
		if err != nil {
			return err
		}
		after, err := c.send(ctx, r, path, s.local, attempt, out)
		if err == nil {
			return nil
		}
		if !healed && mayBeSession(err) {
			var changed bool
			var failed error
			if changed, healed, failed = c.heal(ctx, s, r.pairing, err); failed != nil {
				return failed
			}
			if changed {
				attempt--
				continue
			}
		}
		if !r.repeatable() && transport.Open(err) {
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		}
		if !c.again(ctx, err, after, attempt) {
			return err
		}
	}
}

// admit waits until the request may be sent, and then takes the session: the one from before may have ended while it
// waited.
func (c *Client) admit(ctx context.Context, r *request) (session, error) {
	delayed, err := c.pace.Wait(ctx)
	if err != nil {
		return session{}, fmt.Errorf("%s: %w", r, err)
	}
	r.urgent, r.delayed = true, delayed
	return c.open(ctx, r.pairing)
}

// again waits before a request is repeated, and reports whether it is to be repeated.
func (c *Client) again(ctx context.Context, err error, after time.Duration, attempt int) bool {
	if errors.Is(err, ErrLimited) {
		c.pace.Refused(after) // the next request of any caller waits
	}
	return c.config.Again(ctx, err, after, attempt)
}

// mayBeSession: what may mean that a session has ended. The API documents 401 for the local session and leaves open
// what it answers without a remote session.
func mayBeSession(err error) bool {
	if errors.Is(err, ErrLimited) {
		return false
	}
	if answer, ok := transport.Answer(err); ok {
		return answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden ||
			answer.Status == http.StatusInternalServerError
	}
	return errors.Is(err, ErrPartial)
}

// send sends a request once; without a session it is a login.
func (c *Client) send(
	ctx context.Context,
	r request,
	path, session string,
	attempt int,
	out any,
) (time.Duration, error) {
	return c.exchange(ctx, r, path, attempt, out, func(h http.Header) { h.Set(sessionHeader, session) })
}

func (c *Client) exchange(
	ctx context.Context,
	r request,
	path string,
	attempt int,
	out any,
	authenticate func(http.Header),
) (after time.Duration, err error) {
	event := Event{Method: r.method, Path: r.template, Attempt: attempt, Throttled: r.delayed}
	if !r.urgent {
		if event.Throttled, err = c.pace.Wait(ctx); err != nil {
			return 0, fmt.Errorf("%s: %w", r, err)
		}
	}
	body, event, err := c.service.Send(ctx, transport.Request{
		Event: event, Name: r.String(), Path: path, Query: r.query, Body: r.body, Authenticate: authenticate,
		Refused: func(event *Event, body []byte) error {
			refused := answerError(r, event.Status, body)
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

// decode reads an answer and refuses one that is announced as incomplete. An empty answer where one is needed is no
// usable one.
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
	if envelope.Meta == nil || r.incomplete {
		return nil
	}
	return partial(r, envelope.Meta.Errors)
}
