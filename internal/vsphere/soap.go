// The SOAP side: session, and operations that are repeated as a whole.

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

// boundedTransport sets a time limit for each SOAP request.
type boundedTransport struct {
	soap.RoundTripper
	timeout time.Duration
}

// RoundTrip sends one SOAP request.
func (t boundedTransport) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	bounded, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	err := t.RoundTripper.RoundTrip(bounded, req, res)
	if err != nil && !soap.IsSoapFault(err) && ctx.Err() == nil && bounded.Err() != nil {
		return kinds.NoAnswer(ctx, bounded, "SOAP request", t.timeout, err)
	}
	return err
}

// releaseTime bounds the request that ends a view, a page token or a collector.
const releaseTime = 10 * time.Second

// release ends what a session holds, even after the caller was cancelled. Its failure is not worth an error: what is
// not ended ends with the session.
func release(ctx context.Context, end func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_ = end(ctx)
}

// maxRestarts is how often an operation starts again because other callers have replaced the session.
const maxRestarts = 3

// withSOAP runs a read-only operation of one or more SOAP calls. When the session has expired it logs in afresh once
// and runs the operation again from its start, because views and page tokens end with their session.
func (c *Client) withSOAP(ctx context.Context, op string, run func(context.Context, *vim25.Client) error) error {
	healed, restarts := false, 0
	return c.repeat(ctx, func(int) (time.Duration, error) {
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
				restarts++ // another caller has logged in afresh, and the views of the old session are gone
				continue
			}
			if !errors.Is(err, ErrSession) || healed {
				return 0, err
			}
			healed = true
			c.soapSession.Drop(vim)
		}
	})
}

// InstanceUUID identifies this vCenter. It is part of the login's answer, and costs no request of its
// own.
func (c *Client) InstanceUUID(ctx context.Context) (string, error) {
	var uuid string
	err := c.withSOAP(ctx, "identify vCenter", func(_ context.Context, vim *vim25.Client) error {
		uuid = vim.ServiceContent.About.InstanceUuid
		return nil
	})
	return uuid, err
}

// openSOAP returns a client that is logged in. Concurrent callers share one login.
func (c *Client) openSOAP(ctx context.Context) (*vim25.Client, error) {
	vim, err := c.soapSession.Open(ctx, c.loginSOAP)
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", c.Server(), err)
	}
	return vim, nil
}

func (c *Client) loginSOAP(ctx context.Context) (*vim25.Client, error) {
	const op = "SOAP login"
	bounded := boundedTransport{RoundTripper: c.soap, timeout: c.config.Timeout}
	vim, err := vim25.NewClient(ctx, bounded)
	if err != nil {
		return nil, c.scrubber.Error(loginError(ctx, op, err))
	}
	// NewClient sets this itself only when it is given the bare soap.Client.
	vim.Client = c.soap
	if err := session.NewManager(vim).Login(ctx, c.userinfo); err != nil {
		return nil, c.scrubber.Error(loginError(ctx, op, err))
	}
	return vim, nil
}

func (c *Client) logoutSOAP(ctx context.Context, vim *vim25.Client) error {
	err := soapError(ctx, "log out of "+c.Server(), session.NewManager(vim).Logout(ctx))
	if errors.Is(err, ErrSession) {
		return nil // expired by itself
	}
	return c.scrubber.Error(err)
}
