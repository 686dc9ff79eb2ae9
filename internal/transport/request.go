// Package transport contains the code shared by the clients of vCenter, vSphere Replication and vSAN Data Protection:
// error kinds, retries, rate limits, logins, certificate checks and JSON requests.
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
	"reflect"
	"strings"
)

// Service sends requests to a server. Settings.Complete must have been called on its settings.
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

	// Name identifies the request in messages. Messages contain no other part of the request.
	Name string
	// Path is appended to the path of the service URL.
	Path  string
	Query url.Values
	// Body is encoded as JSON. nil means no body.
	Body any
	// Authenticate adds the authentication headers.
	Authenticate func(http.Header)
	// ParseError converts an unsuccessful response to an error. It may add details to the event.
	ParseError func(event *Event, body []byte) error
}

// Send sends a request once and returns the response body.
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
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return nil, event, s.Kinds.NoResponse(ctx, bounded, r.Name, s.Timeout, WithoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read or is not needed
	event.Status = resp.StatusCode
	event.RetryAfter = RetryAfter(resp.Header)
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		return nil, event, s.Kinds.NoResponse(ctx, bounded, r.Name, s.Timeout, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return body, event, r.ParseError(&event, body)
	}
	return body, event, nil
}

func (s *Service) request(ctx context.Context, r Request) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(s.Base.String(), "/") + r.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an ID is not valid in a URL", r.Name, s.Kinds.Invalid)
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
		return nil, fmt.Errorf("%s: %w: an ID is not valid in a URL", r.Name, s.Kinds.Invalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json") // some gateways require it even without a body
	req.Header.Set("User-Agent", s.UserAgent)
	r.Authenticate(req.Header)
	return req, nil
}

// Decode decodes a JSON response into out. name identifies the request in errors.
func (s *Service) Decode(name string, body []byte, out any) error {
	err := json.Unmarshal(body, out)
	if err == nil && lacksList(reflect.ValueOf(out)) {
		err = errors.New("a list is missing or null")
	}
	if err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			// Replace the original error, because it names a Go type.
			err = fmt.Errorf("unexpected %s at %s", mismatch.Value, cmp.Or(mismatch.Field, "the top level"))
		}
		err = s.Scrubber.Error(err)
		return fmt.Errorf("%s: %w: %w: %w", name, ErrNotDocumented, s.Kinds.Unavailable, err)
	}
	return nil
}

// Expand replaces the placeholders of a path template with ids, in order. It rejects empty IDs, "." and "..", because
// the path would then address a different operation.
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
			return "", fmt.Errorf("%s: %w: %s is empty or invalid", name, k.Invalid, placeholder)
		}
		b.WriteString(url.PathEscape(ids[0]))
		ids = ids[1:]
		rest = tail
	}
}
