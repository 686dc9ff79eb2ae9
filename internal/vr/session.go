package vr

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"terraform-provider-vsla/internal/transport"
)

const (
	sessionTemplate = "/session"
	remoteTemplate  = "/pairings/{pairing_id}/remote-session"
)

type session struct {
	local  string
	remote remoteSession
}

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// open returns the sessions that a call needs and logs in where necessary. Concurrent callers share one login. Calls
// without a pairing never wait for a login to a remote site.
func (c *Client) open(ctx context.Context, pairing string) (session, error) {
	local, err := c.openLocal(ctx)
	if err != nil || pairing == "" {
		return session{local: local}, err
	}
	r := c.remote(pairing)
	if current := r.Current(); current.local != local {
		r.Drop(current)
	}
	remote, err := r.Open(ctx, func(ctx context.Context) (remoteSession, error) { return c.loginRemote(ctx, pairing) })
	if err != nil {
		return session{}, err
	}
	return session{local: remote.local, remote: remote}, nil
}

func (c *Client) openLocal(ctx context.Context) (string, error) {
	local, err := c.local.Open(ctx, c.loginLocal)
	if err != nil {
		return "", fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return local, nil
}

func (c *Client) renewLocal(
	ctx context.Context,
	stale string,
	renew func(context.Context) (string, error),
) (string, error) {
	local, err := c.local.Renew(ctx, stale, renew)
	if err != nil {
		return "", fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return local, nil
}

func (c *Client) loginLocal(ctx context.Context) (string, error) {
	var result struct {
		ID string `json:"session_id"`
	}
	r := request{method: http.MethodPost, template: sessionTemplate}
	err := c.sendWithRetry(ctx, r, sessionTemplate, &result,
		func(h http.Header) { h.Set("Authorization", basicAuth(c.config.User, c.config.Password)) })
	switch {
	case errors.Is(err, ErrSession), errors.Is(err, ErrPermission):
		return "", fmt.Errorf("%w: %w", ErrLogin, err)
	case errors.Is(err, ErrNotFound):
		return "", fmt.Errorf("%w: %w", ErrVersion, err)
	case err != nil:
		return "", err
	case result.ID == "":
		return "", fmt.Errorf("%w: the response contains no session", ErrUnavailable)
	}
	return result.ID, nil
}

// sendWithRetry sends requests that open or check a session, for which call cannot be used. A login without a response
// can be retried: at worst, it leaves behind an unused session that expires.
func (c *Client) sendWithRetry(
	ctx context.Context, r request, path string, out any, authenticate func(http.Header),
) error {
	for attempt := 1; ; attempt++ {
		after, err := c.sendAuthenticated(ctx, r, path, attempt, out, authenticate)
		if err == nil {
			return nil
		}
		if r.method == http.MethodPost {
			err = transport.AsLoginError(err)
		}
		if result, ok := transport.AsAPIError(err); ok {
			if r.method == http.MethodPost {
				redactLoginError(result)
			}
			if result.Status == http.StatusInternalServerError {
				return err // not retried: the credentials might be wrong or the site unavailable
			}
		}
		if !c.awaitRetry(ctx, err, after, attempt) {
			return err
		}
	}
}

// codeForm matches an error code of the API, which quotes nothing.
var codeForm = regexp.MustCompile(`^[\w.]*$`)

// redactLoginError removes the parts of a login error that may quote the password.
func redactLoginError(e *transport.APIError) {
	e.Messages = nil
	e.OperationID = ""
	if !codeForm.MatchString(e.Type) {
		e.Type = ""
	}
}

// withLocal runs a request that opens or checks a session. If it fails because the local session has expired, withLocal
// logs in and runs it once more. It returns the local session of the last run.
func (c *Client) withLocal(ctx context.Context, run func(local string) error) (string, error) {
	local, err := c.openLocal(ctx)
	if err != nil {
		return "", err
	}
	err = run(local)
	if !errors.Is(err, ErrSession) || c.isAlive(ctx, local, sessionTemplate) {
		return local, err
	}
	if _, err := c.renewLocal(ctx, local, c.loginLocal); err != nil {
		return "", err
	}
	local, err = c.openLocal(ctx)
	if err != nil {
		return "", err
	}
	return local, run(local)
}

// isSingleVCenter reports whether a pairing connects a vCenter to itself. Before the remote login, the pairing's remote
// half may be missing, which means that it connects two vCenters.
func (c *Client) isSingleVCenter(ctx context.Context, pairing string) (local string, single bool, err error) {
	r := request{
		method:          http.MethodGet,
		template:        "/pairings/{pairing_id}",
		ids:             []string{pairing},
		allowIncomplete: true,
	}
	path, err := r.path()
	if err != nil {
		return "", false, err
	}
	var result wirePairing
	local, err = c.withLocal(ctx, func(local string) error {
		return c.sendWithRetry(ctx, r, path, &result, func(h http.Header) { h.Set(sessionHeader, local) })
	})
	switch {
	case errors.Is(err, ErrLogin):
		return "", false, err
	case errors.Is(err, ErrNotFound):
		return "", false, fmt.Errorf("read pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return "", false, fmt.Errorf("read pairing %s: %w", pairing, err)
	}
	return local, result.domain().IsSingleVCenter(), nil
}

func (c *Client) isAlive(ctx context.Context, local, path string) bool {
	r := request{method: http.MethodGet, template: sessionTemplate}
	if path != sessionTemplate {
		r.template = remoteTemplate
	}
	return c.sendWithRetry(ctx, r, path, nil, func(h http.Header) { h.Set(sessionHeader, local) }) == nil
}

// renewSessions is called after a rejected request. It checks whether a session has ended, and renews it if so. resend
// reports whether to send the request again. checked reports whether this call, rather than a concurrent one, made the
// check. If it did, a second rejection is final.
func (c *Client) renewSessions(
	ctx context.Context,
	used session,
	pairing string,
	cause error,
) (resend, checked bool, err error) {
	refused := errors.Is(cause, ErrSession)
	if pairing == "" {
		current, err := c.renewLocal(ctx, used.local, func(ctx context.Context) (string, error) {
			checked = true
			if c.isAlive(ctx, used.local, sessionTemplate) {
				if !refused {
					return used.local, nil // the session is not the cause of the error
				}
				// Log in again, because the session was rejected although its status is valid.
				_ = c.logout(ctx, used.local)
			}
			return c.loginLocal(ctx)
		})
		return current != used.local, checked, err
	}
	path, err := request{template: remoteTemplate, ids: []string{pairing}}.path()
	if err != nil {
		return false, true, err
	}
	current, err := c.remote(pairing).Renew(ctx, used.remote, func(ctx context.Context) (remoteSession, error) {
		checked = true
		if !c.isAlive(ctx, used.local, sessionTemplate) {
			if _, err := c.renewLocal(ctx, used.local, c.loginLocal); err != nil {
				return remoteSession{}, err
			}
		} else if !refused && c.isAlive(ctx, used.local, path) {
			return used.remote, nil
		}
		return c.loginRemote(ctx, pairing)
	})
	return current != used.remote, checked, err
}

func (c *Client) logout(ctx context.Context, id string) error {
	// Terraform gives a provider two seconds to stop, so skip the rate limit.
	r := request{method: http.MethodDelete, template: sessionTemplate, skipRateLimit: true}
	_, err := c.sendAuthenticated(ctx, r, sessionTemplate, 1, nil, func(h http.Header) { h.Set(sessionHeader, id) })
	if errors.Is(err, ErrSession) {
		return nil // the session has already expired
	}
	return err
}
