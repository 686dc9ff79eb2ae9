package snapservice

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/transport"
)

// tokenLifetime is the requested lifetime of a token. Each token is used once.
const tokenLifetime = 5 * time.Minute

// openSession returns the session ID and logs in if necessary. Concurrent callers share one login.
func (c *Client) openSession(ctx context.Context) (string, error) {
	id, err := c.session.Open(ctx, c.login)
	if err != nil {
		return "", fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return id, nil
}

// renewSession replaces a session that has expired. Concurrent callers share one login.
func (c *Client) renewSession(ctx context.Context, stale string) error {
	if _, err := c.session.Renew(ctx, stale, c.login); err != nil {
		return fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return nil
}

// login requests a token and opens a session with it.
func (c *Client) login(ctx context.Context) (string, error) {
	token, err := c.issueToken(ctx)
	if err != nil {
		return "", err
	}
	// The header's format is undocumented. Known clients send the token both with and without quotes.
	for _, form := range []string{`SIGN token="%s"`, "SIGN token=%s"} {
		var id string
		id, err = c.loginWithToken(ctx, fmt.Sprintf(form, token))
		if !errors.Is(err, ErrSession) {
			return id, err
		}
	}
	// The error is not ErrSession, because another login would also be rejected.
	return "", fmt.Errorf("%w: %s", ErrToken, err.Error())
}

// passwordFault and timeFault match the faults of the STS for a wrong password and for clocks that differ.
var (
	passwordFault = regexp.MustCompile(`(?i)FailedAuthentication|invalid credentials|locked|password`)
	timeFault     = regexp.MustCompile(`(?i)InvalidTimeRange|request lifetime interval`)
)

// faultText returns the code and the message of a SOAP fault.
func faultText(err error) string {
	fault := soap.ToSoapFault(err)
	return fault.Code + " " + fault.String
}

// tokenError is returned if the STS refuses to issue a token for a reason other than the password. Other services may
// still accept the user. The error is cached, because the STS would refuse again.
type tokenError struct{ text string }

// Error returns the message from the STS.
func (e *tokenError) Error() string { return "the vCenter STS refused to issue a token: " + e.text }

// Unwrap returns ErrInvalid.
func (*tokenError) Unwrap() error { return ErrInvalid }

// Advice returns a hint for the user.
func (*tokenError) Advice() string {
	return "The vCenter STS refused to issue a token, but not because of the password. Check that the clocks of this " +
		"machine and vCenter agree, that the policy for bearer tokens in vCenter Single Sign-On allows a lifetime of " +
		tokenLifetime.String() + ", and that the identity source of the user is available. Other vCenter services " +
		"are not affected. No further token is requested in this run."
}

// issueToken returns a bearer token from vCenter's STS, encoded for the header. It uses the configured vCenter address,
// because an address returned by a lookup service could redirect the password to another host.
func (c *Client) issueToken(ctx context.Context) (string, error) {
	if refused := c.tokenRefusal.Load(); refused != nil {
		return "", refused
	}
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	serviceClient := c.vcenter.NewServiceClient(sts.Path, sts.Namespace) // unlike c.vcenter, it has its own transport
	clock := &serverClock{next: transport.Guard(serviceClient.DefaultTransport(), c.scrubber)}
	serviceClient.Transport = clock
	client := &sts.Client{Client: serviceClient, RoundTripper: serviceClient}
	token := sts.TokenRequest{
		Userinfo:    url.UserPassword(c.config.User, c.config.Password),
		Delegatable: true,
		Lifetime:    tokenLifetime,
	}
	signer, err := client.Issue(bounded, token)
	if soap.IsSoapFault(err) && timeFault.MatchString(faultText(err)) && clock.ahead.Abs() > time.Minute {
		clock.shift = clock.ahead
		signer, err = client.Issue(bounded, token)
	}
	const op = "request a token from the vCenter STS"
	switch {
	case soap.IsSoapFault(err):
		if passwordFault.MatchString(faultText(err)) {
			return "", fmt.Errorf("%s: %w", op, ErrLogin) // omit the message, which may quote the password
		}
		c.tokenRefusal.Store(&tokenError{text: c.clean(soap.ToSoapFault(err).String)})
		return "", fmt.Errorf("%s: %w", op, c.tokenRefusal.Load())
	case transport.SOAPStatus(err) == http.StatusUnauthorized:
		return "", fmt.Errorf("%s: %w (HTTP %d)", op, ErrLogin, http.StatusUnauthorized)
	case err != nil:
		err = c.scrubber.Error(transport.WithoutURL(err))
		return "", fmt.Errorf("%w: %w", ErrVCenter, kinds.NoResponse(ctx, bounded, op, c.config.Timeout, err))
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(signer.Token)); err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	text := base64.StdEncoding.EncodeToString(zipped.Bytes())
	c.scrubber.Add(signer.Token)
	c.scrubber.Add(text)
	return text, nil
}

// loginWithToken opens a session with the given header and returns the session ID.
func (c *Client) loginWithToken(ctx context.Context, header string) (string, error) {
	r := request{operation: createSession}
	authenticate := func(h http.Header) { h.Set("Authorization", header) }
	var id string
	for attempt := 1; ; attempt++ {
		after, err := c.send(ctx, r, r.endpoint().template, attempt, &id, authenticate)
		apiErr, isAPIError := transport.AsAPIError(err)
		if isAPIError {
			apiErr.Messages = nil // the messages may quote the token
		}
		switch {
		case err == nil && id == "":
			return "", fmt.Errorf("%s: %w: the response contains no session", r, ErrUnavailable)
		case err == nil:
			c.scrubber.Add(id)
			return id, nil
		case isAPIError && meansLongHeader(apiErr.Status):
			return "", fmt.Errorf("%w: its header has %d bytes: %w", ErrHeader, len(header), err)
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrNoOperation):
			return "", fmt.Errorf("%w: %w", ErrVersion, err)
		case !c.awaitRetry(ctx, transport.AsLoginError(err), after, attempt):
			return "", err
		}
	}
}

// meansLongHeader reports whether a service returns this HTTP status for a header that is too long. A proxy may limit
// headers to 8 KiB, and the token grows with the user's group memberships.
func meansLongHeader(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestHeaderFieldsTooLarge
}

// logout ends a session.
func (c *Client) logout(ctx context.Context, id string) error {
	r := request{operation: deleteSession}
	_, err := c.send(ctx, r, r.endpoint().template, 1, nil, func(h http.Header) { h.Set(sessionHeader, id) })
	if errors.Is(err, ErrSession) {
		return nil // the session has already expired
	}
	return err
}
