package vsphere

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
