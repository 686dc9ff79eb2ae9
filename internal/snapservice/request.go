// One request: its address, when it is repeated, and how its answer is read.

package snapservice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const sessionHeader = "vmware-api-session-id"

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
	return kinds.Expand(r.String(), r.template, r.ids)
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
		case r.task && transport.Open(err):
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
	query := url.Values{}
	maps.Copy(query, r.query)
	if r.action != "" {
		query.Set("action", r.action)
	}
	if r.task {
		query.Set("vmw-task", "true")
	}
	body, event, err := c.service.Send(ctx, transport.Request{
		Event: event, Name: r.String(), Path: path, Query: query, Body: r.body, Authenticate: authenticate,
		Refused: func(event *Event, body []byte) error { return c.answerError(r, event.Status, body) },
	})
	if err != nil || out == nil {
		return event.RetryAfter, err
	}
	return event.RetryAfter, c.service.Decode(r.String(), body, out)
}
