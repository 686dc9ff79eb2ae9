package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Service sends requests to one service. Its settings must be complete.
type Service struct {
	Settings

	Base     *url.URL
	HTTP     *http.Client
	Scrubber *Scrubber
	Kinds    Kinds
}

// Request is a request with a JSON body.
type Request struct {
	Event

	// Name identifies the request in messages. Messages contain nothing else of the request.
	Name string
	// Path is appended to the path of the service's address.
	Path  string
	Query url.Values
	// Body is encoded as JSON; nil means no body.
	Body any
	// Authenticate adds headers.
	Authenticate func(http.Header)
	// Refused returns the error of an unsuccessful response. It may add to the event.
	Refused func(event *Event, body []byte) error
}

// Send sends a request once and returns the body of the response.
func (s *Service) Send(ctx context.Context, r Request) (body []byte, event Event, err error) {
	event = r.Event
	bounded, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := s.request(bounded, r)
	if err != nil {
		return nil, event, err
	}
	defer func() {
		s.Observe(ctx, event)
		err = s.Scrubber.Error(err)
	}()
	answer, err := s.HTTP.Do(req)
	if err != nil {
		return nil, event, s.Kinds.NoAnswer(ctx, bounded, r.Name, s.Timeout, WithoutURL(err))
	}
	defer func() { _ = answer.Body.Close() }() // already read or no longer needed
	event.Status, event.RetryAfter = answer.StatusCode, RetryAfter(answer.Header)
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		return nil, event, s.Kinds.NoAnswer(ctx, bounded, r.Name, s.Timeout, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return body, event, r.Refused(&event, body)
	}
	return body, event, nil
}

func (s *Service) request(ctx context.Context, r Request) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(s.Base.String(), "/") + r.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id is not valid in a URL", r.Name, s.Kinds.Invalid)
	}
	u.RawQuery = r.Query.Encode()
	var body io.Reader
	if r.Body != nil {
		content, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id is not valid in a URL", r.Name, s.Kinds.Invalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json") // some gateways require it even without a body
	req.Header.Set("User-Agent", s.UserAgent)
	r.Authenticate(req.Header)
	return req, nil
}

// Decode decodes the JSON response to a request.
func (s *Service) Decode(name string, body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			// The text of the original error names a Go type.
			err = fmt.Errorf("a %s at %s", mismatch.Value, cmp.Or(mismatch.Field, "the top"))
		}
		err = s.Scrubber.Error(err)
		return fmt.Errorf("%s: the response does not match the documented API: %w: %w", name, s.Kinds.Unavailable, err)
	}
	return nil
}

// Expand replaces the placeholders of a path template with ids in order. It rejects ids that are empty or dots,
// because the path would address another operation.
func (k Kinds) Expand(name, template string, ids []string) (string, error) {
	var b strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		placeholder, tail, _ := strings.Cut(after, "}")
		if len(ids) == 0 || ids[0] == "" || ids[0] == "." || ids[0] == ".." {
			return "", fmt.Errorf("%s: %w: %s is empty", name, k.Invalid, placeholder)
		}
		b.WriteString(url.PathEscape(ids[0]))
		ids, rest = ids[1:], tail
	}
}

// Open reports whether the request may have taken effect despite the error.
func Open(err error) bool { return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrTooLarge) }

// SOAPStatus returns the HTTP status of a failed SOAP request, or 0. govmomi exposes it only as text.
func SOAPStatus(err error) int {
	wrapped, ok := errors.AsType[*url.Error](err)
	if !ok {
		return 0
	}
	code, _, _ := strings.Cut(wrapped.Err.Error(), " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < http.StatusMultipleChoices || status > 599 {
		return 0
	}
	return status
}

// WithoutURL removes the URL from an error of net/http, because it may contain ids.
func WithoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
