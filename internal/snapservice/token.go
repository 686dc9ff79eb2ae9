// The login: a token from vCenter's STS, exchanged for a session of the appliance, and the check that both belong
// together.

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
	"strings"
	"time"

	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/transport"
)

// tokenLife is the requested lifetime: a token is used once.
const tokenLife = 5 * time.Minute

// open returns the session, after logging in where there is none. Concurrent callers share one login.
func (c *Client) open(ctx context.Context) (string, error) {
	id, err := c.session.Open(ctx, c.login)
	if err != nil {
		return "", fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return id, nil
}

// renew replaces a session that has ended.
func (c *Client) renew(ctx context.Context, stale string) error {
	if _, err := c.session.Renew(ctx, stale, c.login); err != nil {
		return fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return nil
}

func (c *Client) login(ctx context.Context) (string, error) {
	token, err := c.issue(ctx)
	if err != nil {
		return "", err
	}
	// The vendor's documents do not show the header; clients have been seen with the value in quotes and without.
	for _, form := range []string{`SIGN token="%s"`, "SIGN token=%s"} {
		var id string
		if id, err = c.exchangeToken(ctx, fmt.Sprintf(form, token)); !errors.Is(err, ErrSession) {
			return id, err
		}
	}
	return "", fmt.Errorf("%w: %s", ErrToken, err.Error()) // not as ErrSession: another login would be refused as well
}

// wrongPassword is in the faults of the STS that count towards the lockout of the account.
var wrongPassword = regexp.MustCompile(`(?i)FailedAuthentication|invalid credentials|locked|password`)

// tokenError is a refusal of the STS for another reason than the password, which other services may accept. It is
// remembered: the STS would refuse again.
type tokenError struct{ text string }

// Error returns the text of the STS.
func (e *tokenError) Error() string { return "the STS of vCenter refuses the token: " + e.text }

// Unwrap returns the sentinel.
func (*tokenError) Unwrap() error { return ErrInvalid }

// Advice returns what to check.
func (*tokenError) Advice() string {
	return "vCenter's STS issues no token, and not because of the password. Check that the clocks of this machine and " +
		"of vCenter agree, that the policy for bearer tokens in vCenter Single Sign-On allows a lifetime of " +
		tokenLife.String() + ", and that the identity source of the user is available. Other services of vCenter are not " +
		"affected, and the STS is not asked again in this run."
}

// issue returns a bearer token of vCenter's STS in the form of the header. The address is that of vCenter: an address
// from a lookup service could be another host's, which would get the password.
func (c *Client) issue(ctx context.Context) (string, error) {
	if refused := c.noToken.Load(); refused != nil {
		return "", refused
	}
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	sc := c.vcenter.NewServiceClient(sts.Path, sts.Namespace) // which has another transport than c.vcenter
	sc.Transport = transport.Guard(sc.DefaultTransport(), c.scrubber)
	client := &sts.Client{Client: sc, RoundTripper: sc}
	signer, err := client.Issue(bounded, sts.TokenRequest{
		Userinfo: url.UserPassword(c.config.User, c.config.Password), Delegatable: true, Lifetime: tokenLife,
	})
	const op = "ask the STS of vCenter for a token"
	switch {
	case soap.IsSoapFault(err):
		fault := soap.ToSoapFault(err)
		if wrongPassword.MatchString(fault.Code + " " + fault.String) {
			return "", fmt.Errorf("%s: %w", op, ErrLogin) // without the text, which may quote the password
		}
		c.noToken.Store(&tokenError{text: c.clean(fault.String)})
		return "", fmt.Errorf("%s: %w", op, c.noToken.Load())
	case transport.SOAPStatus(err) == http.StatusUnauthorized:
		return "", fmt.Errorf("%s: %w (HTTP %d)", op, ErrLogin, http.StatusUnauthorized)
	case err != nil:
		return "", kinds.NoAnswer(ctx, bounded, op, c.config.Timeout, c.scrubber.Error(transport.WithoutURL(err)))
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

func (c *Client) exchangeToken(ctx context.Context, header string) (string, error) {
	r := request{operation: createSession}
	var id string
	for attempt := 1; ; attempt++ {
		after, err := c.exchange(ctx, r, r.template, attempt, &id, func(h http.Header) { h.Set("Authorization", header) })
		refused, answered := transport.Answer(err)
		if answered {
			refused.Messages = nil // which may quote the token
		}
		switch {
		case err == nil && id == "":
			return "", fmt.Errorf("%s: %w: the answer contains no session", r, ErrUnavailable)
		case err == nil:
			c.scrubber.Add(id)
			return id, nil
		case answered && (refused.Status == http.StatusBadRequest ||
			refused.Status == http.StatusRequestHeaderFieldsTooLarge):
			// A proxy in between may allow 8 KiB only, and a token grows with the groups of its user.
			return "", fmt.Errorf("%w: its header has %d bytes: %w", ErrHeader, len(header), err)
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrNoOperation):
			return "", fmt.Errorf("%w: %w", ErrVersion, err)
		case !c.again(ctx, err, after, attempt):
			return "", err
		}
	}
}

func (c *Client) logout(ctx context.Context, id string) error {
	r := request{operation: deleteSession}
	_, err := c.exchange(ctx, r, r.template, 1, nil, func(h http.Header) { h.Set(sessionHeader, id) })
	if errors.Is(err, ErrSession) {
		return nil // expired by itself
	}
	return err
}

// Check compares the appliance's own vCenter with the one that issued the token, once: ids of clusters are unique
// within one vCenter only, and the appliance of a linked one accepts the same token. It returns a warning where the
// account may not see the sites. Errors: ErrOtherVCenter.
func (c *Client) Check(ctx context.Context) (warning string, err error) {
	return c.origins.Get(ctx, "", func(ctx context.Context) (string, error) {
		sites, err := c.sites(ctx)
		if errors.Is(err, ErrPermission) {
			return "The account may not see the sites of vSAN Data Protection (Site.View), so it is not certain that the " +
				"appliance belongs to vsphere_server.", nil
		}
		if err != nil {
			return "", err
		}
		content, err := methods.GetServiceContent(ctx, c.vcenter)
		if err != nil {
			return "", kinds.NoAnswer(ctx, ctx, "identify vCenter", c.config.Timeout, transport.WithoutURL(err))
		}
		for _, s := range sites {
			if !s.Local {
				continue
			}
			if strings.EqualFold(s.VCenter.ID, content.About.InstanceUuid) {
				return "", nil
			}
			return "", fmt.Errorf("%w: it belongs to vCenter %s, whose id is %s; that of vsphere_server is %s",
				ErrOtherVCenter, c.clean(s.VCenter.Name), c.clean(s.VCenter.ID), content.About.InstanceUuid)
		}
		return "", fmt.Errorf("list the sites: %w: none of them is the local one", ErrUnavailable)
	})
}
