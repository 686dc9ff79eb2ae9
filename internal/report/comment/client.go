// Requests to an API: the hosts they are sent to, retries, and errors.

package comment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	// maxAnswer is the largest answer that is read, in bytes: a page of comments at their greatest length.
	maxAnswer = 128 << 20
	// maxPages is how many pages of comments are read.
	maxPages = 200
	// maxWait is the longest wait for a rate limit; with a longer one the job fails.
	maxWait = 60 * time.Second
	// limitPause is the wait where a service refuses for its load and names none.
	limitPause   = 10 * time.Second
	maxRedirects = 5
)

// client sends requests to one API.
type client struct {
	name     string
	base     *url.URL
	scrubber *transport.Scrubber
	header   http.Header
	http     http.Client
	config   Config
	kinds    transport.Kinds
	pace     *transport.Pace
	// denied is what to do when the token may not do this, missing when there is no such pull request.
	denied, missing string
}

// uncertainError is the failure of a request that creates and may have done so.
type uncertainError struct{ err error }

func (e *uncertainError) Error() string { return e.err.Error() }
func (e *uncertainError) Unwrap() error { return e.err }

func newClient(c Config, name, address, token string, header http.Header) (*client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("the address of the API must be an https URL, got %q", address)
	}
	if transport.CheckScheme(base) != nil {
		return nil, fmt.Errorf("the address of the API must use https, because http would send the token in clear text, "+
			"got %q", base.Redacted())
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	cl := &client{
		name: name, base: base, scrubber: transport.NewScrubber(token), header: header, config: c, http: *c.Client,
		kinds: transport.NewKinds(),
		pace:  transport.NewPace(transport.PaceConfig{Now: c.Now, Sleep: c.Sleep, Burst: 1, Pause: limitPause}),
	}
	cl.http.CheckRedirect = cl.redirect
	return cl, nil
}

// redirect follows reads to another path of the same host. Anything else would send the token to a third party,
// or a change to another place.
func (c *client) redirect(r *http.Request, via []*http.Request) error {
	if r.URL.Host != c.base.Host || r.URL.Scheme != c.base.Scheme || via[0].Method != http.MethodGet ||
		len(via) >= maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// call sends a request with retries and decodes the answer. path is below the base.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	for attempt := 1; ; attempt++ {
		if _, err := c.pace.Wait(ctx); err != nil {
			return err
		}
		after, err := c.once(ctx, method, path, in, out)
		if err == nil {
			return nil
		}
		if errors.Is(err, transport.ErrLimited) {
			if after > maxWait {
				return fmt.Errorf("%w; the limit ends in %s: run the job again then", err, after.Round(time.Second))
			}
			c.pace.Refused(after)
		}
		if method == http.MethodPost && errors.Is(err, transport.ErrUnavailable) {
			return &uncertainError{err}
		}
		if !transport.Again(ctx, c.config.Sleep, err, after, attempt) {
			return err
		}
	}
}

// once sends a request once. after is how long the service asks to wait.
func (c *client) once(ctx context.Context, method, path string, in, out any) (after time.Duration, err error) {
	r, err := c.request(ctx, method, path, in)
	if err != nil {
		return 0, err
	}
	op := method + " " + r.URL.Path
	resp, err := c.http.Do(r)
	if err != nil {
		// The error of the client has the address; it has no header.
		return 0, c.scrubber.Error(c.kinds.NoAnswer(ctx, context.WithoutCancel(ctx), op, c.http.Timeout, err))
	}
	defer resp.Body.Close() //nolint:errcheck // it was read only
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, fmt.Errorf("%s: %w: the answer broke off", op, c.kinds.Unavailable)
	}
	if len(text) > maxAnswer {
		return 0, fmt.Errorf("%s: %w: the answer has more than %d MiB", op, c.kinds.Invalid, maxAnswer>>20)
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated {
		if out == nil {
			return 0, nil
		}
		if err := json.Unmarshal(text, out); err != nil {
			return 0, fmt.Errorf(
				"%s: %w: the answer is no JSON of this API; check the address and the token",
				op,
				c.kinds.Invalid,
			)
		}
		return 0, nil
	}
	return c.failure(op, resp, text)
}

func (c *client) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, body)
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	r.Header.Set("User-Agent", "terraform-provider-vsla")
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// failure is the error of an answer, with what to do.
func (c *client) failure(op string, resp *http.Response, text []byte) (time.Duration, error) {
	kind, advice, after := c.kinds.OfStatus(resp.StatusCode), "", c.wait(resp.Header)
	limited := resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusForbidden && (after > 0 || resp.Header.Get("X-RateLimit-Remaining") == "0")
	switch {
	case limited:
		kind, advice = c.kinds.Limited, "there are too many requests with this token"
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		kind, advice = c.kinds.Invalid, fmt.Sprintf("%v; check the address of the API and the name of the repository",
			transport.Redirect(resp))
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusNonAuthoritativeInfo:
		kind, advice = c.kinds.Session, "the token is wrong or has expired. "+c.denied
	case resp.StatusCode == http.StatusForbidden:
		advice = "the token may not do this. " + c.denied
	case resp.StatusCode == http.StatusNotFound:
		advice = "there is no such pull request, or the token may not see it. " + c.missing
	case resp.StatusCode >= http.StatusInternalServerError:
		advice = "run the job again later"
	}
	err := fmt.Errorf("%s: HTTP %d: %w", op, resp.StatusCode, kind)
	if said := said(text); said != "" {
		err = fmt.Errorf("%w: %s said %q", err, c.name, said)
	}
	if advice != "" {
		err = fmt.Errorf("%w; %s", err, advice)
	}
	return after, c.scrubber.Error(err)
}

// wait is how long a service asks to wait: by Retry-After, or by the time at which a limit that is used up ends.
func (c *client) wait(h http.Header) time.Duration {
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(at.Sub(c.config.Now()), 0)
	}
	for _, name := range []string{"X-RateLimit", "RateLimit"} {
		at, err := strconv.ParseInt(h.Get(name+"-Reset"), 10, 64)
		if err == nil && h.Get(name+"-Remaining") == "0" {
			return max(time.Unix(at, 0).Sub(c.config.Now()), time.Second)
		}
	}
	return 0
}

// said is the message in the answer of a failure.
func said(text []byte) string {
	var answer struct {
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &answer) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{answer.Message, answer.Error} {
		var message string
		var nested struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &message) != nil && json.Unmarshal(raw, &nested) == nil {
			message = nested.Message
		}
		if runes := []rune(strings.Join(strings.Fields(message), " ")); len(runes) > 0 {
			return string(runes[:min(len(runes), 200)])
		}
	}
	return ""
}
