// Client: the state shared by all calls to one vCenter, and its end.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/transport/reading"
)

// Client talks to one vCenter. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config   Config
	scrubber *transport.Scrubber
	endpoint *url.URL
	userinfo *url.Userinfo
	soap     *soap.Client
	rest     transport.Service
	pace     *transport.Pace
	slots    *semaphore.Weighted // of REST requests in flight

	choice choice // of the REST protocol

	// Both sessions share the credentials, so that a refused login of one protocol is not repeated by the other.
	restSession *transport.Session[restSession]
	soapSession *transport.Session[*vim25.Client]

	// Readings of look-ups by name; own writes drop them, before and after, so that a reading in flight is not kept
	// either.
	allCategories  reading.Shared[[]Category]
	idsByCategory  reading.Shared[[]string]
	tagsByCategory reading.Shared[[]Tag]
	// The same by listings with names, where the server has them, and how much was read without.
	listings, patches                  feature
	allTags                            reading.Shared[namedTags]
	listedCategories                   reading.Shared[namedCategories]
	tagReads, nameReads, categoryReads atomic.Int64
	// What a refresh has read; dropped likewise by attaching and detaching.
	refreshes        atomic.Int64
	associations     reading.Shared[everything]
	objectsInBatches reading.Batches[string, []Object]
	tagsInBatches    reading.Batches[Object, []string]
	// Questions before deletes; no answer is kept.
	carriers reading.Batches[string, []Object]
	// Questions after answers that do not name the missing object; no answer is kept.
	listed reading.Batches[string, bool]
	// The vCenters that are linked with this one; kept.
	nodes reading.Shared[topology]
	// Both are asked for once.
	reach  reading.Shared[Reach]
	global reading.Shared[GlobalReach]
	// The events of all VMs, and vCenter's time.
	eventLogs reading.Shared[*eventLog]
	presents  reading.Shared[clockReading]
}

// changed drops what look-ups have read.
func (c *Client) changed() {
	c.allCategories.Drop()
	c.idsByCategory.Drop()
	c.tagsByCategory.Drop()
	c.allTags.Drop()
	c.listedCategories.Drop()
	for _, n := range []*atomic.Int64{&c.tagReads, &c.nameReads, &c.categoryReads} {
		n.Store(0)
	}
	c.reattached()
}

// reattached drops what refreshes have read.
func (c *Client) reattached() {
	c.refreshes.Store(0)
	c.associations.Drop()
}

// New checks the configuration and returns a client that has not connected yet.
func New(config Config) (*Client, error) {
	u, err := config.check()
	if err != nil {
		return nil, err
	}
	sc := soap.NewClient(u, config.Insecure)
	sc.UserAgent = config.UserAgent
	if config.CAFile != "" {
		if err := sc.SetRootCAs(config.CAFile); err != nil {
			return nil, err
		}
	}
	below := rest.NewClient(&vim25.Client{Client: sc})
	scrubber := transport.NewScrubber(config.Password)
	c := &Client{
		config:   config,
		scrubber: scrubber,
		endpoint: u,
		userinfo: url.UserPassword(config.User, config.Password),
		soap:     sc,
		rest: transport.Service{
			Settings: config.Settings, Base: &url.URL{Scheme: u.Scheme, Host: u.Host}, Scrubber: scrubber, Kinds: kinds,
			HTTP: &http.Client{Transport: config.Guard(below.DefaultTransport(), scrubber)},
		},
		pace:  newPace(config),
		slots: semaphore.NewWeighted(concurrency),

		restSession: transport.NewSession[restSession](config.Credentials),
		soapSession: transport.NewSession[*vim25.Client](config.Credentials),
	}
	c.objectsInBatches.Background = config.Background
	c.tagsInBatches.Background = config.Background
	c.carriers.Background = config.Background
	for _, t := range []*http.Transport{c.soap.DefaultTransport(), below.DefaultTransport()} {
		// Go keeps two idle connections to a host; each further request would open its own and close it again. Besides
		// the paced requests there are logins, and SOAP.
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = 2 * concurrency
	}
	c.soap.Transport = config.Guard(c.soap.DefaultTransport(), scrubber)
	return c, nil
}

// repeat runs send until it succeeds, fails for good, or was repeated often enough. send returns the wait that the
// server asked for. Every request of this package may be repeated: reads and deletes by nature, attach and detach
// because vCenter documents them as idempotent, creates because they choose their id.
func (c *Client) repeat(ctx context.Context, send func(attempt int) (time.Duration, error)) error {
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !transport.Again(ctx, c.config.Sleep, err, after, attempt) {
			return err
		}
	}
}

// Server is the vCenter's host, with its port when it has one, for use in messages.
func (c *Client) Server() string { return c.endpoint.Host }

// Close ends the sessions that this client opened. It may be called more than once; a client that was closed logs in
// again when it is used again. The error names what could not be ended, never a session id.
func (c *Client) Close(ctx context.Context) error {
	err := errors.Join(c.restSession.Close(ctx, c.logoutREST), c.soapSession.Close(ctx, c.logoutSOAP))
	c.rest.HTTP.CloseIdleConnections()
	c.soap.CloseIdleConnections()
	return err
}
