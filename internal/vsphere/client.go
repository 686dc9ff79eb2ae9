// Package vsphere is a client for one vCenter. It covers tag categories, tags, tag associations in bulk, and the VM
// inventory.
//
// It returns plain structs and sentinel errors, but no types of Terraform or govmomi. The methods document whether they
// can be retried and which errors they return. The package opens one REST session and one SOAP session, each with the
// first call that needs it. It does not log, but an observer can. Its errors never contain passwords or session IDs.
package vsphere

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
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

	// The two sessions share their credentials, so that a login rejected by one protocol is not repeated by the other.
	restSession *transport.Session[restSession]
	soapSession *transport.Session[*vim25.Client]

	// Caches for lookups by name. This client's writes invalidate them before and after the request, because a read can
	// overlap with the write.
	allCategories    reading.Shared[[]Category]
	tagIDsByCategory reading.Shared[[]string]
	tagsByCategory   reading.Shared[[]Tag]
	// Features of the server, caches of listings with names, and counters of single reads.
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
	// existenceBatcher merges the checks after responses that do not identify the missing object. It caches nothing.
	existenceBatcher reading.Batcher[string, bool]
	// linkedNodes caches the vCenters that are linked with this one.
	linkedNodes reading.Shared[topology]
	// Cached results of InventoryAccess and GlobalAccess.
	inventoryAccess reading.Shared[InventoryAccess]
	globalAccess    reading.Shared[GlobalAccess]
	// Cached events of all VMs, and readings of the vCenter clock.
	eventLogs     reading.Shared[*eventLog]
	clockReadings reading.Shared[clockReading]
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
			Settings: config.Settings, Base: &url.URL{Scheme: u.Scheme, Host: u.Host}, Scrubber: scrubber, Kinds: kinds,
			HTTP: &http.Client{Transport: config.WrapTransport(restClient.DefaultTransport(), scrubber)},
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
		// By default, Go keeps only two idle connections per host and closes all others after each request. Logins and SOAP
		// need connections in addition to those for rate-limited requests.
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = 2 * concurrency
	}
	c.soap.Transport = config.WrapTransport(c.soap.DefaultTransport(), scrubber)
	return c, nil
}

// retry runs send until it succeeds, fails permanently or has been attempted too often. send returns the delay
// requested by the server. All requests of this package can be retried: reads and deletes are idempotent, vCenter
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

// Close ends the client's sessions. It can be called repeatedly. If a closed client is used again, it logs in again.
// The error lists the sessions that could not be ended, without their IDs.
func (c *Client) Close(ctx context.Context) error {
	err := errors.Join(c.restSession.Close(ctx, c.logoutREST), c.soapSession.Close(ctx, c.logoutSOAP))
	c.rest.HTTP.CloseIdleConnections()
	c.soap.CloseIdleConnections()
	return err
}

// Config configures the client of one vCenter. Optional fields can be zero.
type Config struct {
	// Server is a host, host:port or URL without user information.
	Server string
	// User and Password authenticate with both protocols.
	User, Password string
	// Credentials are shared with other clients for the same vCenter and user. If they are nil, they are not shared.
	Credentials *transport.Credentials
	// RequestsPerSecond limits REST requests. If it is 0, requests are limited only after vCenter has throttled one.
	RequestsPerSecond float64

	transport.Settings
}

// Event describes a completed REST request.
type Event = transport.Event

// validate sets defaults and returns the URL of the SOAP endpoint. It does not connect.
func (c *Config) validate() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("no vCenter user is given")
	case c.RequestsPerSecond < 0:
		return nil, errors.New("the limit of requests a second must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	if c.Credentials == nil {
		c.Credentials = transport.NewCredentials()
	}
	return transport.ParseAddress("vCenter server", c.Server, "/sdk")
}

// newURN returns an ID in the form that vCenter uses for categories ("InventoryServiceCategory") and tags
// ("InventoryServiceTag"). vSphere 6.7 and later accept IDs chosen by the caller, so a create can be retried after a
// lost response without creating a second object.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }

const (
	// concurrency is the maximum number of concurrent REST requests per client. The tagging service is fastest at ten,
	// which is also Terraform's default parallelism.
	concurrency = 10
	// throttledRate is the rate limit in requests per second after the first throttled request. A tagging service was
	// observed to throttle requests from about 360 per second, and other clients use it too.
	throttledRate = 300
	// minRate is the minimum rate limit after repeated halving, in requests per second.
	minRate = 5
	// throttlePause is the pause after a throttled request without a Retry-After header.
	throttlePause = time.Second
)

// newRateLimiter returns a rate limiter that is unlimited unless a limit is configured. The capacity of a service
// depends on its version, size and other clients, so a fixed limit could slow down a run unnecessarily.
func newRateLimiter(config Config) *transport.RateLimiter {
	return transport.NewRateLimiter(transport.RateLimiterConfig{
		Now: config.Now, Sleep: config.Sleep, PerSecond: config.RequestsPerSecond, Burst: concurrency,
		Pause: throttlePause, ThrottledPerSecond: throttledRate, MinPerSecond: minRate,
	})
}
