// Package vr is the adapter between vsla and the REST API gateway of one vSphere Replication appliance
// (/api/rest/vr/v2): one lazy session with a remote session for each pairing, pairings, VMs, targets,
// replications and tasks.
//
// It exposes domain structs and sentinel errors, never in Terraform's types. Sizes are bytes, durations and instants
// Go's, whatever the API uses. The gateway allows 50 requests a minute to a session, so every client keeps below that,
// polls all tasks in one request, and shares one listing of a pairing's replications. A read that the gateway announces
// as incomplete is an error, never data. Nothing is asked for twice that the gateway does not forbid to do twice. The
// package opens no connection until a call needs one, logs nothing itself (an observer may), and never puts a password
// or a session id into an error.
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

const (
	// DefaultRequestsPerMinute stays below the 50 requests a minute that a gateway of 8.8 or later allows to a session.
	DefaultRequestsPerMinute = 45

	basePath = "/api/rest/vr/v2"
)

// Config configures the client of one gateway. The zero values of the optional fields are usable.
type Config struct {
	// Server is a host, host:port or URL. A URL must not carry user information; a path in it replaces the API's own.
	Server string
	// User and Password authenticate at the gateway: an account of the vCenter of its site.
	User, Password string
	// RemoteUser and RemotePassword authenticate at the other site of a pairing. They are needed by everything that
	// concerns a pairing, but for one of a vCenter with itself.
	RemoteUser, RemotePassword string
	// Credentials and RemoteCredentials are shared with other clients that log in with the same user and password; nil
	// means not shared.
	Credentials, RemoteCredentials *transport.Credentials
	// RequestsPerMinute is the client's own limit, after a burst of ten; 0 means none.
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
	return transport.Address("replication server", c.Server, basePath)
}

const (
	// burst is the number of requests that may be sent at once: Terraform's default parallelism.
	burst = 10
	// window is the gateway's: after a refusal that names no wait, the quota is whole again after it.
	window = 60 * time.Second
)

// newPace returns a pace whose burst and refill together stay within the configured number in every minute: the gateway
// counts in fixed windows, and a bucket refilled at the full rate would exceed the number by its burst.
func newPace(c Config) *transport.Pace {
	p := transport.PaceConfig{Now: c.Now, Sleep: c.Sleep, Pause: window}
	if n := c.RequestsPerMinute; n > 0 {
		p.Burst = min(burst, max(1, n/4))
		p.PerSecond = float64(max(1, n-p.Burst)) / window.Seconds()
	}
	return transport.NewPace(p)
}

// kilobytes converts the capacity of a disk, which the API reports in units of 1,024 bytes.
func kilobytes(n int64) (bytes int64) { return n * 1024 }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func minutes(n int64) time.Duration { return time.Duration(n) * time.Minute }

// instant returns a time in milliseconds since 1970; 0 means never, and returns the zero time.
func instant(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

var kinds = transport.NewKinds()

// Sentinels of the package; test with errors.Is. Those of general kinds wrap the kind of the same name in package
// transport.
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
	// ErrRemoteLogin is returned if the other site refuses the user or password. It comes with ErrRemote.
	ErrRemoteLogin = transport.Kind("login at the remote site refused", transport.ErrLogin)
	// ErrNoRemoteUser is returned if the configuration contains no user for the other site. It comes with ErrRemote.
	ErrNoRemoteUser = errors.New("no user for the remote site is configured")
	// ErrRemote is returned if no session at the other site could be opened, so the reading would be incomplete.
	ErrRemote = errors.New("no session at the remote site")
	// ErrApart is returned if the two sites of a pairing are not connected.
	ErrApart = errors.New("the sites of the pairing are not connected")
	// ErrPairing is returned if the gateway has no such pairing.
	ErrPairing = errors.New("there is no such pairing")
	// ErrPartial is returned if the answer is announced as incomplete, or lacks what it must contain.
	ErrPartial = errors.New("the answer is incomplete")
	// ErrVersion is returned if the server has no vSphere Replication REST API v2.
	ErrVersion = errors.New("the server has no vSphere Replication REST API v2")
	// ErrTask is returned if the gateway accepted the request and its task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost is returned if the gateway no longer knows the task. Its outcome is read from the changed object.
	ErrTaskLost = errors.New("the task is not known any more")
)

// reduce leaves status and code of an answer to a login: anything else may quote the password.
func reduce(e *transport.APIError) {
	e.Messages, e.OperationID = nil, ""
	if strings.ContainsFunc(e.Type, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		e.Type = ""
	}
}

// TaskError is a task that ended without success.
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

// answerError classifies an answer whose status is not a success. The body may be the API's JSON, a proxy's HTML or
// nothing.
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

// limits reports whether an answer is the gateway's request limit under another status than 429: appliances answer one
// with 403 or 503 and a code or message about it. Nothing was done then.
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
	if status == http.StatusConflict { // of states, not of names
		return ErrInvalid
	}
	return kinds.OfStatus(status)
}

type metaError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

// partial returns an error for the announced missing parts; nil without any.
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
