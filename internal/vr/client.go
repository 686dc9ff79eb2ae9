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
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
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

	listings      reading.Shared[*listing]
	rpoLimits     reading.Shared[RPOLimits]
	pairs         reading.Shared[Pairing]
	pairings      reading.Shared[[]Pairing]
	servers       reading.Shared[[]ReplicationServer]
	capabilities  reading.Shared[Capability]
	compliance    reading.Shared[Compliance]
	datastores    reading.Shared[[]Datastore]
	gone          sync.Map // datastores that the lists do not contain
	disks         reading.Batcher[vmKey, diskResult]
	suitability   reading.Batcher[vmKey, bool]
	unsortable    sync.Map    // path templates of lists that the gateway refuses to sort
	unfilterable  sync.Map    // path templates and properties of lists that the gateway refuses to filter
	includeDisks  atomic.Bool // the gateway lists the disks of VMs only with include_disks
	noDiskBatches atomic.Bool // the gateway cannot list the disks of several VMs in one request

	// ticks is a logical clock that orders reads and changes. changeTicks contains the tick of this client's last
	// change to each object.
	ticks       atomic.Int64
	changeTicks sync.Map
}

// maxBatchDelays is the maximum number of seconds that a request for disks waits for more callers while the rate
// limiter delays other requests.
const maxBatchDelays = 10

// New validates the configuration and returns a client. It does not connect.
func New(config Config) (*Client, error) {
	base, err := config.validate()
	if err != nil {
		return nil, err
	}
	for _, c := range []**transport.Credentials{&config.Credentials, &config.RemoteCredentials} {
		if *c == nil {
			*c = transport.NewCredentials()
		}
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
	c.suitability.Background, c.suitability.Hold = config.Background, c.disks.Hold
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

const basePath = "/api/rest/vr/v2"

// validate also sets defaults and returns the API URL.
func (c *Config) validate() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("the replication server user is not set")
	case c.RequestsPerMinute < 0:
		return nil, errors.New("the number of requests per minute must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return transport.ParseAddress("replication server", c.Server, basePath)
}

const (
	// burst is the maximum number of requests sent without a delay. It equals Terraform's default parallelism.
	burst = 10
	// quotaWindow is the length of the gateway's rate limit window. The client pauses for this long if a request is
	// throttled without a Retry-After header.
	quotaWindow = 60 * time.Second
)

// newRateLimiter returns a rate limiter whose burst counts towards the requests per minute. The gateway counts requests
// in fixed windows, so a burst followed by requests at the full rate would exceed its limit.
func newRateLimiter(c Config) *transport.RateLimiter {
	p := transport.RateLimiterConfig{Now: c.Now, Sleep: c.Sleep, Pause: quotaWindow}
	if n := c.RequestsPerMinute; n > 0 {
		p.Burst = min(burst, max(1, n/4))
		p.PerSecond = float64(max(1, n-p.Burst)) / quotaWindow.Seconds()
	}
	return transport.NewRateLimiter(p)
}

// the API's unit is 1,024 bytes

// fromMillis converts milliseconds since 1970 to a time. For 0, which means never, it returns the zero time.
func fromMillis(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

var kinds = transport.NewKinds()

// Sentinel errors, for use with errors.Is. Each error from kinds wraps the error of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist or is not visible to the user.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege.
	ErrPermission = kinds.Permission
	// ErrInvalid is returned if the gateway rejects the request as invalid.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if the gateway rejects the user name or password.
	ErrLogin = kinds.Login
	// ErrLimited is returned if the gateway still throttles the request after all retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable is returned if there is no usable response. The request might have taken effect.
	ErrUnavailable = kinds.Unavailable
	// ErrUncertain is returned if it is unknown whether a change took effect.
	ErrUncertain = kinds.Uncertain
	// ErrCertificate is returned if the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost is returned if the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous is returned if a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrRemoteLogin is returned together with ErrRemote if the remote site rejects the user name or password.
	ErrRemoteLogin = transport.NewKind("login to the remote site rejected", transport.ErrLogin)
	// ErrNoRemoteUser is returned together with ErrRemote if no user or no password for the remote site is configured.
	ErrNoRemoteUser = errors.New("no user or no password for the remote site is configured")
	// ErrRemote is returned if a session at the remote site cannot be opened. Without such a session, responses would
	// be incomplete.
	ErrRemote = errors.New("no session at the remote site")
	// ErrDisconnected is returned if the two sites of a pairing are not connected.
	ErrDisconnected = errors.New("the sites of the pairing are not connected")
	// ErrPairing is returned if the pairing does not exist.
	ErrPairing = errors.New("the pairing does not exist")
	// ErrPartial is returned if the gateway marks a response as incomplete or if required parts are missing.
	ErrPartial = errors.New("the response is incomplete")
	// ErrVersion is returned if the server does not provide the vSphere Replication REST API v2.
	ErrVersion = errors.New("the server does not provide the vSphere Replication REST API v2")
	// ErrTask is returned if the gateway accepted the request but the task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost is returned if the gateway no longer has a record of the task. The caller must read the object to
	// learn the outcome.
	ErrTaskLost = errors.New("the task no longer exists")
)

// TaskError is returned if a task fails.
type TaskError struct {
	Task Task
}

// Error returns the reason reported by the gateway.
func (e *TaskError) Error() string {
	s := fmt.Sprintf("task %s ended with status %s", e.Task.ID, e.Task.Status)
	if e.Task.Description != "" {
		s += " (" + e.Task.Description + ")"
	}
	if e.Task.Message != "" {
		s += ": " + e.Task.Message
	}
	if e.Task.Details != "" && e.Task.Details != e.Task.Message {
		s += " (" + e.Task.Details + ")"
	}
	return s
}

// Unwrap returns ErrTask.
func (e *TaskError) Unwrap() error { return ErrTask }

// isRateLimit reports whether a 403 or 503 response has an error code or message that refers to the gateway's request
// limit. The gateway has not processed such a request.
func isRateLimit(e *transport.APIError) bool {
	if e.Status != http.StatusForbidden && e.Status != http.StatusServiceUnavailable {
		return false
	}
	text := strings.ToLower(strings.ReplaceAll(e.Type, "_", " ") + " " + strings.Join(e.Messages, " "))
	for _, words := range []string{"rate limit", "request limit", "too many requests", "throttl"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

func kindFromStatus(status int) error {
	if status == http.StatusConflict { // a conflicting state, not a name conflict
		return ErrInvalid
	}
	return kinds.FromStatus(status)
}

type metaError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}
