// Client: the state shared by all calls to one appliance, and its end.

package snapservice

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/soap"
	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/transport/reading"
)

// inFlight is how many requests are sent at the same time.
const inFlight = 4

// Client talks to one appliance. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config   Config
	scrubber *transport.Scrubber
	base     *url.URL
	http     *http.Client
	vcenter  *soap.Client
	pace     *transport.Pace
	slots    *semaphore.Weighted
	session  *transport.Session[string] // by its id

	// What several callers read, by cluster or site; writes to a cluster drop its listing.
	groups       reading.Shared[*listing]
	vms          reading.Shared[[]VM]
	clusters     reading.Shared[[]string]
	pairs        reading.Shared[[]Pair]
	licences     reading.Shared[[]string]
	capabilities reading.Shared[[]string]
	previews     reading.Shared[*preview]
	abouts       reading.Shared[string]
	origins      reading.Shared[string]
	polls        reading.Shared[*poll]

	mu      sync.Mutex
	turns   map[string]*semaphore.Weighted // of writes, by cluster
	seen    map[string]map[string]bool     // ids of groups, by cluster
	waiting map[string]int                 // callers by the id of the task that they wait for
}

// New checks the configuration and returns a client that has not connected yet.
func New(config Config) (*Client, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	base, err := address("server of vSAN Data Protection", config.Server, "/api")
	if err != nil {
		return nil, err
	}
	vcenter, err := address("vCenter server", config.VCenter, "/sdk")
	if err != nil {
		return nil, err
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	if config.Sleep == nil {
		config.Sleep = transport.Wait
	}
	if config.Now == nil {
		config.Now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	if config.Observe == nil {
		config.Observe = func(context.Context, Event) {}
	}
	if config.Credentials == nil {
		config.Credentials = transport.NewCredentials()
	}
	c := &Client{
		config:   config,
		scrubber: transport.NewScrubber(config.Password),
		base:     base,
		pace: transport.NewPace(transport.PaceConfig{
			Now: config.Now, Sleep: config.Sleep, Pause: 10 * time.Second, Fallback: 8, Slowest: 1,
		}),
		slots:   semaphore.NewWeighted(inFlight),
		session: transport.NewSession[string](config.Credentials),
		turns:   make(map[string]*semaphore.Weighted),
		seen:    make(map[string]map[string]bool),
		waiting: make(map[string]int),
	}
	if err := c.connect(vcenter); err != nil {
		return nil, err
	}
	return c, nil
}

// connect makes the transports; it opens no connection.
func (c *Client) connect(vcenter *url.URL) error {
	secure := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: c.config.Insecure, //nolint:gosec // the user's choice, off by default
	}
	c.vcenter = soap.NewClient(vcenter, c.config.Insecure)
	c.vcenter.UserAgent = c.config.UserAgent
	if c.config.CAFile != "" {
		roots, err := transport.Roots(c.config.CAFile)
		if err != nil {
			return err
		}
		secure.RootCAs = roots
		if err := c.vcenter.SetRootCAs(c.config.CAFile); err != nil {
			return err
		}
	}
	var wrapped http.RoundTripper = &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: inFlight, IdleConnTimeout: 90 * time.Second,
	}
	if c.config.Wrap != nil {
		wrapped = c.config.Wrap(wrapped)
	}
	c.http = &http.Client{Transport: transport.Guard(wrapped, c.scrubber)}
	c.vcenter.Transport = transport.Guard(c.vcenter.DefaultTransport(), c.scrubber)
	return nil
}

// Server is the appliance's host, with its port when it has one, for use in messages.
func (c *Client) Server() string { return c.base.Host }

// Close ends the session that this client opened. It may be called more than once; a client that was closed logs in
// again when it is used again. The error never holds a session id.
func (c *Client) Close(ctx context.Context) error {
	err := c.session.Close(ctx, c.logout)
	c.http.CloseIdleConnections()
	c.vcenter.CloseIdleConnections()
	return err
}
