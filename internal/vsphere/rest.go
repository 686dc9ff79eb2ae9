package vsphere

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const sessionHeader = "vmware-api-session-id"

// request is one REST call, independent of the protocol. Messages name its path, id and action, but not its body.
type request struct {
	method, path, id, action string
	query                    url.Values
	// body is the payload of an action, spec the payload of a create or update.
	body, spec any
	// final reports errors that must not be retried; may be nil.
	final func(error) bool
}

func (r request) String() string {
	s := r.method + " " + r.path[strings.LastIndexByte(r.path, '/')+1:]
	if r.id != "" {
		s += " " + r.id
	}
	if r.action != "" {
		s += " (" + r.action + ")"
	}
	return s
}

type outcome struct {
	// sent: the request may have reached the server. It is false if not even a login succeeded.
	sent bool
	// answered: the answer had a body. The plain simulator returns none for bulk calls.
	answered bool
}

const sessionWait = 15 * time.Second

// call sends a request. It logs in if there is no session, retries temporary failures and renews one expired session.
// It confirms a 404 that does not name the missing object. With Expecting, it waits for a missing tag or category. out
// may be nil.
func (c *Client) call(ctx context.Context, r request, out any) (outcome, error) {
	for {
		o, err := c.callOnce(ctx, r, out)
		id := r.id
		if tag, ok := r.spec.(wireTag); ok {
			id = cmp.Or(id, tag.CategoryID)
		}
		if !errors.Is(err, ErrNotFound) || r.final != nil || !c.mayArrive(ctx, id) {
			return o, err
		}
	}
}

func (c *Client) callOnce(ctx context.Context, r request, out any) (outcome, error) {
	var (
		o      outcome
		final  error
		healed = false
		missed = false // the server reported a missing field once
	)
	opID := newOperationID()
	err := c.repeat(ctx, func(attempt int) (time.Duration, error) {
		for {
			session, err := c.openREST(ctx)
			if errors.Is(err, ErrSessionLimit) {
				return sessionWait, err
			}
			if err != nil {
				return 0, err
			}
			var after time.Duration
			o, after, err = c.sendChosen(ctx, o, r, out, session, opID, attempt)
			switch {
			case r.final != nil && r.final(err):
				final = err
				return 0, nil
			case errors.Is(err, ErrSession) && !healed:
				healed = true
				if err := c.renewREST(ctx, session); err != nil {
					return 0, err
				}
			case missingField(err) && !missed:
				missed = true
			default:
				return after, err
			}
		}
	})
	err = cmp.Or(err, final)
	if untyped404(err) && r.both() && !errors.Is(err, ErrNoOperation) {
		err = c.confirmGone(ctx, r, err)
	}
	return o, err
}

// confirmGone checks with a listing that a tag or category does not exist, because a proxy may return a 404 page for
// any path. A 404 for a request without an id proves nothing.
func (c *Client) confirmGone(ctx context.Context, r request, answer error) error {
	if r.id == "" {
		if e, ok := transport.AsAPIError(answer); ok {
			e.Kind = ErrUnavailable
		}
		return answer
	}
	path := tagPath
	if r.path == categoryPath || r.action == listTagsOfCategory {
		path = categoryPath
	}
	exists, err := c.listed.Get(ctx, path+" "+r.id, c.existing)
	switch {
	case err != nil:
		return fmt.Errorf("%s: not found, which could not be confirmed: %w", r, err)
	case exists:
		return fmt.Errorf("%s: not found, but listed: %w", r, ErrUnavailable)
	default:
		return answer
	}
}

func (c *Client) existing(ctx context.Context, keys []string) (map[string]bool, error) {
	exists := make(map[string]bool)
	for _, path := range []string{tagPath, categoryPath} {
		if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, path+" ") }) {
			continue
		}
		var ids []string
		if _, err := c.call(ctx, request{method: http.MethodGet, path: path}, &ids); err != nil {
			return nil, err
		}
		for _, id := range ids {
			exists[path+" "+id] = true
		}
	}
	return exists, nil
}

// sendChosen sends a request with the protocol of the connection. Until the protocol is settled, it also tries the
// older one if the newer one seems to lack the operation.
func (c *Client) sendChosen(
	ctx context.Context,
	so outcome,
	r request,
	out any,
	session restSession,
	opID string,
	attempt int,
) (outcome, time.Duration, error) {
	p, settled := c.choice.get(), c.choice.settled.Load()
	if !r.both() {
		p, settled = belowAPI, true
	}
	o, after, err := c.sendPaced(ctx, so, r, p, out, session.id, opID, attempt)
	if settled {
		return o, after, err
	}
	if absent(err) {
		p = belowREST
		o, after, err = c.sendPaced(ctx, o, r, p, out, session.id, opID, attempt)
	}
	if offered(err) {
		c.choice.settle(p)
	}
	return o, after, err
}

// sendPaced sends a request once, as soon as a slot is free and the pace allows it. so is the outcome of earlier
// attempts.
func (c *Client) sendPaced(
	ctx context.Context,
	so outcome,
	r request,
	p protocol,
	out any,
	session, opID string,
	attempt int,
) (outcome, time.Duration, error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return so, 0, fmt.Errorf("%s: %w", r, err)
	}
	defer c.slots.Release(1)
	if _, err := c.pace.Wait(ctx); err != nil {
		return so, 0, fmt.Errorf("%s: %w", r, err)
	}
	answered, after, err := c.send(ctx, r, p, out, session, opID, attempt)
	if overloaded(err) {
		c.pace.Throttle(after)
	}
	return outcome{sent: true, answered: answered}, after, err
}

// send sends a request once. Without a session it is a login and includes the credentials.
func (c *Client) send(
	ctx context.Context,
	r request,
	p protocol,
	out any,
	session, opID string,
	attempt int,
) (answered bool, after time.Duration, err error) {
	path, query := r.url(p)
	body, event, err := c.rest.Send(ctx, transport.Request{
		Event: Event{Method: r.method, Path: path, OperationID: opID, Attempt: attempt},
		Name:  r.String(), Path: (&url.URL{Path: path}).EscapedPath(), Query: query, Body: r.content(p),
		Authenticate: func(h http.Header) {
			h.Set("X-Request-ID", opID)
			if session != "" {
				h.Set(sessionHeader, session)
				return
			}
			login := http.Request{Header: h}
			login.SetBasicAuth(c.config.User, c.config.Password)
			h.Set("vmware-use-header-authn", "true")
		},
		ParseError: func(event *Event, body []byte) error { return answerError(r.String(), opID, event.Status, body) },
	})
	if err == nil {
		err = c.decode(r, p, body, out)
	}
	return len(bytes.TrimSpace(body)) > 0, event.RetryAfter, err
}

// decode decodes an answer. An empty answer leaves out unchanged, but is an error for a read.
func (c *Client) decode(r request, p protocol, body []byte, out any) error {
	switch {
	case out == nil:
		return nil
	case len(bytes.TrimSpace(body)) > 0:
	case r.method == http.MethodGet, strings.HasPrefix(r.action, "list-"):
		return fmt.Errorf("%s: %w: the answer is empty", r, ErrUnavailable)
	default:
		return nil
	}
	value := out
	if p == belowREST {
		value = &struct {
			Value any `json:"value"`
		}{out}
	}
	return c.rest.Decode(r.String(), body, value)
}

// restSession is a REST session with the protocol that opened it. Its id is valid for both protocols.
type restSession struct {
	id       string
	protocol protocol
}

// openREST returns the REST session and opens it if necessary. Concurrent callers share one login.
func (c *Client) openREST(ctx context.Context) (restSession, error) {
	s, err := c.restSession.Open(ctx, c.loginREST)
	if err != nil {
		return restSession{}, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return s, nil
}

// loginREST logs in with the protocol of the connection. Until the protocol is settled, it falls back to the older one
// if the newer one has no sessions.
func (c *Client) loginREST(ctx context.Context) (restSession, error) {
	p := c.choice.get()
	id, err := c.login(ctx, p)
	if otherForm(err) && p == belowAPI && !c.choice.settled.Load() {
		other, failed := c.login(ctx, belowREST)
		if failed == nil {
			c.choice.settle(belowREST)
		}
		if !errors.Is(failed, ErrNotFound) && !errors.Is(failed, ErrNoOperation) {
			id, err, p = other, failed, belowREST
		}
	}
	switch {
	case errors.Is(err, ErrSession):
		return restSession{}, refusedLogin(err)
	case errors.Is(err, ErrNotFound):
		return restSession{}, fmt.Errorf("%w: HTTP 404", ErrNotVCenter)
	case err != nil:
		return restSession{}, err
	case id == "":
		return restSession{}, fmt.Errorf("%w: the answer contains no session", ErrUnavailable)
	}
	return restSession{id, p}, nil
}

// otherForm reports whether the server may have refused the form of a login. Releases before 7.0.2 use another protocol
// at this path.
func otherForm(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError &&
		e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden && e.Status != http.StatusTooManyRequests
}

func refusedLogin(err error) error {
	refused, ok := transport.AsAPIError(err)
	switch {
	case !ok || len(refused.Messages) == 0:
		return ErrLogin
	case refused.Messages[0] == "expired":
		return ErrPasswordExpired
	default:
		return fmt.Errorf("%w: the account is %s", ErrLogin, refused.Messages[0])
	}
}

func (c *Client) login(ctx context.Context, p protocol) (id string, err error) {
	_, err = c.pace.Wait(ctx)
	if err != nil {
		return "", fmt.Errorf("POST %s: %w", sessionPath, err)
	}
	_, after, err := c.send(ctx, request{method: http.MethodPost, path: sessionPath}, p, &id, "", newOperationID(), 1)
	if overloaded(err) {
		c.pace.Throttle(after)
	}
	if refused, ok := transport.AsAPIError(err); ok {
		text := strings.ToLower(strings.Join(refused.Messages, " "))
		refused.Messages = nil // the messages may quote the password
		for _, why := range []string{"locked", "expired"} {
			if strings.Contains(text, why) {
				refused.Messages = []string{why}
			}
		}
	}
	return id, err
}

// renewREST replaces an expired session, unless another caller already has. It logs out first, so no session leaks if
// the refusal had another reason.
func (c *Client) renewREST(ctx context.Context, stale restSession) error {
	_, err := c.restSession.Renew(ctx, stale, func(ctx context.Context) (restSession, error) {
		_ = c.logoutREST(ctx, stale) // the session has most likely expired
		return c.loginREST(ctx)
	})
	if err != nil {
		return fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return nil
}

func (c *Client) logoutREST(ctx context.Context, s restSession) error {
	r := request{method: http.MethodDelete, path: sessionPath}
	_, _, err := c.send(ctx, r, s.protocol, nil, s.id, newOperationID(), 1)
	if errors.Is(err, ErrSession) {
		return nil // the session has expired
	}
	return err
}
