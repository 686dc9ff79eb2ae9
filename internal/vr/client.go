// Client: the state shared by all calls to one gateway, and its end.

package vr

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/transport/reading"
)

// idleConnections is how many idle connections to the gateway are kept.
const idleConnections = 20

// Client talks to one gateway. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config   Config
	scrubber *transport.Scrubber
	service  transport.Service
	pace     *transport.Pace
	tasks    *poller

	local  *transport.Session[string] // by its id
	logins atomic.Int64               // numbers the remote sessions

	mu      sync.Mutex
	remotes map[string]*transport.Session[remoteSession] // by pairing

	// What several callers read at the same time, by pairing, server or VM.
	listings     reading.Shared[*listing]
	pairs        reading.Shared[Pairing]
	servers      reading.Shared[[]ReplicationServer]
	capabilities reading.Shared[Capability]
	compliance   reading.Shared[Compliance]
	disks        reading.Batches[vmKey, diskAnswer]
	suitable     reading.Batches[vmKey, bool]
	unsorted     sync.Map    // templates of lists that the gateway refuses to sort
	unfiltered   sync.Map    // templates and properties of lists that it refuses to filter
	apart        atomic.Bool // the gateway does not tell the disks of several VMs at once

	// ticks puts readings and changes in order; changes holds the tick of the last change of an object by this client.
	ticks   atomic.Int64
	changes sync.Map
}

// New checks the configuration and returns a client that has not connected yet.
func New(config Config) (*Client, error) {
	base, err := config.base()
	if err != nil {
		return nil, err
	}
	for _, c := range []**transport.Credentials{&config.Credentials, &config.RemoteCredentials} {
		if *c == nil {
			*c = transport.NewCredentials()
		}
	}
	scrubber := transport.NewScrubber(config.Password, config.RemotePassword)
	client, err := config.Client(idleConnections, scrubber)
	if err != nil {
		return nil, err
	}
	c := &Client{
		config:   config,
		scrubber: scrubber,
		service:  transport.Service{Settings: config.Settings, Base: base, HTTP: client, Scrubber: scrubber, Kinds: kinds},
		pace:     newPace(config),
		local:    transport.NewSession[string](config.Credentials),

		remotes: make(map[string]*transport.Session[remoteSession]),
	}
	c.tasks = newPoller(c)
	c.disks.Background = config.Background
	c.disks.Hold = func(ctx context.Context) { c.pace.Yield(ctx, time.Second, gathering) }
	c.suitable.Background, c.suitable.Hold = config.Background, c.disks.Hold
	return c, nil
}

// Server is the gateway's host, with its port when it has one, for use in messages.
func (c *Client) Server() string { return c.service.Base.Host }

// RequestsPerMinute is the client's own request limit; 0 without one.
func (c *Client) RequestsPerMinute() int { return c.config.RequestsPerMinute }

// Now is the client's clock.
func (c *Client) Now() time.Time { return c.config.Now() }

// Close ends the session that this client opened, and with it the remote ones. It may be called more than once; a
// client that was closed logs in again when it is used again. The error never holds a session id.
func (c *Client) Close(ctx context.Context) error {
	err := c.local.Close(ctx, c.logout)
	c.service.HTTP.CloseIdleConnections()
	return err
}
