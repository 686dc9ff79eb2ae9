// One request with a JSON body, and the answer to it.

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

// Service sends requests to one service. Its settings are complete.
type Service struct {
	Settings

	Base     *url.URL
	HTTP     *http.Client
	Scrubber *Scrubber
	Kinds    Kinds
}

// Request is one request. Only its name appears in messages.
type Request struct {
	Event

	// Name names the request in messages.
	Name string
	// Path is appended to the path of the service's address.
	Path  string
	Query url.Values
	// Body is encoded as JSON; nil for none.
	Body any
	// Authenticate adds headers.
	Authenticate func(http.Header)
	// Refused returns the error of an answer that is not a success. It may complete the event.
	Refused func(event *Event, body []byte) error
}

// Send sends a request once, and returns the body of its answer.
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
	defer func() { _ = answer.Body.Close() }() // read to its end, or of no more use
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
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r.Name, s.Kinds.Invalid)
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
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r.Name, s.Kinds.Invalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json") // even without a body: some gateways insist
	req.Header.Set("User-Agent", s.UserAgent)
	r.Authenticate(req.Header)
	return req, nil
}

// Decode reads the JSON of the answer to a request.
func (s *Service) Decode(name string, body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			// Its own text has the type of Go.
			err = fmt.Errorf("a %s at %s", mismatch.Value, cmp.Or(mismatch.Field, "the top"))
		}
		err = s.Scrubber.Error(err)
		return fmt.Errorf("%s: the answer is not the JSON that the API documents: %w: %w", name, s.Kinds.Unavailable, err)
	}
	return nil
}

// Expand fills the placeholders of a path template with ids, in their order. An empty id would address another
// operation, and so would a dot, so they are refused.
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

// Open reports whether an error leaves open if the request took effect.
func Open(err error) bool { return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrTooLarge) }

// SOAPStatus returns the HTTP status that a SOAP request failed with; 0 if it failed otherwise. govmomi gives it as the
// beginning of a text only.
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

// WithoutURL drops the address from an error of net/http: the request is named by its template.
func WithoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
