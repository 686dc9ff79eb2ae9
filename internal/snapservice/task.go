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
)

const pollEvery = 5 * time.Second

// Task is a task of the appliance.
type Task struct {
	// Status is PENDING, RUNNING, BLOCKED, SUCCEEDED, FAILED, or what a later release adds.
	Status string `json:"status"`
	// Progress is out of Total; may be nil.
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

// ended: a task that is blocked has not ended.
func (t Task) ended() bool { return t.Status == "SUCCEEDED" || t.Status == "FAILED" }

func (t Task) group() string {
	var id string
	if json.Unmarshal(t.Result, &id) == nil && id != "" {
		return id
	}
	if t.Target != nil && t.Target.Type == "com.vmware.snapservice.protection_group" {
		return t.Target.ID
	}
	return ""
}

// failure returns the error of a task that failed. If its error is missing, the reason is in its result.
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

type poll struct {
	at    time.Time
	tasks map[string]Task
}

// wait waits until a task has ended, for limit at most. All callers share the requests. Errors: ErrTask, ErrTaskLost,
// ErrTimeout.
func (c *Client) wait(ctx context.Context, id string, limit time.Duration, say func(string)) (Task, error) {
	c.count(id, 1)
	defer c.count(id, -1)
	last := ""
	for waited := time.Duration(0); ; waited += pollEvery {
		if waited >= limit {
			return Task{}, fmt.Errorf("task %s, which is %s: %w", c.clean(id), last, ErrTimeout)
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return Task{}, fmt.Errorf("wait for task %s: %w: %w", c.clean(id), ErrUncertain, err)
		}
		t, err := c.task(ctx, id)
		if err != nil {
			return Task{}, err
		}
		if t.Status != last && say != nil {
			say(Printable(t.Status))
		}
		if last = Printable(t.Status); t.ended() {
			return t, c.failure(id, t)
		}
	}
}

func (c *Client) count(id string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[id] += n; c.waiting[id] == 0 {
		delete(c.waiting, id)
	}
}

func (c *Client) task(ctx context.Context, id string) (Task, error) {
	now := c.config.Now()
	p, err := c.polls.GetIf(ctx, "", c.poll, func(p *poll) bool {
		_, has := p.tasks[id]
		return has && now.Sub(p.at) < pollEvery
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

func (c *Client) poll(ctx context.Context) (*poll, error) {
	c.mu.Lock()
	ids := slices.Sorted(maps.Keys(c.waiting))
	c.mu.Unlock()
	p := &poll{at: c.config.Now(), tasks: make(map[string]Task, len(ids))}
	var answer struct {
		Items []struct {
			ID   string `json:"task"`
			Info Task   `json:"info"`
		} `json:"items"`
	}
	if err := c.call(ctx, request{operation: listTasks, query: url.Values{"tasks": ids}}, &answer); err != nil {
		return nil, err
	}
	for _, item := range answer.Items {
		p.tasks[item.ID] = item.Info
	}
	return p, nil
}
