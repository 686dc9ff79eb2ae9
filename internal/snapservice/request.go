package snapservice

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
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

const sessionHeader = "vmware-api-session-id"

// operation is an API operation. Messages contain its template, never the expanded path.
type operation struct {
	method, template string
	// action is the value of the query parameter "action", or empty.
	action string
	// startsTask is set for writes, to which the appliance responds with a task ID.
	startsTask bool
}

var (
	createSession  = operation{http.MethodPost, "/snapservice/sessions", "", false}
	deleteSession  = operation{http.MethodDelete, "/snapservice/sessions", "", false}
	getAbout       = operation{http.MethodGet, "/snapservice/info/about", "", false}
	listSites      = operation{http.MethodGet, "/snapservice/sites", "", false}
	listLicences   = operation{http.MethodGet, "/snapservice/sites/{site}/licenses", "", false}
	listClusters   = operation{http.MethodGet, "/snapservice/sites/{site}/clusters", "", false}
	getCapability  = operation{http.MethodGet, "/snapservice/sites/{site}/clusters/{cluster}/capabilities", "", false}
	listPairs      = operation{http.MethodGet, "/snapservice/cluster-pairs", "", false}
	listVMs        = operation{http.MethodGet, "/snapservice/clusters/{cluster}/virtual-machines", "", false}
	listGroups     = operation{http.MethodGet, groupsPath, "", false}
	getGroup       = operation{http.MethodGet, groupPath, "", false}
	computeMembers = operation{http.MethodPost, "/snapservice/protection-groups", "compute-members", false}
	createGroup    = operation{http.MethodPost, groupsPath, "", true}
	updateGroup    = operation{http.MethodPatch, groupPath, "", true}
	deleteGroup    = operation{http.MethodDelete, groupPath, "", true}
	pauseGroup     = operation{http.MethodPost, groupPath, "pause", true}
	resumeGroup    = operation{http.MethodPost, groupPath, "resume", true}
	createSnapshot = operation{http.MethodPost, groupPath + "/snapshots", "", true}
	listTasks      = operation{http.MethodGet, "/snapservice/tasks", "", false}
	getTask        = operation{http.MethodGet, "/snapservice/tasks/{task}", "", false}
)

const (
	groupsPath = "/snapservice/clusters/{cluster}/protection-groups"
	groupPath  = groupsPath + "/{pg}"
)

// request is a call to an operation. ids are the values for the template's placeholders, in order.
type request struct {
	operation

	ids   []string
	query url.Values
	body  any
}

// String returns the method, template and action.
func (r request) String() string {
	s := r.method + " " + r.template
	if r.action != "" {
		s += "?action=" + r.action
	}
	return s
}

// path expands the template. It rejects an empty ID, which would produce the path of a different operation.
func (r request) path() (string, error) {
	return kinds.Expand(r.String(), r.template, r.ids)
}

// call sends a request and logs in first if necessary. It retries requests that were not processed (expired session,
// throttling) and reads that failed temporarily. For a write without a usable response, it returns ErrUncertain. out
// may be nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	renewed := false
	defer c.config.EndProbe(ctx)
	for attempt := 1; ; attempt++ {
		id, err := c.openSession(ctx)
		if err != nil {
			return err
		}
		after, err := c.send(ctx, r, path, attempt, out, func(h http.Header) { h.Set(sessionHeader, id) })
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrSession) && !renewed:
			renewed = true
			if err := c.renewSession(ctx, id); err != nil {
				return err
			}
			attempt--
			continue
		case r.startsTask && transport.MayHaveTakenEffect(err):
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		case !c.awaitRetry(ctx, err, after, attempt):
			return err
		}
	}
}

func (c *Client) awaitRetry(ctx context.Context, err error, after time.Duration, attempt int) bool {
	if errors.Is(err, ErrLimited) {
		c.rateLimiter.Throttle(after) // delays the next request of every caller
	}
	return c.config.AwaitRetry(ctx, err, after, attempt)
}

func (c *Client) send(
	ctx context.Context,
	r request,
	path string,
	attempt int,
	out any,
	authenticate func(http.Header),
) (after time.Duration, err error) {
	event := Event{Method: r.method, Path: r.template, Attempt: attempt}
	if event.Throttled, err = c.rateLimiter.Wait(ctx); err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	defer c.slots.Release(1)
	query := url.Values{}
	maps.Copy(query, r.query)
	if r.action != "" {
		query.Set("action", r.action)
	}
	if r.startsTask {
		query.Set("vmw-task", "true")
	}
	body, event, err := c.service.Send(ctx, transport.Request{
		Event:        event,
		Name:         r.String(),
		Path:         path,
		Query:        query,
		Body:         r.body,
		Authenticate: authenticate,
		ParseError:   func(event *Event, body []byte) error { return c.parseError(r, event.Status, body) },
	})
	if err != nil || out == nil {
		return event.RetryAfter, err
	}
	return event.RetryAfter, c.service.Decode(r.String(), body, out)
}

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

func (c *Client) renewSession(ctx context.Context, stale string) error {
	if _, err := c.session.Renew(ctx, stale, c.login); err != nil {
		return fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return nil
}

func (c *Client) login(ctx context.Context) (string, error) {
	token, err := c.issueToken(ctx)
	if err != nil {
		return "", err
	}
	// The header's format is undocumented. Known clients send the token both with and without quotes.
	for _, form := range []string{`SIGN token="%s"`, "SIGN token=%s"} {
		var id string
		if id, err = c.loginWithToken(ctx, fmt.Sprintf(form, token)); !errors.Is(err, ErrSession) {
			return id, err
		}
	}
	// The error is not ErrSession, because another login would also be rejected.
	return "", fmt.Errorf("%w: %s", ErrToken, err.Error())
}

var (
	passwordFault = regexp.MustCompile(`(?i)FailedAuthentication|invalid credentials|locked|password`)
	timeFault     = regexp.MustCompile(`(?i)InvalidTimeRange|request lifetime interval`)
)

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

func (c *Client) loginWithToken(ctx context.Context, header string) (string, error) {
	r := request{operation: createSession}
	var id string
	for attempt := 1; ; attempt++ {
		after, err := c.send(ctx, r, r.template, attempt, &id, func(h http.Header) { h.Set("Authorization", header) })
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
		case isAPIError && (apiErr.Status == http.StatusBadRequest ||
			apiErr.Status == http.StatusRequestHeaderFieldsTooLarge):
			// A proxy may limit headers to 8 KiB, and the token grows with the user's group memberships.
			return "", fmt.Errorf("%w: its header has %d bytes: %w", ErrHeader, len(header), err)
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrNoOperation):
			return "", fmt.Errorf("%w: %w", ErrVersion, err)
		case !c.awaitRetry(ctx, transport.AsLoginError(err), after, attempt):
			return "", err
		}
	}
}

func (c *Client) logout(ctx context.Context, id string) error {
	r := request{operation: deleteSession}
	_, err := c.send(ctx, r, r.template, 1, nil, func(h http.Header) { h.Set(sessionHeader, id) })
	if errors.Is(err, ErrSession) {
		return nil // the session has already expired
	}
	return err
}

// CheckVCenter verifies that the appliance belongs to the vCenter that issued the token, and caches the result. Cluster
// IDs are unique only within a vCenter, and the appliance of a linked vCenter accepts the same token. If the account is
// not allowed to read the sites, CheckVCenter returns a warning instead of an error. Errors: ErrOtherVCenter.
func (c *Client) CheckVCenter(ctx context.Context) (warning string, err error) {
	return c.vcenterChecks.Get(ctx, "", func(ctx context.Context) (string, error) {
		sites, err := c.sites(ctx)
		if errors.Is(err, ErrPermission) {
			return "The account lacks permission to read the vSAN Data Protection sites (Site.View), so it is " +
				"unknown whether the appliance belongs to vsphere_server.", nil
		}
		if err != nil {
			return "", err
		}
		content, err := methods.GetServiceContent(ctx, c.vcenter)
		if err != nil {
			err = kinds.NoResponse(ctx, ctx, "identify vCenter", c.config.Timeout, transport.WithoutURL(err))
			return "", fmt.Errorf("%w: %w", ErrVCenter, err)
		}
		for _, s := range sites {
			if !s.Local {
				continue
			}
			if strings.EqualFold(s.VCenter.ID, content.About.InstanceUuid) {
				return "", nil
			}
			return "", fmt.Errorf("%w: it belongs to vCenter %s (ID %s), but vsphere_server has the ID %s",
				ErrOtherVCenter, c.clean(s.VCenter.Name), c.clean(s.VCenter.ID), content.About.InstanceUuid)
		}
		return "", fmt.Errorf("list the sites: %w: no site is local", ErrUnavailable)
	})
}
