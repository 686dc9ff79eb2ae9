// Package vr is a client for the REST API gateway of a vSphere Replication appliance (/api/rest/vr/v2). It covers
// sessions, pairings, VMs, targets, replications and tasks.
//
// Sizes are in bytes. A client opens its local session, and one remote session per pairing, on demand. The gateway
// allows 50 requests per minute in each session, so each client limits its request rate, polls all tasks in one
// request, and shares one replication listing per pairing. A response that the gateway marks as incomplete is an error.
// Errors never contain passwords or session IDs.
package vr

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/transport/reading"
)

const idleConnections = 20

// Client is a client for one gateway. It is safe for concurrent use and does not connect before the first call.
type Client struct {
	config      Config
	scrubber    *transport.Scrubber
	service     transport.Service
	rateLimiter *transport.RateLimiter
	tasks       *poller

	local  *transport.Session[string] // ID of the local session
	logins atomic.Int64

	mu      sync.Mutex
	remotes map[string]*transport.Session[remoteSession] // by pairing ID

	listings     reading.Shared[*listing]
	rpoLimits    reading.Shared[RPOLimits]
	pairings     reading.Shared[[]Pairing] // all pairings
	pairingByID  reading.Shared[Pairing]   // single pairings, as both sites describe them
	servers      reading.Shared[[]ReplicationServer]
	capabilities reading.Shared[Capability]
	compliance   reading.Shared[Compliance]
	datastores   reading.Shared[[]Datastore]
	gone         sync.Map // datastores that the lists do not contain
	disks        reading.Batcher[vmKey, diskResult]
	suitability  reading.Batcher[vmKey, bool]
	quirks       quirks

	// ticks is a logical clock that orders reads and changes. changeTicks contains the tick of this client's last
	// change to each object.
	ticks       atomic.Int64
	changeTicks sync.Map
}

// quirks contains what the responses of the gateway showed that it does not support.
type quirks struct {
	unsortable    sync.Map    // path templates of lists that the gateway refuses to sort
	unfilterable  sync.Map    // path templates and properties of lists that the gateway refuses to filter
	includeDisks  atomic.Bool // the gateway lists the disks of VMs only with include_disks
	noDiskBatches atomic.Bool // the gateway cannot list the disks of several VMs in one request
}

// maxBatchDelays is the maximum number of seconds that a request for disks waits for more callers while the rate
// limiter delays other requests.
const maxBatchDelays = 10

// New validates the configuration and returns a client. It does not connect.
func New(config Config) (*Client, error) {
	base, err := config.complete()
	if err != nil {
		return nil, err
	}
	scrubber := transport.NewScrubber(config.Password, config.RemotePassword)
	client, err := config.NewHTTPClient(idleConnections, scrubber)
	if err != nil {
		return nil, err
	}
	c := &Client{
		config:   config,
		scrubber: scrubber,
		service: transport.Service{
			Settings: config.Settings,
			Base:     base,
			HTTP:     client,
			Scrubber: scrubber,
			Kinds:    kinds,
		},
		rateLimiter: newRateLimiter(config),
		local:       transport.NewSession[string](config.Credentials),
		remotes:     make(map[string]*transport.Session[remoteSession]),
	}
	c.tasks = newPoller(c)
	c.disks.Background = config.Background
	c.disks.Hold = func(ctx context.Context) { c.rateLimiter.WaitWhileDelayed(ctx, time.Second, maxBatchDelays) }
	c.suitability.Background = config.Background
	c.suitability.Hold = c.disks.Hold
	return c, nil
}

// Server returns the gateway's host, including the port if one is configured, for use in messages.
func (c *Client) Server() string { return c.service.Base.Host }

// RequestsPerMinute returns the client's request limit. 0 means no limit.
func (c *Client) RequestsPerMinute() int { return c.config.RequestsPerMinute }

// Now returns the current time of the configured clock.
func (c *Client) Now() time.Time { return c.config.Now() }

// Close ends the client's local session, which also ends its remote sessions. It may be called more than once, and a
// closed client logs in again when it is used. The error never contains a session ID.
func (c *Client) Close(ctx context.Context) error {
	err := c.local.Close(ctx, c.logout)
	c.service.HTTP.CloseIdleConnections()
	return err
}
