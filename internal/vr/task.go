package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pollEvery is the poll interval. After patience polls without a new task, the interval is pollSlowly.
	pollEvery  = 5 * time.Second
	pollSlowly = 15 * time.Second
	patience   = 12
	// postponed is the maximum number of intervals by which a poll is delayed in favor of other requests.
	postponed = 5
	// batch is the number of tasks per request. It is limited because the task IDs are part of the URL.
	batch = 50
)

// Task is a gateway task.
type Task struct {
	ID string
	// Status is QUEUED, RUNNING, SUCCESS, ERROR, CANCELLED, or a value added by a later release.
	Status      string
	Description string
	// Percent is the progress in percent.
	Percent int64
	// Message and Details contain the reason for a failure.
	Message, Details string
	object           string // the VM or replication that the task changes
}

func (t Task) of(object string) Task {
	t.object = object
	return t
}

// ended reports whether the task has ended. Only the status is reliable: the progress can reach 100 before the end or
// stop at 99.
func (t Task) ended() bool {
	return t.Status == "SUCCESS" || t.Status == "ERROR" || t.Status == "CANCELLED"
}

func (t Task) result() error {
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
		t.Message, t.Details = w.Error.Message, w.Error.Details
	}
	return t
}

// Wait waits until the task has ended. It calls progress when the task changes and when it ends. progress can be nil.
// All callers share the requests. If Wait returns ErrTaskLost, the gateway no longer knows the task, and the caller
// must read the changed object. Errors: ErrTask, ErrTaskLost.
func (c *Client) Wait(ctx context.Context, task Task, progress func(Task)) error {
	if task.ended() {
		c.changed(task.object)
		return c.scrubber.Error(task.result())
	}
	w := c.tasks.join(task) //nolint:contextcheck // all callers share the requests
	defer c.tasks.leave(w)
	last := task
	tell := func(t Task) {
		if progress != nil && (t.Percent != last.Percent || t.Status != last.Status) {
			progress(t)
		}
		last = t
	}
	for {
		select {
		case t := <-w.news:
			tell(t)
		case <-w.done:
			select {
			case t := <-w.news: // always report the final state
				tell(t)
			default:
			}
			return c.scrubber.Error(w.err)
		case <-ctx.Done():
			c.changed(task.object)
			return fmt.Errorf("wait for task %s, which stands at %d %%: %w", task.ID, last.Percent, ctx.Err())
		}
	}
}

type waiter struct {
	id     string
	object string
	news   chan Task // buffers only the latest state
	done   chan struct{}
	err    error
}

func (w *waiter) tell(t Task) {
	select {
	case <-w.news: // discard a state that has not been read
	default:
	}
	w.news <- t
}

// poller polls the tasks of all waiters with as few requests as possible. It runs as long as there are waiters.
type poller struct {
	client *Client

	mu      sync.Mutex
	waiters []*waiter
	idle    int // polls since the last new waiter
	stop    context.CancelFunc

	single atomic.Bool // the gateway refuses to filter tasks
}

func newPoller(c *Client) *poller { return &poller{client: c} }

func (p *poller) join(task Task) *waiter {
	w := &waiter{id: task.ID, object: task.object, news: make(chan Task, 1), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = append(p.waiters, w)
	p.idle = 0
	if p.stop == nil {
		// The poller outlives the caller that starts it and ends with its last waiter, so it uses the client's own context.
		run, stop := context.WithCancel(p.client.config.Background())
		p.stop = stop
		go p.run(run)
	}
	return w
}

func (p *poller) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = slices.DeleteFunc(p.waiters, func(other *waiter) bool { return other == w })
	p.endIfIdle()
}

// interval returns the delay before the next poll.
func (p *poller) interval() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
	if p.idle > patience {
		return pollSlowly
	}
	return pollEvery
}

func (p *poller) ids() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]string, 0, len(p.waiters))
	for _, w := range p.waiters {
		ids = append(ids, w.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		slept := p.client.config.Sleep(ctx, p.interval())
		p.client.pace.WaitWhileDelayed(ctx, pollEvery, postponed)
		ids := p.ids()
		tasks, failed := make(map[string]Task, len(ids)), make(map[string]error)
		if slept == nil {
			p.ask(ctx, ids, tasks, failed)
		} else {
			for _, id := range ids {
				failed[id] = slept
			}
		}
		if ctx.Err() == nil { // otherwise there are no waiters left, or another poller has replaced this one
			p.settle(tasks, failed)
		}
	}
}

// ask reads tasks. If a request fails, its error is recorded for each of its tasks.
func (p *poller) ask(ctx context.Context, ids []string, tasks map[string]Task, failed map[string]error) {
	for chunk := range slices.Chunk(ids, batch) {
		var err error
		if !p.single.Load() {
			err = p.askTogether(ctx, chunk, tasks)
			p.single.Store(errors.Is(err, ErrInvalid))
		}
		for _, id := range chunk {
			if _, known := tasks[id]; known {
				continue
			}
			if err != nil && !p.single.Load() {
				failed[id] = err
				continue
			}
			task, err := p.client.task(ctx, id)
			if err != nil {
				failed[id] = err
				continue
			}
			tasks[id] = task
		}
	}
}

func (p *poller) askTogether(ctx context.Context, ids []string, into map[string]Task) error {
	r := request{template: "/tasks", query: url.Values{"filter_property": {"id"}, "filter": ids}}
	found, err := list(ctx, p.client, r, "", func(w wireTask) string { return w.ID })
	for _, w := range found {
		if slices.Contains(ids, w.ID) {
			into[w.ID] = w.domain()
		}
	}
	return err
}

// task reads a single task. Errors: ErrTaskLost if the gateway no longer knows the task.
func (c *Client) task(ctx context.Context, id string) (Task, error) {
	var w wireTask
	err := c.call(ctx, request{method: http.MethodGet, template: "/tasks/{task_id}", ids: []string{id}}, &w)
	if errors.Is(err, ErrNotFound) {
		return Task{}, fmt.Errorf("task %s: %w", id, ErrTaskLost)
	}
	return w.domain(), err
}

// settle notifies the waiters. If a task has ended, subsequent reads by its waiters must return data from after its
// end.
func (p *poller) settle(tasks map[string]Task, failed map[string]error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ended := func(id string) bool { return failed[id] != nil || tasks[id].ended() }
	for _, w := range p.waiters { // record all changes before any waiter reads data
		if ended(w.id) {
			p.client.changed(w.object)
		}
	}
	for _, w := range p.waiters {
		task, known := tasks[w.id]
		switch {
		case !ended(w.id):
			if known {
				w.tell(task)
			}
			continue
		case failed[w.id] != nil:
			w.err = failed[w.id]
		default:
			w.tell(task)
			w.err = task.result()
		}
		close(w.done)
	}
	p.waiters = slices.DeleteFunc(p.waiters, func(w *waiter) bool { return ended(w.id) })
	p.endIfIdle()
}

// endIfIdle stops the poller if there are no waiters. The caller must hold mu.
func (p *poller) endIfIdle() {
	if len(p.waiters) == 0 && p.stop != nil {
		p.stop()
		p.stop = nil
	}
}
