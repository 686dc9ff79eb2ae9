// One request: its address, when it is repeated, and how its answer is read.

package vr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
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

// repeatable: a read may be repeated. A write may have taken effect although no answer came.
func (r request) repeatable() bool { return r.method == http.MethodGet || r.reads }

// path fills the template. An empty id would address another operation, so it is refused.
func (r request) path() (string, error) {
	var b strings.Builder
	rest, ids := r.template, r.ids
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		if len(ids) == 0 || ids[0] == "" {
			return "", fmt.Errorf("%s: %w: %s is empty", r, ErrInvalid, name)
		}
		b.WriteString(url.PathEscape(ids[0]))
		ids, rest = ids[1:], tail
	}
	return b.String(), nil
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
		if !r.repeatable() && unusable(err) {
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		}
		if !c.again(ctx, err, after, attempt) {
			return err
		}
	}
}

// unusable reports whether an answer leaves open whether the request took effect.
func unusable(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, transport.ErrTooLarge)
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
	return transport.Again(ctx, c.config.Sleep, err, after, attempt)
}

// mayBeSession: what may mean that a session has ended. The API documents 401 for the local session and leaves open
// what it answers without a remote session.
func mayBeSession(err error) bool {
	if errors.Is(err, ErrLimited) {
		return false
	}
	if answer, ok := errors.AsType[*APIError](err); ok {
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
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	req, err := c.request(bounded, r, path)
	if err != nil {
		return 0, err
	}
	authenticate(req.Header)
	defer func() {
		c.config.Observe(ctx, event)
		err = c.scrubber.Error(err)
	}()
	answer, err := c.http.Do(req)
	if err != nil {
		return 0, kinds.NoAnswer(ctx, bounded, r.String(), c.config.Timeout, withoutURL(err))
	}
	defer func() { _ = answer.Body.Close() }() // read to its end, or of no more use
	event.Status, after = answer.StatusCode, transport.RetryAfter(answer.Header)
	body, err := transport.ReadAnswer(answer)
	if err != nil {
		return after, kinds.NoAnswer(ctx, bounded, r.String(), c.config.Timeout, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		refused := answerError(r, answer.StatusCode, body)
		refused.OperationID = c.scrubber.Text(refused.OperationID)
		event.OperationID = refused.OperationID
		return after, refused
	}
	return after, decode(r, body, out)
}

func (c *Client) request(ctx context.Context, r request, path string) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(c.base.String(), "/") + path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r, ErrInvalid)
	}
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		content, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r, ErrInvalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json") // even without a body: some gateways insist
	req.Header.Set("User-Agent", c.config.UserAgent)
	return req, nil
}

// withoutURL drops the address from an error of net/http: the request is named by its template.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// decode reads an answer and refuses one that is announced as incomplete. An empty answer where one is needed is no
// usable one.
func decode(r request, body []byte, out any) error {
	if out == nil {
		return nil
	}
	var envelope struct {
		Meta *struct {
			Errors []metaError `json:"errors"`
		} `json:"_meta"`
	}
	err := json.Unmarshal(body, &envelope)
	if err == nil {
		err = json.Unmarshal(body, out)
	}
	if err != nil {
		return fmt.Errorf("%s: the answer is not the JSON that the API documents: %w: %w", r, ErrUnavailable, err)
	}
	if envelope.Meta == nil || r.incomplete {
		return nil
	}
	return partial(r, envelope.Meta.Errors)
}
