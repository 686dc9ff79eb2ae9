package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"terraform-provider-vsla/internal/transport"
)

// remoteSession is a login to the remote site of a pairing. It belongs to the local session and ends with it.
type remoteSession struct {
	local string
	// number identifies the login, so that a caller can detect that another caller has renewed the session.
	number int64
}

// remote returns the session at a pairing's remote site. A password rejected by one site is not tried at another,
// because the sites of an SSO domain share the count of failed logins.
func (c *Client) remote(pairing string) *transport.Session[remoteSession] {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, known := c.remotes[pairing]
	if !known {
		s = transport.NewSession[remoteSession](c.config.RemoteCredentials.Nested())
		c.remotes[pairing] = s
	}
	return s
}

// loginRemote logs in to the remote site of a pairing. A pairing that connects a vCenter to itself needs no login.
func (c *Client) loginRemote(ctx context.Context, pairing string) (remoteSession, error) {
	local, single, err := c.isSingleVCenter(ctx, pairing)
	if err != nil {
		return remoteSession{}, err
	}
	if single {
		return remoteSession{local: local, number: c.logins.Add(1)}, nil
	}
	failed := func(err error) error {
		return fmt.Errorf("log in to the remote site of pairing %s: %w: %w", pairing, ErrRemote, err)
	}
	if c.config.RemoteUser == "" || c.config.RemotePassword == "" {
		return remoteSession{}, failed(ErrNoRemoteUser)
	}
	r := request{method: http.MethodPost, template: remoteTemplate, ids: []string{pairing}}
	path, err := r.path()
	if err != nil {
		return remoteSession{}, err
	}
	local, err = c.withLocal(ctx, func(local string) error {
		return c.sendWithRetry(ctx, r, path, nil, func(h http.Header) {
			h.Set(sessionHeader, local)
			h.Set("Authorization", basicAuth(c.config.RemoteUser, c.config.RemotePassword))
		})
	})
	switch {
	case errors.Is(err, ErrLogin):
		return remoteSession{}, err
	case errors.Is(err, ErrSession), errors.Is(err, ErrPermission):
		return remoteSession{}, failed(fmt.Errorf("%w: %w", ErrRemoteLogin, err))
	case errors.Is(err, ErrNotFound):
		return remoteSession{}, fmt.Errorf("log in to the remote site of pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return remoteSession{}, failed(err)
	}
	return remoteSession{local: local, number: c.logins.Add(1)}, nil
}

// sessionKey identifies the sessions used for a pairing, opening them if necessary. If two results differ, a session
// was renewed in between.
func (c *Client) sessionKey(ctx context.Context, pairing string) (key string, err error) {
	s, err := c.open(ctx, pairing)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(s.local, " ", s.remote.number), nil
}

func (c *Client) verifyRemote(ctx context.Context, pairing string) (sessionKey string, err error) {
	p, err := c.Pairing(ctx, pairing)
	if err != nil {
		return "", err
	}
	if !p.IsSingleVCenter() {
		if err := c.checkRemoteSession(ctx, pairing); err != nil {
			return "", err
		}
	}
	return c.sessionKey(ctx, pairing)
}

// checkRemoteSession reads the status of the remote session. If the session has expired, call renews it.
func (c *Client) checkRemoteSession(ctx context.Context, pairing string) error {
	r := request{method: http.MethodGet, template: remoteTemplate, ids: []string{pairing}, pairing: pairing}
	err := c.call(ctx, r, nil)
	switch {
	case errors.Is(err, ErrNotFound): // must not be mistaken for a missing replication
		return fmt.Errorf("read the remote session of pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRemote, err)
	}
	return nil
}
