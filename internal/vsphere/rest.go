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

// request is a REST call, independent of the protocol. Messages contain its path, ID and action, but not its body.
type request struct {
	method string
	path   string
	id     string
	action string
	query  url.Values
	// body is the payload of an action. spec is the payload of a create or update.
	body, spec any
	// isFinal reports whether an error must not be retried. It can be nil.
	isFinal func(error) bool
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
	// sent reports whether the request might have reached the server. It is false if the login failed, because in that
	// case the request is not sent.
	sent bool
	// hasBody reports whether the response had a body. govmomi's simulator returns none for bulk calls.
	hasBody bool
}

const sessionWait = 15 * time.Second

// call sends a request. It logs in if there is no session, retries temporary failures, renews the session once if it
// has expired, and confirms a 404 that does not identify the missing object. If ctx is from WithArrivals, it waits for
// a missing tag or category. out can be nil.
func (c *Client) call(ctx context.Context, r request, out any) (outcome, error) {
	for {
		o, err := c.callOnce(ctx, r, out)
		id := r.id
		if tag, ok := r.spec.(wireTag); ok {
			id = cmp.Or(id, tag.CategoryID)
		}
		if !errors.Is(err, ErrNotFound) || r.isFinal != nil || !c.awaitArrival(ctx, id) {
			return o, err
		}
	}
}

func (c *Client) callOnce(ctx context.Context, r request, out any) (outcome, error) {
	var (
		o           outcome
		finalErr    error
		renewed     = false
		fieldMissed = false // the server has already reported a missing field
	)
	opID := newOperationID()
	err := c.retry(ctx, func(attempt int) (time.Duration, error) {
		for {
			session, err := c.openREST(ctx)
			if errors.Is(err, ErrSessionLimit) {
				return sessionWait, err
			}
			if err != nil {
				return 0, err
			}
			var after time.Duration
			o, after, err = c.sendNegotiated(ctx, o, r, out, session, opID, attempt)
			switch {
			case r.isFinal != nil && r.isFinal(err):
				finalErr = err
				return 0, nil
			case errors.Is(err, ErrSession) && !renewed:
				renewed = true
				if err := c.renewREST(ctx, session); err != nil {
					return 0, err
				}
			case isMissingField(err) && !fieldMissed:
				fieldMissed = true
			default:
				return after, err
			}
		}
	})
	err = cmp.Or(err, finalErr)
	if isUntyped404(err) && r.inBothProtocols() && !errors.Is(err, ErrNoOperation) {
		err = c.confirmNotFound(ctx, r, err)
	}
	return o, err
}

// confirmNotFound checks with a listing that a tag or category does not exist, because a proxy may return a 404 page
// for any path. A 404 for a request without an ID proves nothing.
func (c *Client) confirmNotFound(ctx context.Context, r request, result error) error {
	if r.id == "" {
		if e, ok := transport.AsAPIError(result); ok {
			e.Kind = ErrUnavailable
		}
		return result
	}
	path := tagPath
	if r.path == categoryPath || r.action == listTagsOfCategory {
		path = categoryPath
	}
	exists, err := c.existenceBatcher.Get(ctx, path+" "+r.id, c.listExisting)
	switch {
	case err != nil:
		return fmt.Errorf("%s: not found, but this could not be confirmed: %w", r, err)
	case exists:
		return fmt.Errorf("%s: not found, but it is still listed: %w", r, ErrUnavailable)
	default:
		return result
	}
}

func (c *Client) listExisting(ctx context.Context, keys []string) (map[string]bool, error) {
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

// sendNegotiated sends a request with the connection's protocol. Until the protocol is settled, it also tries the older
// protocol if the newer one seems to lack the operation.
func (c *Client) sendNegotiated(
	ctx context.Context,
	earlier outcome,
	r request,
	out any,
	session restSession,
	opID string,
	attempt int,
) (outcome, time.Duration, error) {
	p, settled := c.protocolChoice.get(), c.protocolChoice.settled.Load()
	if !r.inBothProtocols() {
		p, settled = protocolAPI, true
	}
	o, after, err := c.sendLimited(ctx, earlier, r, p, out, session.id, opID, attempt)
	if settled {
		return o, after, err
	}
	if mayBeUnsupported(err) {
		p = protocolREST
		o, after, err = c.sendLimited(ctx, o, r, p, out, session.id, opID, attempt)
	}
	if isSupported(err) {
		c.protocolChoice.settle(p)
	}
	return o, after, err
}

// sendLimited sends a request once, as soon as a slot is free and the rate limit allows it. earlier is the outcome of
// the previous attempts.
func (c *Client) sendLimited(
	ctx context.Context,
	earlier outcome,
	r request,
	p protocol,
	out any,
	session, opID string,
	attempt int,
) (outcome, time.Duration, error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return earlier, 0, fmt.Errorf("%s: %w", r, err)
	}
	defer c.slots.Release(1)
	if _, err := c.rateLimiter.Wait(ctx); err != nil {
		return earlier, 0, fmt.Errorf("%s: %w", r, err)
	}
	hasBody, after, err := c.send(ctx, r, p, out, session, opID, attempt)
	if isOverloaded(err) {
		c.rateLimiter.Throttle(after)
	}
	return outcome{sent: true, hasBody: hasBody}, after, err
}

// send sends a request once. A request without a session is a login and includes the credentials.
func (c *Client) send(
	ctx context.Context,
	r request,
	p protocol,
	out any,
	session, opID string,
	attempt int,
) (hasBody bool, after time.Duration, err error) {
	path, query := r.url(p)
	body, event, err := c.rest.Send(ctx, transport.Request{
		Event: Event{Method: r.method, Path: path, OperationID: opID, Attempt: attempt},
		Name:  r.String(),
		Path:  (&url.URL{Path: path}).EscapedPath(),
		Query: query,
		Body:  r.payload(p),
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
		ParseError: func(event *Event, body []byte) error { return parseError(r.String(), opID, event.Status, body) },
	})
	if err == nil {
		err = c.decode(r, p, body, out)
	}
	return len(bytes.TrimSpace(body)) > 0, event.RetryAfter, err
}

// decode decodes a response into out. An empty response to a read is an error. An empty response to any other request
// does not change out.
func (c *Client) decode(r request, p protocol, body []byte, out any) error {
	switch {
	case out == nil:
		return nil
	case len(bytes.TrimSpace(body)) > 0:
	case r.method == http.MethodGet, strings.HasPrefix(r.action, "list-"):
		return fmt.Errorf("%s: %w: the response is empty", r, ErrUnavailable)
	default:
		return nil
	}
	value := out
	if p == protocolREST {
		value = &struct {
			Value any `json:"value"`
		}{out}
	}
	return c.rest.Decode(r.String(), body, value)
}

// restSession is a REST session and the protocol that opened it. The session ID is valid for both protocols.
type restSession struct {
	id       string
	protocol protocol
}

func (c *Client) openREST(ctx context.Context) (restSession, error) {
	s, err := c.restSession.Open(ctx, c.loginREST)
	if err != nil {
		return restSession{}, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return s, nil
}

// loginREST logs in with the connection's protocol. Until the protocol is settled, it falls back to the older protocol
// if the newer one has no sessions.
func (c *Client) loginREST(ctx context.Context) (restSession, error) {
	p := c.protocolChoice.get()
	id, err := c.login(ctx, p)
	if isProtocolMismatch(err) && p == protocolAPI && !c.protocolChoice.settled.Load() {
		other, failed := c.login(ctx, protocolREST)
		if failed == nil {
			c.protocolChoice.settle(protocolREST)
		}
		if !errors.Is(failed, ErrNotFound) && !errors.Is(failed, ErrNoOperation) {
			id = other
			err = failed
			p = protocolREST
		}
	}
	switch {
	case errors.Is(err, ErrSession):
		return restSession{}, refusedLoginError(err)
	case errors.Is(err, ErrNotFound):
		return restSession{}, fmt.Errorf("%w: HTTP 404", ErrNotVCenter)
	case err != nil:
		return restSession{}, transport.AsLoginError(err)
	case id == "":
		return restSession{}, transport.AsLoginError(
			fmt.Errorf("%w: %w: it contains no session", transport.ErrNotDocumented, ErrUnavailable))
	}
	return restSession{id, p}, nil
}

// isProtocolMismatch reports whether the server might have rejected the format of a login. vCenter releases before
// 7.0.2 use a different protocol at this path.
func isProtocolMismatch(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError &&
		e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden &&
		e.Status != http.StatusTooManyRequests
}

func refusedLoginError(err error) error {
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
	_, err = c.rateLimiter.Wait(ctx)
	if err != nil {
		return "", fmt.Errorf("POST %s: %w", sessionPath, err)
	}
	_, after, err := c.send(ctx, request{method: http.MethodPost, path: sessionPath}, p, &id, "", newOperationID(), 1)
	if isOverloaded(err) {
		c.rateLimiter.Throttle(after)
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

// renewREST replaces an expired session, unless another caller already has. It logs out first, so that no session leaks
// if the request was rejected for another reason.
func (c *Client) renewREST(ctx context.Context, stale restSession) error {
	_, err := c.restSession.Renew(ctx, stale, func(ctx context.Context) (restSession, error) {
		_ = c.logoutREST(ctx, stale) // fails if the session has expired, which is likely
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
		return nil // the session has already expired
	}
	return err
}
