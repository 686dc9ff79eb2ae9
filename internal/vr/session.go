// The session at the gateway and the remote sessions that hang off it: one login for all callers, and healing.

package vr

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
)

const (
	sessionTemplate = "/session"
	remoteTemplate  = "/pairings/{pairing_id}/remote-session"
)

// session is one login with the pairings that are logged in remotely as well. It is replaced, never changed.
type session struct {
	id string
	// remote counts the remote logins of a pairing: a caller that was refused learns whether another has healed it.
	remote map[string]int
}

func (s *session) with(pairing string) *session {
	remote := maps.Clone(s.remote)
	if remote == nil {
		remote = make(map[string]int)
	}
	remote[pairing]++
	return &session{id: s.id, remote: remote}
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// open returns a session, after opening what is missing of it. Concurrent callers share one login.
func (c *Client) open(ctx context.Context, pairing string) (*session, error) {
	if err := c.login.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	defer c.login.Release(1)
	if c.session == nil {
		if err := c.loginLocal(ctx); err != nil {
			return nil, err
		}
	}
	if pairing == "" || c.session.remote[pairing] > 0 {
		return c.session, nil
	}
	if err := c.loginRemote(ctx, pairing); err != nil {
		return nil, err
	}
	return c.session, nil
}

// loginLocal logs in; the caller holds login.
func (c *Client) loginLocal(ctx context.Context) error {
	var answer struct {
		ID string `json:"session_id"`
	}
	r := request{method: http.MethodPost, template: sessionTemplate}
	err := c.patiently(
		ctx,
		r,
		sessionTemplate,
		&answer,
		func(h http.Header) { h.Set("Authorization", basic(c.config.User, c.config.Password)) },
	)
	switch {
	case errors.Is(err, ErrSession), errors.Is(err, ErrPermission):
		return fmt.Errorf("log in to %s: %w: %w", c.Server(), ErrLogin, err)
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("log in to %s: %w: %w", c.Server(), ErrVersion, err)
	case err != nil:
		return fmt.Errorf("log in to %s: %w", c.Server(), err)
	case answer.ID == "":
		return fmt.Errorf("log in to %s: %w: the answer holds no session", c.Server(), ErrUnavailable)
	}
	c.session = &session{id: answer.ID}
	return nil
}

// patiently sends a request of the session itself, which must not go through call. A login that got no answer may be
// repeated: at worst a session is left to end by itself.
func (c *Client) patiently(ctx context.Context, r request, path string, out any, authenticate func(http.Header)) error {
	for attempt := 1; ; attempt++ {
		after, err := c.exchange(ctx, r, path, attempt, out, authenticate)
		if err == nil {
			return nil
		}
		if answer, ok := errors.AsType[*APIError](err); ok && answer.Status == http.StatusInternalServerError {
			return err // an answer, and as likely as not the one to bad credentials or to a site that is down
		}
		if !c.again(ctx, err, after, attempt) {
			return err
		}
	}
}

// loginRemote logs in at the other site of a pairing; the caller holds login and there is a local session. A pairing
// of a vCenter with itself has no other site.
func (c *Client) loginRemote(ctx context.Context, pairing string) error {
	single, err := c.isSingle(ctx, pairing)
	if err != nil {
		return err
	}
	if single {
		c.session = c.session.with(pairing)
		return nil
	}
	failed := func(err error) error {
		return fmt.Errorf("log in at the remote site of pairing %s: %w: %w", pairing, ErrRemote, err)
	}
	if c.config.RemoteUser == "" {
		return failed(ErrNoRemoteUser)
	}
	r := request{method: http.MethodPost, template: remoteTemplate, ids: []string{pairing}}
	path, err := r.path()
	if err != nil {
		return err
	}
	err = c.withLocal(ctx, func(local string) error {
		return c.patiently(ctx, r, path, nil, func(h http.Header) {
			h.Set(sessionHeader, local)
			h.Set("Authorization", basic(c.config.RemoteUser, c.config.RemotePassword))
		})
	})
	switch {
	case errors.Is(err, ErrSession), errors.Is(err, ErrPermission):
		return failed(fmt.Errorf("%w: %w", ErrRemoteLogin, err))
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("log in at the remote site of pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return failed(err)
	}
	c.session = c.session.with(pairing)
	return nil
}

// withLocal runs one request of the session itself, and once more with a fresh login when its 401 means that the local
// session has ended. The caller holds login.
func (c *Client) withLocal(ctx context.Context, run func(local string) error) error {
	err := run(c.session.id)
	if !errors.Is(err, ErrSession) || c.alive(ctx, sessionTemplate) {
		return err
	}
	c.session = nil
	if err := c.loginLocal(ctx); err != nil {
		return err
	}
	return run(c.session.id)
}

// isSingle reports whether a pairing joins a vCenter with itself. The remote half of a pairing may be missing before
// the remote login; then it is another vCenter.
func (c *Client) isSingle(ctx context.Context, pairing string) (bool, error) {
	r := request{method: http.MethodGet, template: "/pairings/{pairing_id}", ids: []string{pairing}, incomplete: true}
	path, err := r.path()
	if err != nil {
		return false, err
	}
	var answer wirePairing
	err = c.withLocal(ctx, func(local string) error {
		return c.patiently(ctx, r, path, &answer, func(h http.Header) { h.Set(sessionHeader, local) })
	})
	if errors.Is(err, ErrNotFound) {
		return false, fmt.Errorf("read pairing %s: %w", pairing, ErrPairing)
	}
	if err != nil {
		return false, fmt.Errorf("read pairing %s: %w", pairing, err)
	}
	return answer.domain().Single(), nil
}

// alive asks whether a session, the local one or a remote one, still stands.
func (c *Client) alive(ctx context.Context, path string) bool {
	r := request{method: http.MethodGet, template: sessionTemplate}
	if path != sessionTemplate {
		r.template = remoteTemplate
	}
	id := c.session.id
	return c.patiently(ctx, r, path, nil, func(h http.Header) { h.Set(sessionHeader, id) }) == nil
}

// heal finds out whether a session is behind a refusal, and replaces what has ended. changed: the request is worth
// sending once more. tried: this very call has looked into it, so a second refusal is final.
func (c *Client) heal(
	ctx context.Context,
	used *session,
	pairing string,
	cause error,
) (changed, tried bool, err error) {
	if err := c.login.Acquire(ctx, 1); err != nil {
		return false, true, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	defer c.login.Release(1)
	if c.session == nil || c.session.id != used.id || c.session.remote[pairing] != used.remote[pairing] {
		return true, false, nil // another caller has healed it
	}
	if !c.alive(ctx, sessionTemplate) {
		c.session = nil
		return true, true, c.loginLocal(ctx)
	}
	refused := errors.Is(cause, ErrSession)
	if pairing == "" {
		// The session stands, so a 401 is a contradiction, which a fresh one may resolve; other refusals are not about it.
		if !refused {
			return false, true, nil
		}
		_ = c.logout(ctx) // it is given up in any case
		return true, true, c.loginLocal(ctx)
	}
	path, err := request{template: remoteTemplate, ids: []string{pairing}}.path()
	if err != nil {
		return false, true, err
	}
	if !refused && c.alive(ctx, path) {
		return false, true, nil
	}
	return true, true, c.loginRemote(ctx, pairing)
}

// standing names the sessions that a call concerning the pairing uses, after opening what is missing: another name
// later means that one of them was replaced. It is for comparison only.
func (c *Client) standing(ctx context.Context, pairing string) (sessions string, err error) {
	s, err := c.open(ctx, pairing)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(s.id, " ", s.remote[pairing]), nil
}

// examine asks whether the remote session stands, replaces it where it does not, and returns what stands then.
func (c *Client) examine(ctx context.Context, pairing string) (sessions string, err error) {
	p, err := c.Pairing(ctx, pairing)
	if err != nil {
		return "", err
	}
	if !p.Single() {
		if err := c.askRemote(ctx, pairing); err != nil {
			return "", err
		}
	}
	return c.standing(ctx, pairing)
}

// askRemote asks for the remote session, which replaces one that has ended.
func (c *Client) askRemote(ctx context.Context, pairing string) error {
	r := request{method: http.MethodGet, template: remoteTemplate, ids: []string{pairing}, pairing: pairing}
	err := c.call(ctx, r, nil)
	switch {
	case errors.Is(err, ErrNotFound): // must not pass for the absence of what is in the pairing
		return fmt.Errorf("ask for the remote session of pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRemote, err)
	}
	return nil
}

// logout ends the session; the caller holds login.
func (c *Client) logout(ctx context.Context) error {
	if c.session == nil {
		return nil
	}
	id := c.session.id
	c.session = nil
	// Terraform returns a provider two seconds to end, which the limit must not use up.
	r := request{method: http.MethodDelete, template: sessionTemplate, urgent: true}
	_, err := c.exchange(ctx, r, sessionTemplate, 1, nil, func(h http.Header) { h.Set(sessionHeader, id) })
	if errors.Is(err, ErrSession) {
		return nil // expired by itself
	}
	return err
}
