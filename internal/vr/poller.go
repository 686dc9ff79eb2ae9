package vr

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// waiter is a caller that waits for a task.
type waiter struct {
	id      string
	object  string
	updates chan Task // buffers only the latest state
	done    chan struct{}
	err     error
}

func (w *waiter) notify(t Task) {
	select {
	case <-w.updates: // discard a state that has not been read
	default:
	}
	w.updates <- t
}

// poller polls the tasks of all waiters with as few requests as possible. It runs as long as there are waiters.
type poller struct {
	client *Client

	mu        sync.Mutex
	waiters   []*waiter
	idlePolls int // polls since the last new waiter
	cancel    context.CancelFunc
	wake      context.CancelFunc // ends the delay before a poll; nil if it is short

	noTaskFilter atomic.Bool // the gateway refuses to filter tasks
}

func newPoller(c *Client) *poller { return &poller{client: c} }

func (p *poller) join(task Task) *waiter {
	w := &waiter{id: task.ID, object: task.object, updates: make(chan Task, 1), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = append(p.waiters, w)
	p.idlePolls = 0
	if p.wake != nil {
		p.wake()
		p.wake = nil
	}
	if p.cancel == nil {
		// The poller outlives the caller that starts it and ends with its last waiter, so it uses the client's own
		// context.
		ctx, cancel := context.WithCancel(p.client.config.Background())
		p.cancel = cancel
		go p.run(ctx)
	}
	return w
}

func (p *poller) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = slices.DeleteFunc(p.waiters, func(other *waiter) bool { return other == w })
	p.cancelIfIdle()
}

// sleep waits for the delay before the next poll. A new waiter shortens a delay that is longer than the first one.
func (p *poller) sleep(ctx context.Context) error {
	for {
		shortened, wake := context.WithCancel(ctx)
		p.mu.Lock()
		interval := min(time.Second<<min(p.idlePolls, fastPolls), pollInterval)
		p.wake = wake
		if p.idlePolls == 0 {
			p.wake = nil
		}
		p.mu.Unlock()
		err := p.client.config.Sleep(shortened, interval)
		woken := shortened.Err() != nil && ctx.Err() == nil
		wake()
		if !woken {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.wake = nil
			p.idlePolls++
			return err
		}
	}
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
		slept := p.sleep(ctx)
		p.client.rateLimiter.WaitWhileDelayed(ctx, pollInterval, maxPollDelays)
		ids := p.ids()
		tasks := make(map[string]Task, len(ids))
		failed := make(map[string]error)
		if slept == nil {
			p.readTasks(ctx, ids, tasks, failed)
		} else {
			for _, id := range ids {
				failed[id] = slept
			}
		}
		if ctx.Err() == nil { // otherwise there are no waiters left, or another poller has replaced this one
			p.notifyWaiters(tasks, failed)
		}
	}
}

// readTasks reads the tasks into the map tasks. If a request fails, it adds the error to failed for each of the
// request's tasks.
func (p *poller) readTasks(ctx context.Context, ids []string, tasks map[string]Task, failed map[string]error) {
	for chunk := range slices.Chunk(ids, taskBatchSize) {
		var err error
		if !p.noTaskFilter.Load() {
			err = p.readTaskBatch(ctx, chunk, tasks)
			p.noTaskFilter.Store(errors.Is(err, ErrInvalid))
		}
		for _, id := range chunk {
			if _, known := tasks[id]; known {
				continue
			}
			if err != nil && !p.noTaskFilter.Load() {
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

func (p *poller) readTaskBatch(ctx context.Context, ids []string, tasks map[string]Task) error {
	r := request{template: "/tasks", query: url.Values{"filter_property": {"id"}, "filter": ids}}
	found, err := list(ctx, p.client, r, "", func(w wireTask) string { return w.ID })
	for _, w := range found {
		if slices.Contains(ids, w.ID) {
			tasks[w.ID] = w.domain()
		}
	}
	if errors.Is(err, ErrNotFound) { // the list itself is missing, for example behind a proxy
		return fmt.Errorf("the list of tasks was not found: %w", ErrTaskLost)
	}
	return err
}

// notifyWaiters sends the new task states to the waiters. Once a task has ended, its waiters must not read data from
// before its end.
func (p *poller) notifyWaiters(tasks map[string]Task, failed map[string]error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	hasEnded := func(id string) bool { return failed[id] != nil || tasks[id].hasEnded() }
	for _, w := range p.waiters { // record all changes before any waiter reads data
		if hasEnded(w.id) {
			p.client.recordChange(w.object)
		}
	}
	for _, w := range p.waiters {
		task, known := tasks[w.id]
		switch {
		case !hasEnded(w.id):
			if known {
				w.notify(task)
			}
			continue
		case failed[w.id] != nil:
			w.err = failed[w.id]
		default:
			w.notify(task)
			w.err = task.failure()
		}
		close(w.done)
	}
	p.waiters = slices.DeleteFunc(p.waiters, func(w *waiter) bool { return hasEnded(w.id) })
	p.cancelIfIdle()
}

// cancelIfIdle must be called with mu held.
func (p *poller) cancelIfIdle() {
	if len(p.waiters) == 0 && p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}
