// Package snapservice is a client for vSAN Data Protection. It manages the protection groups of an appliance through
// the REST API /api/snapservice of release 9.0 or later.
//
// The JSON tags of its structs are the API's field names. By design, the client cannot fail over or restore VMs, delete
// individual snapshots, or modify sites. It has no methods for the promote, demote, activate, ransomware recovery,
// revert, restore, linked clone and label operations of the API.
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

// maxInFlight is the number of requests that the appliance answers at the same time.
const maxInFlight = 4

// Client is a client for one appliance. It is safe for concurrent use and does not connect before the first call.
type Client struct {
	config       Config
	scrubber     *transport.Scrubber
	service      transport.Service
	vcenter      *soap.Client
	rateLimiter  *transport.RateLimiter
	slots        *semaphore.Weighted
	session      *transport.Session[string]
	tokenRefusal atomic.Pointer[tokenError]

	// Caches shared by all callers, most of them keyed by cluster or site. A write to a cluster drops the cached groups
	// of that cluster, and the cached VMs and previews of all clusters.
	groups        reading.Shared[*listing]
	vms           reading.Shared[[]VM]
	clusters      reading.Shared[[]string]
	pairs         reading.Shared[[]Pair]
	licenses      reading.Shared[[]string]
	capabilities  reading.Shared[[]string]
	previews      reading.Shared[*preview]
	versions      reading.Shared[string]
	vcenterChecks reading.Shared[string]
	pollCache     reading.Shared[*pollResult]

	mu          sync.Mutex
	writeLocks  map[string]*semaphore.Weighted // by cluster
	knownGroups map[string]map[string]bool     // group IDs, by cluster
	waiters     map[string]int                 // number of waiting callers, by task ID
}

// New validates the configuration and returns a client. It does not connect.
func New(config Config) (*Client, error) {
	if config.User == "" {
		return nil, errors.New("the vSAN Data Protection user is not set")
	}
	if err := config.Complete(); err != nil {
		return nil, err
	}
	base, err := transport.ParseAddress("vSAN Data Protection server", config.Server, "/api")
	if err != nil {
		return nil, err
	}
	vcenter, err := transport.ParseAddress("vCenter server", config.VCenter, "/sdk")
	if err != nil {
		return nil, err
	}
	if config.Credentials == nil {
		config.Credentials = transport.NewCredentials()
	}
	scrubber := transport.NewScrubber(config.Password)
	client, err := config.NewHTTPClient(maxInFlight, scrubber)
	if err != nil {
		return nil, err
	}
	vcenterClient, err := newVCenterClient(config, vcenter, scrubber)
	if err != nil {
		return nil, err
	}
	return &Client{
		config:   config,
		scrubber: scrubber,
		service: transport.Service{
			Settings: config.Settings,
			Base:     base,
			HTTP:     client,
			Scrubber: scrubber,
			Kinds:    kinds,
		},
		vcenter: vcenterClient,
		rateLimiter: transport.NewRateLimiter(transport.RateLimiterConfig{
			Now:                config.Now,
			Sleep:              config.Sleep,
			Pause:              10 * time.Second,
			ThrottledPerSecond: 8,
			MinPerSecond:       1,
		}),
		slots:       semaphore.NewWeighted(maxInFlight),
		session:     transport.NewSession[string](config.Credentials),
		writeLocks:  make(map[string]*semaphore.Weighted),
		knownGroups: make(map[string]map[string]bool),
		waiters:     make(map[string]int),
	}, nil
}

// newVCenterClient returns a client for the vCenter at an address. It does not connect.
func newVCenterClient(config Config, address *url.URL, scrubber *transport.Scrubber) (*soap.Client, error) {
	c := soap.NewClient(address, config.Insecure)
	c.UserAgent = config.UserAgent
	if config.CAFile != "" {
		if err := c.SetRootCAs(config.CAFile); err != nil {
			return nil, err
		}
	}
	c.Transport = transport.Guard(c.DefaultTransport(), scrubber)
	return c, nil
}

// Server returns the appliance's host, including the port if one is configured, for use in messages.
func (c *Client) Server() string { return c.service.Base.Host }

// Close ends the client's session. It may be called more than once, and a closed client logs in again when it is used.
// The error never contains a session ID.
func (c *Client) Close(ctx context.Context) error {
	err := c.session.Close(ctx, c.logout)
	c.service.HTTP.CloseIdleConnections()
	c.vcenter.CloseIdleConnections()
	return err
}
