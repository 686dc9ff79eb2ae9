package snapservice

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

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
	// ErrVCenter is returned if the failed request was sent to vCenter, and not to the appliance.
	ErrVCenter = errors.New("vCenter")
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

// Message is a message returned by the appliance.
type Message struct {
	Default string `json:"default_message"`
}

// Reason contains messages from the appliance.
type Reason struct {
	Messages []Message `json:"messages"`
}

// Texts returns all messages in printable form.
func Texts(reasons ...[]Reason) []string {
	list := make([]string, 0)
	for _, part := range reasons {
		for _, r := range part {
			for _, m := range r.Messages {
				list = append(list, Printable(m.Default))
			}
		}
	}
	return list
}

// wireError is the body of an error response and the error of a failed task.
type wireError struct {
	Type      string    `json:"error_type"`
	Messages  []Message `json:"messages"`
	Challenge string    `json:"challenge"`
}

// text returns all messages and the challenge.
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
	mayApply := status < http.StatusInternalServerError || errors.Is(kind, ErrUnavailable)
	switch {
	case status == http.StatusTooManyRequests:
	case status == http.StatusNotFound && !known: // a response from a proxy or another API
		e.Kind = ErrNoOperation
	case known && mayApply:
		e.Kind = kind
	}
	return e
}

// clean prepares text from the appliance for a message: it removes secrets, and makes the text Printable.
func (c *Client) clean(text string) string { return Printable(c.scrubber.Text(text)) }

const maxTextLength = 1000 // in bytes

// Printable makes text from the appliance, such as names and reasons, visible and truncates it to 1,000 bytes.
func Printable(text string) string {
	text = transport.Visible(text)
	if len(text) > maxTextLength {
		return strings.ToValidUTF8(text[:maxTextLength], "") + " (truncated)"
	}
	return text
}
