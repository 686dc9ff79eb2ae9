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
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

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

	// Caches shared by all callers, most of them keyed by cluster or site. A write to a cluster drops the cached groups of
	// that cluster, and the cached VMs and previews of all clusters.
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
		service:  transport.Service{Settings: config.Settings, Base: base, HTTP: client, Scrubber: scrubber, Kinds: kinds},
		rateLimiter: transport.NewRateLimiter(transport.RateLimiterConfig{
			Now: config.Now, Sleep: config.Sleep, Pause: 10 * time.Second, ThrottledPerSecond: 8, MinPerSecond: 1,
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

// Config is the configuration of a Client. Optional fields can be zero.
type Config struct {
	// Server is the appliance's address: a host, host:port or URL without user information. A path in the URL replaces
	// /api.
	Server string
	// VCenter is the address of the appliance's vCenter, in the same form as Server. Its STS issues the login token.
	VCenter string
	// User and Password are used to log in to the STS.
	User, Password string
	// Credentials can be shared with other clients for the same vCenter and user. If nil, the client creates its own.
	Credentials *transport.Credentials

	transport.Settings
}

// Event describes a completed request. Its path is a template.
type Event = transport.Event

var kinds = transport.NewKinds()

// Sentinel errors, for use with errors.Is. Each field of kinds wraps the error of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist or is not visible to the user.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege.
	ErrPermission = kinds.Permission
	// ErrConflict is returned if an object with that name already exists.
	ErrConflict = kinds.Conflict
	// ErrInvalid is returned if the appliance rejects the request as invalid.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if vCenter's STS rejects the user name or password.
	ErrLogin = kinds.Login
	// ErrLimited is returned if the service throttles the request.
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
	// ErrToken is returned if the appliance rejects the token issued by vCenter.
	ErrToken = errors.New("the appliance rejected the token issued by vCenter")
	// ErrHeader is returned if the appliance or a proxy drops the header that contains the token.
	ErrHeader = errors.New("the header with the token was rejected")
	// ErrVersion is returned if the server does not support vSAN Data Protection 9.0 or later.
	ErrVersion = errors.New("the server is not a vSAN Data Protection appliance of release 9.0 or later")
	// ErrNoOperation is returned if the appliance lacks the operation or if the response does not come from its API.
	ErrNoOperation = errors.New("no such operation")
	// ErrRelease is returned if the operation requires release 9.1 but the appliance runs 9.0.
	ErrRelease = errors.New("requires vSAN Data Protection 9.1")
	// ErrOtherVCenter is returned if the appliance belongs to a different vCenter.
	ErrOtherVCenter = errors.New("the appliance belongs to another vCenter")
	// ErrState is returned if the object's state does not allow the operation or if another operation is in progress.
	ErrState = errors.New("not allowed in the current state")
	// ErrDone is returned if the object is already in the requested state.
	ErrDone = errors.New("already in the desired state")
	// ErrUnsupported is returned if the object does not support the operation or if the protection group is locked.
	ErrUnsupported = errors.New("unsupported")
	// ErrForeign is returned if another client created a group with the same name but different settings.
	ErrForeign = errors.New("another client created a group with the same name")
	// ErrTask is returned if the appliance accepted the request but the task failed.
	ErrTask = errors.New("the task failed")
	// ErrTaskLost is returned if the appliance no longer knows the task. The caller must read the object to learn the
	// outcome.
	ErrTaskLost = errors.New("the task no longer exists")
	// ErrTimeout is returned if the operation exceeds its time limit. The appliance may still be working on it.
	ErrTimeout = errors.New("the operation timed out; the appliance may still complete it")
)

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

// Message is a message returned by the appliance.
type Message struct {
	Default string `json:"default_message"`
}

type wireError struct {
	Type      string    `json:"error_type"`
	Messages  []Message `json:"messages"`
	Challenge string    `json:"challenge"`
}

func (w wireError) text() string {
	parts := make([]string, 0, len(w.Messages)+1)
	for _, m := range w.Messages {
		parts = append(parts, m.Default)
	}
	if w.Challenge != "" {
		parts = append(parts, "challenge "+w.Challenge)
	}
	return strings.Join(parts, "; ")
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

const maxTextLength = 1000 // in bytes

// clean prepares text from the appliance for a message: it removes secrets, replaces control characters with spaces,
// and truncates the text to 1,000 bytes.
func (c *Client) clean(text string) string {
	return Printable(c.scrubber.Text(text))
}

// Printable replaces control characters in text from the appliance, such as names and reasons, with spaces. It
// truncates the text to 1,000 bytes.
func Printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxTextLength {
		return strings.ToValidUTF8(text[:maxTextLength], "") + " (truncated)"
	}
	return text
}
