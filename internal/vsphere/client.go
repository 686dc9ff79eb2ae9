// Package vsphere is the client of one vCenter: tag categories, tags, their associations in bulk, and the VM inventory.
//
// It returns plain structs and sentinel errors, no types of Terraform or govmomi. The methods document whether they may
// be repeated and which errors they return. The package opens one session for REST and one for SOAP, each with the
// first call that needs it. It logs nothing itself (an observer may) and never puts a password or a session id into an
// error.
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

// Client talks to one vCenter. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config      Config
	scrubber    *transport.Scrubber
	endpoint    *url.URL
	userinfo    *url.Userinfo
	soap        *soap.Client
	rest        transport.Service
	rateLimiter *transport.RateLimiter
	slots       *semaphore.Weighted // limits the REST requests in flight

	protocolChoice protocolChoice // REST protocol of the server

	// Both sessions share the credentials, so a login refused by one protocol is not repeated by the other.
	restSession *transport.Session[restSession]
	soapSession *transport.Session[*vim25.Client]

	// Caches of look-ups by name. Own writes drop them before and after the request, because a read may overlap it.
	allCategories    reading.Shared[[]Category]
	tagIDsByCategory reading.Shared[[]string]
	tagsByCategory   reading.Shared[[]Tag]
	// Caches of listings with names, if the server supports them, and counters of single reads.
	namedListings, atomicChanges       feature
	allTags                            reading.Shared[tagListing]
	listedCategories                   reading.Shared[categoryListing]
	tagReads, nameReads, categoryReads atomic.Int64
	// Caches of a refresh, also dropped when tags are attached or detached.
	refreshCount  atomic.Int64
	associations  reading.Shared[associationIndex]
	objectBatcher reading.Batcher[string, []Object]
	tagBatcher    reading.Batcher[Object, []string]
	// deleteCheckBatcher merges the reads before deletes and caches nothing.
	deleteCheckBatcher reading.Batcher[string, []Object]
	// existenceBatcher merges the checks after answers that do not name the missing object. It caches nothing.
	existenceBatcher reading.Batcher[string, bool]
	// linkedNodes caches the vCenters linked with this one.
	linkedNodes reading.Shared[topology]
	// Cached results of InventoryAccess and GlobalAccess.
	inventoryAccess reading.Shared[InventoryAccess]
	globalAccess    reading.Shared[GlobalAccess]
	// Cached events of all VMs, and vCenter's time.
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

// New validates the configuration and returns a client without opening a connection.
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
		// Go keeps two idle connections to a host by default and closes all others after each request. Logins and SOAP
		// need connections besides the paced requests.
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = 2 * concurrency
	}
	c.soap.Transport = config.WrapTransport(c.soap.DefaultTransport(), scrubber)
	return c, nil
}

// retry runs send until it succeeds, fails permanently or reaches the limit of attempts. send returns the wait
// requested by the server. Every request of this package may be repeated: reads and deletes are idempotent, vCenter
// documents attach and detach as idempotent, and creates choose their id.
func (c *Client) retry(ctx context.Context, send func(attempt int) (time.Duration, error)) error {
	defer c.config.EndProbe(ctx)
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !c.config.AwaitRetry(ctx, err, after, attempt) {
			return err
		}
	}
}

// Server returns the vCenter's host, with the port if given, for use in messages.
func (c *Client) Server() string { return c.endpoint.Host }

// Close ends the sessions that this client opened. It may be called more than once. A closed client logs in again when
// it is used. The error lists the sessions that could not be ended, without their ids.
func (c *Client) Close(ctx context.Context) error {
	err := errors.Join(c.restSession.Close(ctx, c.logoutREST), c.soapSession.Close(ctx, c.logoutSOAP))
	c.rest.HTTP.CloseIdleConnections()
	c.soap.CloseIdleConnections()
	return err
}

// Config configures the client of one vCenter. Optional fields may be zero.
type Config struct {
	// Server is a host, host:port or URL without user information.
	Server string
	// User and Password authenticate both protocols.
	User, Password string
	// Credentials are shared with other clients of the same vCenter and user; nil means not shared.
	Credentials *transport.Credentials
	// RequestsPerSecond limits REST requests. With zero, a limit applies only after vCenter first reports overload.
	RequestsPerSecond float64

	transport.Settings
}

// Event describes one finished REST request.
type Event = transport.Event

// validate sets the defaults of the configuration and returns the URL of the SOAP endpoint. It opens no connection.
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

// newURN returns an id in vCenter's form for categories ("InventoryServiceCategory") and tags ("InventoryServiceTag").
// Create calls choose their id (accepted since vSphere 6.7), so a create can be retried after a lost answer without
// creating a second object.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }

const (
	// concurrency is the maximum number of REST requests in flight per client. The tagging service is fastest at ten,
	// which is also Terraform's default parallelism.
	concurrency = 10
	// throttledRate is the limit in requests per second after the first overload. A tagging service has refused requests
	// from about 360 on, and other clients use it too.
	throttledRate = 300
	// minRate is the minimum rate after halving, in requests per second.
	minRate = 5
	// throttlePause is the pause after an overload response without a retry time.
	throttlePause = time.Second
)

// newRateLimiter returns a rate limiter without a limit unless one is configured. The capacity of a service depends on
// its version, its size and its other clients, and a fixed limit could slow down a run for no reason.
func newRateLimiter(config Config) *transport.RateLimiter {
	return transport.NewRateLimiter(transport.RateLimiterConfig{
		Now: config.Now, Sleep: config.Sleep,
		PerSecond: config.RequestsPerSecond, Burst: concurrency,
		Pause: throttlePause, ThrottledPerSecond: throttledRate, MinPerSecond: minRate,
	})
}
