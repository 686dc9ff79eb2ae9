// Package vsphere is a client for one vCenter. It covers tag categories, tags, tag associations, the VM inventory,
// replication events and performance statistics.
//
// It returns plain structs and sentinel errors, not Terraform or govmomi types. Methods document their errors and
// whether they can be retried. A client opens one REST session and one SOAP session, each on the first call that needs
// it. It does not log, but Settings.Observe is called after each REST request. Errors never contain passwords or
// session IDs.
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

// Client is a client for one vCenter. It is safe for concurrent use and does not connect before the first call.
type Client struct {
	config      Config
	scrubber    *transport.Scrubber
	endpoint    *url.URL
	userinfo    *url.Userinfo
	soap        *soap.Client
	rest        transport.Service
	rateLimiter *transport.RateLimiter
	slots       *semaphore.Weighted // limits concurrent REST requests

	protocolChoice protocolChoice

	// Both sessions use the same credentials, so that a login rejected over one protocol is not repeated over the
	// other.
	restSession *transport.Session[restSession]
	soapSession *transport.Session[*vim25.Client]

	// Caches for lookups by name. Each write by this client invalidates them before and after its request, because a
	// read can overlap with the write.
	allCategories    reading.Shared[[]Category]
	tagIDsByCategory reading.Shared[[]string]
	tagsByCategory   reading.Shared[[]Tag]
	// Optional server features, cached listings, and counts of single reads since the last write. The counts determine
	// when to list everything instead of reading objects one at a time.
	namedListings, atomicChanges       feature
	allTags                            reading.Shared[tagListing]
	listedCategories                   reading.Shared[categoryListing]
	tagReads, nameReads, categoryReads atomic.Int64
	// Caches for refreshes. They are also invalidated when tags are attached or detached.
	refreshCount  atomic.Int64
	associations  reading.Shared[associationIndex]
	objectBatcher reading.Batcher[string, []Object]
	tagBatcher    reading.Batcher[Object, []string]
	// deleteCheckBatcher merges the reads that precede deletes. It caches nothing.
	deleteCheckBatcher reading.Batcher[string, []Object]
	// existenceBatcher merges the list requests that check whether an object is gone after a 404. It caches nothing.
	existenceBatcher reading.Batcher[string, bool]
	linkedNodes      reading.Shared[topology]
	inventoryAccess  reading.Shared[InventoryAccess]
	globalAccess     reading.Shared[GlobalAccess]
	eventLogs        reading.Shared[*eventLog]
	clockReadings    reading.Shared[clockReading]
}

func (c *Client) dropCaches() {
	c.allCategories.Drop()
	c.tagIDsByCategory.Drop()
	c.tagsByCategory.Drop()
	c.allTags.Drop()
	c.listedCategories.Drop()
	for _, n := range []*atomic.Int64{&c.tagReads, &c.nameReads, &c.categoryReads} {
		n.Store(0)
	}
	c.dropAssociations()
}

func (c *Client) dropAssociations() {
	c.refreshCount.Store(0)
	c.associations.Drop()
}

// New validates the configuration and returns a client. It does not connect.
func New(config Config) (*Client, error) {
	u, err := config.validate()
	if err != nil {
		return nil, err
	}
	soapClient := soap.NewClient(u, config.Insecure)
	soapClient.UserAgent = config.UserAgent
	if config.CAFile != "" {
		if err := soapClient.SetRootCAs(config.CAFile); err != nil {
			return nil, err
		}
	}
	restClient := rest.NewClient(&vim25.Client{Client: soapClient})
	scrubber := transport.NewScrubber(config.Password)
	c := &Client{
		config:   config,
		scrubber: scrubber,
		endpoint: u,
		userinfo: url.UserPassword(config.User, config.Password),
		soap:     soapClient,
		rest: transport.Service{
			Settings: config.Settings,
			Base:     &url.URL{Scheme: u.Scheme, Host: u.Host},
			Scrubber: scrubber,
			Kinds:    kinds,
			HTTP:     &http.Client{Transport: config.WrapTransport(restClient.DefaultTransport(), scrubber)},
		},
		rateLimiter: newRateLimiter(config),
		slots:       semaphore.NewWeighted(concurrency),

		restSession: transport.NewSession[restSession](config.Credentials),
		soapSession: transport.NewSession[*vim25.Client](config.Credentials),
	}
	c.objectBatcher.Background = config.Background
	c.tagBatcher.Background = config.Background
	c.deleteCheckBatcher.Background = config.Background
	for _, t := range []*http.Transport{c.soap.DefaultTransport(), restClient.DefaultTransport()} {
		// By default, Go keeps only two idle connections per host. Logins and SOAP calls need connections in addition
		// to those of the rate-limited requests.
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = 2 * concurrency
	}
	c.soap.Transport = config.WrapTransport(c.soap.DefaultTransport(), scrubber)
	return c, nil
}

// retry runs send until it succeeds, fails permanently or has been attempted too often. send returns the delay
// requested by the server. All requests in this package can be retried: reads and deletes are idempotent, vCenter
// documents attach and detach as idempotent, and the client chooses the ID of each object that it creates.
func (c *Client) retry(ctx context.Context, send func(attempt int) (time.Duration, error)) error {
	defer c.config.EndProbe(ctx)
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !c.config.AwaitRetry(ctx, err, after, attempt) {
			return err
		}
	}
}

// Server returns vCenter's host, and the port if one was given, for use in messages.
func (c *Client) Server() string { return c.endpoint.Host }

// Close ends the client's sessions. It can be called repeatedly, and a closed client logs in again on its next call.
// The error joins the logout errors and contains no session IDs.
func (c *Client) Close(ctx context.Context) error {
	err := errors.Join(c.restSession.Close(ctx, c.logoutREST), c.soapSession.Close(ctx, c.logoutSOAP))
	c.rest.HTTP.CloseIdleConnections()
	c.soap.CloseIdleConnections()
	return err
}

// validate sets defaults and returns the URL of the SOAP endpoint.
func (c *Config) validate() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("the vCenter user is not set")
	case c.RequestsPerSecond < 0:
		return nil, errors.New("the number of requests per second must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	if c.Credentials == nil {
		c.Credentials = transport.NewCredentials()
	}
	return transport.ParseAddress("vCenter server", c.Server, "/sdk")
}

const (
	// concurrency is the maximum number of concurrent REST requests per client. The tagging service is fastest with
	// ten, which is also Terraform's default parallelism.
	concurrency = 10
	// throttledRate is the rate limit, in requests per second, after the first throttled request. One tagging service
	// was observed to throttle at about 360 requests per second, and other clients use the service too.
	throttledRate = 300
	// minRate is the lowest rate limit, in requests per second, that repeated halving can reach.
	minRate = 5
	// throttlePause is the pause after a throttled request without a Retry-After header.
	throttlePause = time.Second
)

// newRateLimiter sets no rate limit unless one is configured, because the capacity of a service depends on its version,
// size and other clients.
func newRateLimiter(config Config) *transport.RateLimiter {
	return transport.NewRateLimiter(transport.RateLimiterConfig{
		Now:                config.Now,
		Sleep:              config.Sleep,
		PerSecond:          config.RequestsPerSecond,
		Burst:              concurrency,
		Pause:              throttlePause,
		ThrottledPerSecond: throttledRate,
		MinPerSecond:       minRate,
	})
}
