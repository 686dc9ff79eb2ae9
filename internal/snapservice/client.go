// Package snapservice is a client for vSAN Data Protection. It manages the protection groups of an appliance through
// the REST API /api/snapservice of release 9.0 or later.
//
// The JSON tags of its structs are the API's field names. By design, the client cannot fail over or restore VMs, delete
// individual snapshots, or modify sites. It has no methods for the promote, demote, activate, ransomware recovery,
// revert, restore, linked clone and label operations of the API.
package snapservice

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/soap"
	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/transport/reading"
)

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
	licences      reading.Shared[[]string]
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
	}
	if err := c.connect(vcenter); err != nil {
		return nil, err
	}
	return c, nil
}

// connect creates the vCenter client without opening a connection.
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

// kindByErrorType maps the API's error types to sentinels. Most errors have HTTP status 400, so only the type
// distinguishes them.
var kindByErrorType = map[string]error{
	"ALREADY_EXISTS":               ErrConflict,
	"ALREADY_IN_DESIRED_STATE":     ErrDone,
	"INVALID_ARGUMENT":             ErrInvalid,
	"NOT_ALLOWED_IN_CURRENT_STATE": ErrState,
	"NOT_FOUND":                    ErrNotFound,
	"OPERATION_NOT_FOUND":          ErrNoOperation,
	"RESOURCE_INACCESSIBLE":        ErrUnavailable,
	"SERVICE_UNAVAILABLE":          ErrUnavailable,
	"UNAUTHENTICATED":              ErrSession,
	"UNAUTHORIZED":                 ErrPermission,
	"UNEXPECTED_INPUT":             ErrRelease,
	"UNSUPPORTED":                  ErrUnsupported,
}

// parseError classifies an error response. The body can be JSON from the API, HTML from a proxy, or empty.
func (c *Client) parseError(r request, status int, body []byte) *transport.APIError {
	e := &transport.APIError{Operation: r.String(), Status: status, Kind: kinds.FromStatus(status)}
	var doc wireError
	if json.Unmarshal(body, &doc) == nil {
		e.Type = c.clean(doc.Type)
		if message := c.clean(doc.text()); message != "" {
			e.Messages = []string{message}
		}
	}
	kind, known := kindByErrorType[doc.Type]
	switch {
	case status == http.StatusTooManyRequests:
	case status == http.StatusNotFound && !known: // a response from a proxy or another API
		e.Kind = ErrNoOperation
	case known && (status < http.StatusInternalServerError || errors.Is(kind, ErrUnavailable)):
		e.Kind = kind
	}
	return e
}
