package snapservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const pollInterval = 5 * time.Second

// Task is an appliance task.
type Task struct {
	// Status is PENDING, RUNNING, BLOCKED, SUCCEEDED, FAILED, or a value added by a later release.
	Status string `json:"status"`
	// Progress is the number of completed units and the total. It may be nil.
	Progress *struct {
		Total     int64 `json:"total"`
		Completed int64 `json:"completed"`
	} `json:"progress"`
	Error  *wireError      `json:"error"`
	Result json.RawMessage `json:"result"`
	Target *struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"target"`
}

// hasEnded returns false for a blocked task, which can still continue.
func (t Task) hasEnded() bool { return t.Status == "SUCCEEDED" || t.Status == "FAILED" }

// groupID returns the ID of the group that the task created or changed, or "" if the task does not contain it.
func (t Task) groupID() string {
	var id string
	if json.Unmarshal(t.Result, &id) == nil && id != "" {
		return id
	}
	if t.Target != nil && t.Target.Type == "com.vmware.snapservice.protection_group" {
		return t.Target.ID
	}
	return ""
}

// failure returns the error of a failed task, or nil. If the task has no error field, its result contains the reason.
func (c *Client) failure(id string, t Task) error {
	if t.Status != "FAILED" {
		return nil
	}
	reason := string(t.Result)
	if t.Error != nil {
		reason = t.Error.Type + ": " + t.Error.text()
	}
	return fmt.Errorf("task %s: %w: %s", c.clean(id), ErrTask, c.clean(reason))
}

// pollResult contains the tasks that one request has read, by ID.
type pollResult struct {
	readAt time.Time
	tasks  map[string]Task
}

// waitForTask polls a task until it ends or limit has passed. Concurrent callers share the poll requests. Errors:
// ErrTask, ErrTaskLost, ErrTimeout.
func (c *Client) waitForTask(ctx context.Context, id string, limit time.Duration, progress func(string)) (Task, error) {
	c.countWaiter(id, 1)
	defer c.countWaiter(id, -1)
	last := ""
	for waited := time.Duration(0); waited < limit; waited += pollInterval {
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return Task{}, fmt.Errorf("wait for task %s: %w: %w", c.clean(id), ErrUncertain, err)
		}
		t, err := c.task(ctx, id)
		if err != nil {
			return Task{}, err
		}
		status := Printable(t.Status)
		if status != last && progress != nil {
			progress(status)
		}
		last = status
		if t.hasEnded() {
			return t, c.failure(id, t)
		}
	}
	return Task{}, fmt.Errorf("task %s (%s): %w", c.clean(id), last, ErrTimeout)
}

// countWaiter adds n to the number of callers that wait for a task.
func (c *Client) countWaiter(id string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters[id] += n
	if c.waiters[id] == 0 {
		delete(c.waiters, id)
	}
}

// task reads a task with the next poll request of all waiting callers.
func (c *Client) task(ctx context.Context, id string) (Task, error) {
	now := c.config.Now()
	p, err := c.pollCache.GetIf(ctx, "", c.pollTasks, func(p *pollResult) bool {
		_, has := p.tasks[id]
		return has && now.Sub(p.readAt) < pollInterval
	})
	if err != nil {
		return Task{}, err
	}
	if t, has := p.tasks[id]; has {
		return t, nil
	}
	var t Task
	err = c.call(ctx, request{operation: getTask, ids: []string{id}}, &t)
	if errors.Is(err, ErrNotFound) {
		return t, fmt.Errorf("task %s: %w", c.clean(id), ErrTaskLost)
	}
	return t, err
}

// pollTasks reads the tasks of all waiting callers.
func (c *Client) pollTasks(ctx context.Context) (*pollResult, error) {
	c.mu.Lock()
	ids := slices.Sorted(maps.Keys(c.waiters))
	c.mu.Unlock()
	p := &pollResult{readAt: c.config.Now(), tasks: make(map[string]Task, len(ids))}
	var result struct {
		Items transport.List[struct {
			ID   string `json:"task"`
			Info Task   `json:"info"`
		}] `json:"items"`
	}
	if err := c.call(ctx, request{operation: listTasks, query: url.Values{"tasks": ids}}, &result); err != nil {
		return nil, err
	}
	for _, item := range result.Items {
		p.tasks[item.ID] = item.Info
	}
	return p, nil
}
