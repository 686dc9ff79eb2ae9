package vsphere

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
)

type boundedTransport struct {
	soap.RoundTripper
	timeout time.Duration
}

// RoundTrip sends a SOAP request.
func (t boundedTransport) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	bounded, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	err := t.RoundTripper.RoundTrip(bounded, req, res)
	if err != nil && !soap.IsSoapFault(err) && ctx.Err() == nil && bounded.Err() != nil {
		return kinds.NoResponse(ctx, bounded, "SOAP request", t.timeout, err)
	}
	return err
}

const releaseTimeout = 10 * time.Second

// release destroys a view or collector, even if ctx is canceled. It ignores failures, because views and collectors end
// with the session.
func release(ctx context.Context, end func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = end(ctx)
}

// maxRestarts is the maximum number of times that an operation is restarted because another caller replaced the
// session.
const maxRestarts = 3

// withSOAP runs a read-only operation that consists of one or more SOAP calls. If the session has expired, it logs in
// again once and restarts the operation, because views and page tokens end with their session.
func (c *Client) withSOAP(ctx context.Context, op string, run func(context.Context, *vim25.Client) error) error {
	renewed, restarts := false, 0
	return c.retry(ctx, func(int) (time.Duration, error) {
		for {
			vim, err := c.openSOAP(ctx)
			if err != nil {
				return 0, err
			}
			err = c.scrubber.Error(soapError(ctx, op, run(ctx, vim)))
			if err == nil {
				return 0, nil
			}
			if current := c.soapSession.Current(); current != vim && current != nil && ctx.Err() == nil &&
				restarts < maxRestarts {
				restarts++ // another caller logged in again, so the old session's views are gone
				continue
			}
			if !errors.Is(err, ErrSession) || renewed {
				return 0, err
			}
			renewed = true
			c.soapSession.Drop(vim)
		}
	})
}

// InstanceUUID returns the ID of this vCenter. It needs no additional request, because the login returns the ID.
func (c *Client) InstanceUUID(ctx context.Context) (string, error) {
	var uuid string
	err := c.withSOAP(ctx, "identify vCenter", func(_ context.Context, vim *vim25.Client) error {
		uuid = vim.ServiceContent.About.InstanceUuid
		return nil
	})
	return uuid, err
}

func (c *Client) openSOAP(ctx context.Context) (*vim25.Client, error) {
	vim, err := c.soapSession.Open(ctx, c.loginSOAP)
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return vim, nil
}

func (c *Client) loginSOAP(ctx context.Context) (*vim25.Client, error) {
	const op = "SOAP login"
	vim, err := vim25.NewClient(ctx, boundedTransport{RoundTripper: c.soap, timeout: c.config.Timeout})
	if err != nil {
		return nil, c.scrubber.Error(loginError(ctx, op, err))
	}
	// NewClient sets this field only if it receives a bare soap.Client.
	vim.Client = c.soap
	if err := session.NewManager(vim).Login(ctx, c.userinfo); err != nil {
		return nil, c.scrubber.Error(loginError(ctx, op, err))
	}
	return vim, nil
}

func (c *Client) logoutSOAP(ctx context.Context, vim *vim25.Client) error {
	err := soapError(ctx, "log out of "+c.Server(), session.NewManager(vim).Logout(ctx))
	if errors.Is(err, ErrSession) {
		return nil // the session has already expired
	}
	return c.scrubber.Error(err)
}
