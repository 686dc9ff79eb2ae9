package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// Tasks are polled 1, 2 and 4 seconds after a new task, and then every pollInterval. A replication is read every
	// pollInterval and, after fastPolls reads, every slowPollInterval.
	pollInterval     = 5 * time.Second
	slowPollInterval = 15 * time.Second
	fastPolls        = 12
	// maxPollDelays is the maximum number of intervals by which a poll is delayed in favor of other requests.
	maxPollDelays = 5
	// taskBatchSize is the number of tasks per request. It is limited because the task IDs are part of the URL.
	taskBatchSize = 50
)

// Task is a gateway task.
type Task struct {
	ID string
	// Status is QUEUED, RUNNING, SUCCESS, ERROR, CANCELLED, or a value added by a later release.
	Status      string
	Description string
	Percent     int64
	// Message and Details contain the reason for a failure.
	Message string
	Details string
	object  string // the VM or replication that the task changes
}

func (t Task) withObject(object string) Task {
	t.object = object
	return t
}

// hasEnded looks only at the status, because the progress can reach 100 before the task ends, or stop at 99.
func (t Task) hasEnded() bool {
	return t.Status == "SUCCESS" || t.Status == "ERROR" || t.Status == "CANCELLED"
}

// failure returns the error of a task that has ended without success, or nil.
func (t Task) failure() error {
	if t.Status == "SUCCESS" {
		return nil
	}
	return &TaskError{Task: t}
}

type wireTask struct {
	ID          string     `json:"id"`
	Status      string     `json:"status"`
	Description string     `json:"description"`
	Percent     int64      `json:"progress"`
	Error       *wireError `json:"error"`
}

func (w wireTask) domain() Task {
	t := Task{ID: w.ID, Status: w.Status, Description: w.Description, Percent: w.Percent}
	if w.Error != nil {
		t.Message = w.Error.Message
		t.Details = w.Error.Details
	}
	return t
}

// Wait waits until the task has ended. It calls progress, which may be nil, whenever the task has changed. Concurrent
// callers share the poll requests. After ErrTaskLost, the caller must read the changed object to learn the outcome.
// Errors: ErrTask, ErrTaskLost.
func (c *Client) Wait(ctx context.Context, task Task, progress func(Task)) error {
	if task.hasEnded() {
		c.recordChange(task.object)
		return c.scrubber.Error(task.failure())
	}
	w := c.tasks.join(task) //nolint:contextcheck // all callers share the requests
	defer c.tasks.leave(w)
	last := task
	notify := func(t Task) {
		hasChanged := t.Percent != last.Percent || t.Status != last.Status
		if progress != nil && hasChanged {
			progress(t)
		}
		last = t
	}
	for {
		select {
		case t := <-w.updates:
			notify(t)
		case <-w.done:
			select {
			case t := <-w.updates: // always report the final state
				notify(t)
			default:
			}
			return c.scrubber.Error(w.err)
		case <-ctx.Done():
			c.recordChange(task.object)
			return fmt.Errorf("wait for task %s (%d%% complete): %w", task.ID, last.Percent, ctx.Err())
		}
	}
}

// task reads a single task. Errors: ErrTaskLost.
func (c *Client) task(ctx context.Context, id string) (Task, error) {
	var w wireTask
	err := c.call(ctx, request{method: http.MethodGet, template: "/tasks/{task_id}", ids: []string{id}}, &w)
	if errors.Is(err, ErrNotFound) {
		return Task{}, fmt.Errorf("task %s: %w", id, ErrTaskLost)
	}
	return w.domain(), err
}
