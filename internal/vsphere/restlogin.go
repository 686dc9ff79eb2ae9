package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

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
