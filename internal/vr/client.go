// Package vr is the client of the REST API gateway of one vSphere Replication appliance (/api/rest/vr/v2): sessions,
// pairings, VMs, targets, replications and tasks.
//
// It returns plain structs and sentinel errors, no types of Terraform. Sizes are bytes; durations and times are Go's.
// It opens one local session and one remote session per pairing when a call needs them. The gateway allows 50 requests
// per minute and session, so every client limits its rate, polls all tasks in one request, and shares one replication
// listing per pairing. An answer that the gateway marks as incomplete is an error. The package logs nothing itself (an
// observer may) and never puts a password or a session id into an error.
package vr

import (
	"context"
	"encoding/json"
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

// Client talks to one gateway. It is safe for concurrent use and opens no connection before the first call.
type Client struct {
	config   Config
	scrubber *transport.Scrubber
	service  transport.Service
	pace     *transport.RateLimiter
	tasks    *poller

	local  *transport.Session[string] // id of the local session
	logins atomic.Int64               // number of remote logins

	mu      sync.Mutex
	remotes map[string]*transport.Session[remoteSession] // by pairing

	// Caches shared by concurrent callers, by pairing, server or VM.
	listings     reading.Shared[*listing]
	pairs        reading.Shared[Pairing]
	pairings     reading.Shared[[]Pairing]
	servers      reading.Shared[[]ReplicationServer]
	capabilities reading.Shared[Capability]
	compliance   reading.Shared[Compliance]
	disks        reading.Batcher[vmKey, diskAnswer]
	suitable     reading.Batcher[vmKey, bool]
	unsorted     sync.Map    // templates of lists that the gateway refuses to sort
	unfiltered   sync.Map    // templates and properties of lists that the gateway refuses to filter
	apart        atomic.Bool // the gateway cannot return the disks of several VMs in one list

	// ticks orders reads and changes. changes contains the tick of this client's last change of an object.
	ticks   atomic.Int64
	changes sync.Map
}

// New validates the configuration and returns a client without opening a connection.
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
	client, err := config.NewHTTPClient(idleConnections, scrubber)
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
	c.disks.Hold = func(ctx context.Context) { c.pace.WaitWhileDelayed(ctx, time.Second, gathering) }
	c.suitable.Background, c.suitable.Hold = config.Background, c.disks.Hold
	return c, nil
}

// Server returns the gateway's host, with the port if given, for use in messages.
func (c *Client) Server() string { return c.service.Base.Host }

// RequestsPerMinute returns the client's request limit; 0 means none.
func (c *Client) RequestsPerMinute() int { return c.config.RequestsPerMinute }

// Now returns the time of the client's clock.
func (c *Client) Now() time.Time { return c.config.Now() }

// Close ends the session that this client opened, and with it the remote sessions. It may be called more than once. A
// closed client logs in again when it is used. The error never contains a session id.
func (c *Client) Close(ctx context.Context) error {
	err := c.local.Close(ctx, c.logout)
	c.service.HTTP.CloseIdleConnections()
	return err
}

const (
	// DefaultRequestsPerMinute is below the 50 requests per minute and session that a gateway of 8.8 or later allows.
	DefaultRequestsPerMinute = 45

	basePath = "/api/rest/vr/v2"
)

// Config configures the client of one gateway. Optional fields may be zero.
type Config struct {
	// Server is a host, host:port or URL without user information. A path in the URL replaces the path of the API.
	Server string
	// User and Password authenticate at the gateway with an account of its vCenter.
	User, Password string
	// RemoteUser and RemotePassword authenticate at the other site of a pairing. All calls for a pairing need them,
	// except for a pairing of a vCenter with itself.
	RemoteUser, RemotePassword string
	// Credentials and RemoteCredentials are shared with other clients with the same user and password; nil means not
	// shared.
	Credentials, RemoteCredentials *transport.Credentials
	// RequestsPerMinute limits the client's requests after a burst of ten; 0 means no limit.
	RequestsPerMinute int

	transport.Settings
}

// Event describes one finished request. Its path is a template, for example "/pairings/{pairing_id}/replications".
type Event = transport.Event

// base checks the configuration, sets its defaults and returns the URL of the API. It opens no connection.
func (c *Config) base() (*url.URL, error) {
	switch {
	case c.User == "":
		return nil, errors.New("no user of the replication server is given")
	case c.RequestsPerMinute < 0:
		return nil, errors.New("the number of requests a minute must not be negative")
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return transport.ParseAddress("replication server", c.Server, basePath)
}

const (
	// burst is the number of requests that may be sent at once. It equals Terraform's default parallelism.
	burst = 10
	// window is the length of the gateway's quota window, the wait after a refusal without a retry time.
	window = 60 * time.Second
)

// newPace returns a pace that stays within the configured number of requests in every minute, including the burst. The
// gateway counts in fixed windows, so a refill at the full rate would exceed the number by the burst.
func newPace(c Config) *transport.RateLimiter {
	p := transport.RateLimiterConfig{Now: c.Now, Sleep: c.Sleep, Pause: window}
	if n := c.RequestsPerMinute; n > 0 {
		p.Burst = min(burst, max(1, n/4))
		p.PerSecond = float64(max(1, n-p.Burst)) / window.Seconds()
	}
	return transport.NewRateLimiter(p)
}

// kilobytes converts the capacity of a disk from the API's unit of 1,024 bytes.
func kilobytes(n int64) (bytes int64) { return n * 1024 }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func minutes(n int64) time.Duration { return time.Duration(n) * time.Minute }

// instant converts milliseconds since 1970 to a time. 0 means never and returns the zero time.
func instant(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

var kinds = transport.NewKinds()

// Sentinels of the package; test with errors.Is. The general ones wrap the kind of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist, or the user may not see it.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege.
	ErrPermission = kinds.Permission
	// ErrInvalid is returned if the gateway refuses the request.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if the gateway refuses the user or password.
	ErrLogin = kinds.Login
	// ErrLimited is returned if the gateway's request limit refused the request, even after retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable is returned if there is no usable response. The request may have taken effect.
	ErrUnavailable = kinds.Unavailable
	// ErrUncertain is returned if it is unknown whether the change was made.
	ErrUncertain = kinds.Uncertain
	// ErrCertificate is returned if the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost is returned if the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous is returned if a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrRemoteLogin is returned if the other site refuses the user or password. It is returned together with
	// ErrRemote.
	ErrRemoteLogin = transport.NewKind("login at the remote site refused", transport.ErrLogin)
	// ErrNoRemoteUser is returned if the configuration contains no user for the other site. It is returned together
	// with ErrRemote.
	ErrNoRemoteUser = errors.New("no user for the remote site is configured")
	// ErrRemote is returned if no session at the other site could be opened, because the answer would be incomplete.
	ErrRemote = errors.New("no session at the remote site")
	// ErrApart is returned if the two sites of a pairing are not connected.
	ErrApart = errors.New("the sites of the pairing are not connected")
	// ErrPairing is returned if the gateway has no such pairing.
	ErrPairing = errors.New("there is no such pairing")
	// ErrPartial is returned if the gateway marks the answer as incomplete, or if required parts are missing.
	ErrPartial = errors.New("the answer is incomplete")
	// ErrVersion is returned if the server has no vSphere Replication REST API v2.
	ErrVersion = errors.New("the server has no vSphere Replication REST API v2")
	// ErrTask is returned if the gateway accepted the request and its task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost is returned if the gateway no longer knows the task. Its outcome is read from the changed object.
	ErrTaskLost = errors.New("the task is not known any more")
)

// reduce keeps only the status and code of a login response, because other parts may quote the password.
func reduce(e *transport.APIError) {
	e.Messages, e.OperationID = nil, ""
	if strings.ContainsFunc(e.Type, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		e.Type = ""
	}
}

// TaskError is returned if a task ended without success.
type TaskError struct {
	Task Task
}

// Error returns the gateway's reason.
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

// Unwrap returns the sentinel.
func (e *TaskError) Unwrap() error { return ErrTask }

// answerError classifies an error response. The body may be the API's JSON, a proxy's HTML or empty.
func answerError(r request, status int, body []byte) *transport.APIError {
	var doc struct {
		Code        string `json:"error_code"`
		Message     string `json:"message"`
		OperationID string `json:"op_id"`
	}
	e := &transport.APIError{Operation: r.String(), Status: status, Kind: kindOf(status)}
	if json.Unmarshal(body, &doc) == nil {
		e.Type, e.OperationID = doc.Code, doc.OperationID
		if message := strings.TrimSpace(doc.Message); message != "" {
			e.Messages = []string{message}
		}
	}
	if limits(e) {
		e.Kind = ErrLimited
	}
	return e
}

// limits reports whether an error is the gateway's request limit with a status other than 429. Appliances may return
// 403 or 503 with a code or message about the limit. The request was not processed.
func limits(e *transport.APIError) bool {
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

func kindOf(status int) error {
	if status == http.StatusConflict { // a conflict of states, not of names
		return ErrInvalid
	}
	return kinds.FromStatus(status)
}

type metaError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

// partial returns an error that lists the missing parts, or nil if there are none.
func partial(r request, missing []metaError) error {
	if len(missing) == 0 {
		return nil
	}
	parts := make([]string, 0, len(missing))
	for _, m := range missing {
		parts = append(parts, strings.Trim(strings.Join([]string{m.Field, m.Code, m.Message}, " "), " "))
	}
	return fmt.Errorf("%s: %w: %s", r, ErrPartial, strings.Join(parts, "; "))
}
