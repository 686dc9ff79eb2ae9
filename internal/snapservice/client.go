// Client: the state shared by all calls to one appliance, and its end.

package snapservice

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
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
	service  transport.Service
	vcenter  *soap.Client
	pace     *transport.Pace
	slots    *semaphore.Weighted
	session  *transport.Session[string] // by its id
	noToken  atomic.Pointer[tokenError]

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
	if config.User == "" {
		return nil, errors.New("no user of vSAN Data Protection is given")
	}
	if err := config.Complete(); err != nil {
		return nil, err
	}
	base, err := transport.Address("server of vSAN Data Protection", config.Server, "/api")
	if err != nil {
		return nil, err
	}
	vcenter, err := transport.Address("vCenter server", config.VCenter, "/sdk")
	if err != nil {
		return nil, err
	}
	if config.Credentials == nil {
		config.Credentials = transport.NewCredentials()
	}
	scrubber := transport.NewScrubber(config.Password)
	client, err := config.Client(inFlight, scrubber)
	if err != nil {
		return nil, err
	}
	c := &Client{
		config:   config,
		scrubber: scrubber,
		service:  transport.Service{Settings: config.Settings, Base: base, HTTP: client, Scrubber: scrubber, Kinds: kinds},
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

// connect makes the client of vCenter; it opens no connection.
func (c *Client) connect(vcenter *url.URL) error {
	c.vcenter = soap.NewClient(vcenter, c.config.Insecure)
	c.vcenter.UserAgent = c.config.UserAgent
	if c.config.CAFile != "" {
		if err := c.vcenter.SetRootCAs(c.config.CAFile); err != nil {
			return err
		}
	}
	c.vcenter.Transport = transport.Guard(c.vcenter.DefaultTransport(), c.scrubber)
	return nil
}

// Server is the appliance's host, with its port when it has one, for use in messages.
func (c *Client) Server() string { return c.service.Base.Host }

// Close ends the session that this client opened. It may be called more than once; a client that was closed logs in
// again when it is used again. The error never holds a session id.
func (c *Client) Close(ctx context.Context) error {
	err := c.session.Close(ctx, c.logout)
	c.service.HTTP.CloseIdleConnections()
	c.vcenter.CloseIdleConnections()
	return err
}
