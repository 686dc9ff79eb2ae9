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

// boundedTransport returns each SOAP request its own time limit.
type boundedTransport struct {
	soap.RoundTripper
	timeout time.Duration
}

// RoundTrip sends one SOAP request.
func (t boundedTransport) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	return t.RoundTripper.RoundTrip(ctx, req, res)
}

// withSOAP runs a read-only operation of one or more SOAP calls. When the session has expired it logs in afresh once
// and runs the operation again from its start, because views and page tokens end with their session.
func (c *Client) withSOAP(ctx context.Context, op string, run func(context.Context, *vim25.Client) error) error {
	healed := false
	return c.repeat(ctx, func(int) (time.Duration, error) {
		for {
			vim, err := c.openSOAP(ctx)
			if err != nil {
				return 0, err
			}
			err = soapError(ctx, op, run(ctx, vim))
			if !errors.Is(err, ErrSession) || healed {
				return 0, err
			}
			healed = true
			if err := c.dropSOAP(ctx, vim); err != nil {
				return 0, err
			}
		}
	})
}

// InstanceUUID is what tells this vCenter from others. It is part of the login's answer, and costs no request of its
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
	op := "log in to " + c.Server()
	if err := c.login.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer c.login.Release(1)
	if c.vim != nil {
		return c.vim, nil
	}
	bounded := boundedTransport{RoundTripper: c.soap, timeout: c.config.Timeout}
	vim, err := vim25.NewClient(ctx, bounded)
	if err != nil {
		return nil, soapError(ctx, op, err)
	}
	// NewClient sets this itself only when it is given the bare soap.Client.
	vim.Client = c.soap
	if err := session.NewManager(vim).Login(ctx, c.userinfo); err != nil {
		return nil, soapError(ctx, op, err)
	}
	c.vim = vim
	return vim, nil
}

func (c *Client) dropSOAP(ctx context.Context, stale *vim25.Client) error {
	if err := c.login.Acquire(ctx, 1); err != nil {
		return err
	}
	defer c.login.Release(1)
	if c.vim == stale {
		c.vim = nil
	}
	return nil
}

// logoutSOAP ends the SOAP session; the caller holds login.
func (c *Client) logoutSOAP(ctx context.Context) error {
	if c.vim == nil {
		return nil
	}
	vim := c.vim
	c.vim = nil
	err := soapError(ctx, "log out of "+c.Server(), session.NewManager(vim).Logout(ctx))
	if errors.Is(err, ErrSession) {
		return nil // expired by itself
	}
	return err
}
