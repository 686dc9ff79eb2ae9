// One request: its address, when it is repeated, and how its answer is read.

package snapservice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const (
	sessionHeader = "vmware-api-session-id"
	maxBody       = 256 << 20
)

// operation is an operation of the API. Its template names it in messages.
type operation struct {
	method, template string
	// action is the value of the query parameter action; may be empty.
	action string
	// task marks a write, whose answer is the id of a task.
	task bool
}

// The operations; there are no others.
var (
	createSession  = operation{http.MethodPost, "/snapservice/sessions", "", false}
	deleteSession  = operation{http.MethodDelete, "/snapservice/sessions", "", false}
	getAbout       = operation{http.MethodGet, "/snapservice/info/about", "", false}
	listSites      = operation{http.MethodGet, "/snapservice/sites", "", false}
	listLicences   = operation{http.MethodGet, "/snapservice/sites/{site}/licenses", "", false}
	listClusters   = operation{http.MethodGet, "/snapservice/sites/{site}/clusters", "", false}
	getCapability  = operation{http.MethodGet, "/snapservice/sites/{site}/clusters/{cluster}/capabilities", "", false}
	listPairs      = operation{http.MethodGet, "/snapservice/cluster-pairs", "", false}
	listVMs        = operation{http.MethodGet, "/snapservice/clusters/{cluster}/virtual-machines", "", false}
	listGroups     = operation{http.MethodGet, groupsPath, "", false}
	getGroup       = operation{http.MethodGet, groupPath, "", false}
	computeMembers = operation{http.MethodPost, "/snapservice/protection-groups", "compute-members", false}
	createGroup    = operation{http.MethodPost, groupsPath, "", true}
	updateGroup    = operation{http.MethodPatch, groupPath, "", true}
	deleteGroup    = operation{http.MethodDelete, groupPath, "", true}
	pauseGroup     = operation{http.MethodPost, groupPath, "pause", true}
	resumeGroup    = operation{http.MethodPost, groupPath, "resume", true}
	createSnapshot = operation{http.MethodPost, groupPath + "/snapshots", "", true}
	listTasks      = operation{http.MethodGet, "/snapservice/tasks", "", false}
	getTask        = operation{http.MethodGet, "/snapservice/tasks/{task}", "", false}
)

const (
	groupsPath = "/snapservice/clusters/{cluster}/protection-groups"
	groupPath  = groupsPath + "/{pg}"
)

// request is one call. ids fill the template's placeholders, in their order.
type request struct {
	operation

	ids   []string
	query url.Values
	body  any
}

// String returns method, template and action.
func (r request) String() string {
	s := r.method + " " + r.template
	if r.action != "" {
		s += "?action=" + r.action
	}
	return s
}

// path fills the template. An empty id would address another operation, so it is refused.
func (r request) path() (string, error) {
	var b strings.Builder
	rest, ids := r.template, r.ids
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		if len(ids) == 0 || ids[0] == "" || ids[0] == "." || ids[0] == ".." {
			return "", fmt.Errorf("%s: %w: %s is empty", r, ErrInvalid, name)
		}
		b.WriteString(url.PathEscape(ids[0]))
		ids, rest = ids[1:], tail
	}
	return b.String(), nil
}

// call sends a request, after logging in where that is needed. It retries requests that were refused before they took
// effect (a session that ended, too many requests) and reads that failed transiently. A write without a usable answer
// is ErrUncertain. out may be nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	healed := false
	for attempt := 1; ; attempt++ {
		id, err := c.open(ctx)
		if err != nil {
			return err
		}
		after, err := c.exchange(ctx, r, path, attempt, out, func(h http.Header) { h.Set(sessionHeader, id) })
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrSession) && !healed:
			healed = true
			if err := c.renew(ctx, id); err != nil {
				return err
			}
			attempt--
			continue
		case r.task && errors.Is(err, ErrUnavailable):
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		case !c.again(ctx, err, after, attempt):
			return err
		}
	}
}

// again waits before a request is repeated, and reports whether it is to be repeated.
func (c *Client) again(ctx context.Context, err error, after time.Duration, attempt int) bool {
	if errors.Is(err, ErrLimited) {
		c.pace.Refused(after) // the next request waits, whoever sends it
	}
	return transport.Again(ctx, c.config.Sleep, err, after, attempt)
}

func (c *Client) exchange(
	ctx context.Context,
	r request,
	path string,
	attempt int,
	out any,
	authenticate func(http.Header),
) (after time.Duration, err error) {
	event := Event{Method: r.method, Path: r.template, Attempt: attempt}
	if event.Throttled, err = c.pace.Wait(ctx); err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	defer c.slots.Release(1)
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	req, err := c.request(bounded, r, path)
	if err != nil {
		return 0, err
	}
	authenticate(req.Header)
	defer func() { c.config.Observe(ctx, event) }()
	answer, err := c.http.Do(req)
	if err != nil {
		return 0, kinds.NoAnswer(ctx, bounded, r.String(), c.config.Timeout, withoutURL(err))
	}
	defer func() { _ = answer.Body.Close() }() // read to its end, or of no more use
	event.Status, after = answer.StatusCode, transport.RetryAfter(answer.Header)
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return after, kinds.NoAnswer(ctx, bounded, r.String(), c.config.Timeout, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return after, c.answerError(r, answer.StatusCode, body)
	}
	if out == nil {
		return after, nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return after, fmt.Errorf("%s: the answer is not the JSON that the API documents: %w: %s",
			r, ErrUnavailable, c.clean(err.Error()))
	}
	return after, nil
}

func (c *Client) request(ctx context.Context, r request, path string) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(c.base.String(), "/") + path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r, ErrInvalid)
	}
	query := url.Values{}
	maps.Copy(query, r.query)
	if r.action != "" {
		query.Set("action", r.action)
	}
	if r.task {
		query.Set("vmw-task", "true")
	}
	u.RawQuery = query.Encode()
	var body io.Reader
	if r.body != nil {
		content, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: an id cannot be part of an address", r, ErrInvalid)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.config.UserAgent)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
