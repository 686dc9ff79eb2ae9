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

// request is a call to an operation. ids are the values for the template's placeholders, in order.
type request struct {
	operation

	ids   []string
	query url.Values
	body  any
}

// path expands the template. It rejects an empty ID, which would produce the path of a different operation.
func (r request) path() (string, error) {
	return kinds.Expand(r.String(), r.endpoint().template, r.ids)
}

// call sends a request and logs in first if necessary. It retries requests that were not processed (expired session,
// throttling) and reads that failed temporarily. For a write without a usable response, it returns ErrUncertain. out
// may be nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	renewed := false
	defer c.config.EndProbe(ctx)
	for attempt := 1; ; attempt++ {
		id, err := c.openSession(ctx)
		if err != nil {
			return err
		}
		after, err := c.send(ctx, r, path, attempt, out, func(h http.Header) { h.Set(sessionHeader, id) })
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrSession) && !renewed:
			renewed = true
			if err := c.renewSession(ctx, id); err != nil {
				return err
			}
			attempt--
			continue
		case r.endpoint().startsTask && transport.MayHaveTakenEffect(err):
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		case !c.awaitRetry(ctx, err, after, attempt):
			return err
		}
	}
}

// awaitRetry waits before the next attempt. It returns false if there is none.
func (c *Client) awaitRetry(ctx context.Context, err error, after time.Duration, attempt int) bool {
	if errors.Is(err, ErrLimited) {
		c.rateLimiter.Throttle(after) // delays the next request of every caller
	}
	return c.config.AwaitRetry(ctx, err, after, attempt)
}

// send sends a request once. authenticate adds the session or the token. after is the delay that the service asks for.
func (c *Client) send(
	ctx context.Context,
	r request,
	path string,
	attempt int,
	out any,
	authenticate func(http.Header),
) (after time.Duration, err error) {
	to := r.endpoint()
	event := Event{Method: to.method, Path: to.template, Attempt: attempt}
	event.Throttled, err = c.rateLimiter.Wait(ctx)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return 0, fmt.Errorf("%s: %w", r, err)
	}
	defer c.slots.Release(1)
	query := url.Values{}
	maps.Copy(query, r.query)
	if to.action != "" {
		query.Set("action", to.action)
	}
	if to.startsTask {
		query.Set("vmw-task", "true")
	}
	body, event, err := c.service.Send(ctx, transport.Request{
		Event:        event,
		Name:         r.String(),
		Path:         path,
		Query:        query,
		Body:         r.body,
		Authenticate: authenticate,
		ParseError:   func(event *Event, body []byte) error { return c.parseError(r, event.Status, body) },
	})
	if err != nil || out == nil {
		return event.RetryAfter, err
	}
	return event.RetryAfter, c.service.Decode(r.String(), body, out)
}
