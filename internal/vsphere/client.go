// Package vsphere is the adapter between vsla and one vCenter: one lazy session for REST and one for SOAP, tag
// categories, tags, their associations in bulk, and the VM inventory.
//
// It returns small domain structs and sentinel errors, never in Terraform's types and never in govmomi's. Every
// method states whether it may be repeated, the state that a failure leaves behind, and which sentinel it returns. The
// package opens no connection until a call needs one, logs nothing itself (an observer may), and never puts a
// password or a session id into an error.
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
	// carriers shares the reads before deletes and caches nothing.
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
	defer c.config.Done(ctx)
	for attempt := 1; ; attempt++ {
		after, err := send(attempt)
		if err == nil || !c.config.Again(ctx, err, after, attempt) {
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

// Config configures the client of one vCenter. The zero values of the optional fields are usable.
type Config struct {
	// Server is a host, host:port or URL. A URL must not carry user information.
	Server string
	// User and Password authenticate both protocols.
	User, Password string
	// Credentials are shared with other clients of the vCenter, user and password; nil means not shared.
	Credentials *transport.Credentials
	// RequestsPerSecond bounds REST requests from the start; zero means that a bound is set when vCenter first refuses a
	// request for its load.
	RequestsPerSecond float64

	transport.Settings
}

// Event describes one finished REST request.
type Event = transport.Event

// check sets the defaults of the configuration and returns the SOAP endpoint's URL. It opens no connection.
func (c *Config) check() (*url.URL, error) {
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
	return transport.Address("vCenter server", c.Server, "/sdk")
}

// newURN returns an id in the form that vCenter uses for categories ("InventoryServiceCategory") and tags
// ("InventoryServiceTag"). Create calls choose their id (accepted since vSphere 6.7), so that a create whose answer was
// lost can be repeated without doing it twice.
func newURN(kind string) string {
	return "urn:vmomi:" + kind + ":" + uuid.NewString() + ":GLOBAL"
}

func newOperationID() string { return "vsla-" + uuid.NewString()[:8] }

const (
	// concurrency is how many REST requests a client keeps in flight, whatever asks for them. At ten, the tagging service
	// answers fastest; it is also Terraform's own default parallelism.
	concurrency = 10
	// fallbackRate is the rate that the first refusal for load sets, in requests a second: a tagging service has been seen
	// to refuse from about 360 on, and this client is not its only one.
	fallbackRate = 300
	// slowestRate is where halving ends, in requests a second.
	slowestRate = 5
	// pauseTime is how long nothing is sent after a refusal that names no time.
	pauseTime = time.Second
)

// newPace returns a pace without a limit unless one is configured. How many requests a service takes depends on its
// version, its size and its other clients: a fixed limit would slow down where there is no need.
func newPace(config Config) *transport.Pace {
	return transport.NewPace(transport.PaceConfig{
		Now: config.Now, Sleep: config.Sleep,
		PerSecond: config.RequestsPerSecond, Burst: concurrency,
		Pause: pauseTime, Fallback: fallbackRate, Slowest: slowestRate,
	})
}
