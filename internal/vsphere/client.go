// Client: what is shared by all calls to one vCenter, and its end.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/reading"
	"terraform-provider-vsla/internal/transport"
)

// concurrency is how many requests a call that reads many things keeps in flight. Ten is what the tagging service
// answers fastest at; it is also Terraform's own default parallelism.
const concurrency = 10

// Client talks to one vCenter. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config   Config
	endpoint *url.URL
	userinfo *url.Userinfo
	soap     *soap.Client
	rest     *rest.Client

	// login guards session and vim; a semaphore, so that a caller that waits for another's login can be cancelled.
	login   *semaphore.Weighted
	session string // REST session id, empty when there is none
	vim     *vim25.Client

	// What look-ups by name have read; own writes drop it, before and after, so that a reading that was under way meanwhile
	// is not kept either.
	allCategories  reading.Shared[[]Category]
	tagsByCategory reading.Shared[[]Tag]
}

// changed drops what look-ups have read.
func (c *Client) changed() {
	c.allCategories.Drop()
	c.tagsByCategory.Drop()
}

// New checks the configuration and returns a client that has not connected yet.
func New(config Config) (*Client, error) {
	u, err := config.endpoint()
	if err != nil {
		return nil, err
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	if config.Sleep == nil {
		config.Sleep = transport.Wait
	}
	if config.Observe == nil {
		config.Observe = func(context.Context, Event) {}
	}
	sc := soap.NewClient(u, config.Insecure)
	sc.UserAgent = config.UserAgent
	if config.CAFile != "" {
		if err := sc.SetRootCAs(config.CAFile); err != nil {
			return nil, err
		}
	}
	c := &Client{
		config:   config,
		endpoint: u,
		userinfo: url.UserPassword(config.User, config.Password),
		soap:     sc,
		rest:     rest.NewClient(&vim25.Client{Client: sc}),
		login:    semaphore.NewWeighted(1),
	}
	c.rest.UserAgent = config.UserAgent
	for _, t := range []*http.Transport{c.soap.DefaultTransport(), c.rest.DefaultTransport()} {
		// Go keeps two idle connections to a host; each further request would open its own and close it again.
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = 2 * concurrency
	}
	return c, nil
}

// Server is the vCenter's host, with its port when it has one, for use in messages.
func (c *Client) Server() string { return c.endpoint.Host }

// Close ends the sessions that this client opened. It may be called more than once; a client that was closed logs in
// again when it is used again. The error names what could not be ended, never a session id.
func (c *Client) Close(ctx context.Context) error {
	if err := c.login.Acquire(ctx, 1); err != nil {
		return err
	}
	defer c.login.Release(1)
	err := errors.Join(c.logoutREST(ctx), c.logoutSOAP(ctx))
	c.rest.CloseIdleConnections()
	c.soap.CloseIdleConnections()
	return err
}
