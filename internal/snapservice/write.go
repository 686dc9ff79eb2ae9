package snapservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// While another operation is in progress, the delay between attempts doubles each time, from minBusyWait up to
	// maxBusyWait.
	minBusyWait = 5 * time.Second
	maxBusyWait = 30 * time.Second
	// maxReads is the number of reads after which a new group that is still missing is assumed not to exist.
	maxReads = 6
)

// WaitOptions limits the duration of a write. Progress receives progress messages and may be nil.
type WaitOptions struct {
	// TaskTimeout limits the wait for the task and, separately, the wait for other operations. ReadTimeout limits the
	// wait until the result is visible.
	TaskTimeout time.Duration
	ReadTimeout time.Duration
	Progress    func(string)
}

// SnapshotResult is the result of a group snapshot.
type SnapshotResult struct {
	Total      int64  `json:"total_vms"`
	Successful int64  `json:"successful_vms"`
	Failed     int64  `json:"failed_vms"`
	ID         string `json:"snapshot"`
}

// Update changes a group and returns the result. If check returns an error for the current group, the change is not
// sent. check may be nil. Errors: ErrUnsupported for a locked group, ErrState.
func (c *Client) Update(
	ctx context.Context, cluster, id string, change Change, p WaitOptions, check func(Group) error,
) (Group, error) {
	r := request{operation: updateGroup, ids: []string{cluster, id}, body: change}
	return c.changeGroup(ctx, r, p, change.Matches, check)
}

// Pause stops a group's scheduled snapshots. It does nothing if the group is already paused.
func (c *Client) Pause(ctx context.Context, cluster, id string, p WaitOptions) (Group, error) {
	r := request{operation: pauseGroup, ids: []string{cluster, id}}
	return c.changeGroup(ctx, r, p, func(g Group) bool { return g.Status == Paused }, nil)
}

// Resume resumes a group's scheduled snapshots. It does nothing if the group is already active.
func (c *Client) Resume(ctx context.Context, cluster, id string, p WaitOptions) (Group, error) {
	r := request{operation: resumeGroup, ids: []string{cluster, id}}
	return c.changeGroup(ctx, r, p, func(g Group) bool { return g.Status == Active }, nil)
}

// Delete deletes a group. With force, it also deletes the snapshots immediately. Without force, the group remains
// marked for deletion until its snapshots have expired. If the group no longer exists, the returned ID is empty.
func (c *Client) Delete(ctx context.Context, cluster, id string, force bool, p WaitOptions) (Group, error) {
	r := request{operation: deleteGroup, ids: []string{cluster, id}}
	if force {
		r.query = url.Values{"force": {"true"}}
	}
	isDeleted := func(g Group) bool {
		awaitsSnapshots := force && len(g.SnapshotIDs) > 0
		return g.Status == Deleted && !awaitsSnapshots
	}
	g, err := c.changeGroup(ctx, r, p, isDeleted, nil)
	switch {
	case errors.Is(err, ErrNotFound):
		return Group{}, nil
	case errors.Is(err, ErrState) && g.Status == Deleted: // already deleted by another client
		return g, nil
	}
	return g, err
}

// Snapshot creates a group snapshot with a retention period. The snapshots of individual VMs can fail without causing
// an error. Failed is the number of such VMs.
func (c *Client) Snapshot(
	ctx context.Context, cluster, id, name string, retention Period, p WaitOptions,
) (SnapshotResult, error) {
	var result SnapshotResult
	if _, err := c.ReadWritable(ctx, cluster, id); err != nil {
		return result, err
	}
	unlock, err := c.lockCluster(ctx, cluster)
	if err != nil {
		return result, err
	}
	defer unlock()
	task, err := c.write(ctx, request{
		operation: createSnapshot,
		ids:       []string{cluster, id},
		body: struct {
			Name      string `json:"name"`
			Retention Period `json:"retention"`
		}{name, retention},
	}, p)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(task.Result, &result); err != nil {
		return result, fmt.Errorf("the task succeeded, but its result cannot be read: %w", ErrUncertain)
	}
	return result, nil
}

// changeGroup sends a write to a writable group and waits until the result is visible. If the write is an action whose
// result is already visible, it is not sent.
func (c *Client) changeGroup(
	ctx context.Context, r request, p WaitOptions, matches func(Group) bool, check func(Group) error,
) (Group, error) {
	cluster := r.ids[0]
	id := r.ids[1]
	unlock, err := c.lockCluster(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	defer unlock()
	g, err := c.ReadWritable(ctx, cluster, id)
	if err == nil && check != nil {
		err = check(g)
	}
	if err != nil {
		return g, err
	}
	isAction := r.endpoint().action != ""
	if isAction && matches(g) {
		return g, nil
	}
	return c.writeAndVerify(ctx, r, p, matches)
}

// writeAndVerify sends a write and waits until the change is visible. If the response was lost and the change does not
// become visible, it sends the write once more, which is safe because these writes are idempotent.
func (c *Client) writeAndVerify(
	ctx context.Context, r request, p WaitOptions, matches func(Group) bool,
) (Group, error) {
	for attempt := 1; ; attempt++ {
		_, err := c.write(ctx, r, p)
		outcomeUnknown := errors.Is(err, ErrUncertain) || errors.Is(err, ErrTaskLost)
		if err != nil && !outcomeUnknown && !errors.Is(err, ErrDone) {
			return Group{}, err
		}
		g, failed := c.readUntil(ctx, r.ids[0], r.ids[1], p.ReadTimeout, matches)
		if !outcomeUnknown || attempt == 2 || !errors.Is(failed, ErrTimeout) {
			if failed != nil {
				failed = errors.Join(err, failed)
			}
			return g, failed
		}
	}
}

// readUntil reads a group repeatedly until matches returns true or limit has passed. Errors: ErrNotFound, ErrTimeout.
func (c *Client) readUntil(
	ctx context.Context, cluster, id string, limit time.Duration, matches func(Group) bool,
) (Group, error) {
	c.dropCaches(cluster)
	for waited := time.Duration(0); ; waited += pollInterval {
		g, err := c.readGroup(ctx, cluster, id)
		// A new group may not be visible yet. After a deletion, however, a missing group is the expected result.
		notYetVisible := errors.Is(err, ErrNotFound) && waited < pollInterval*maxReads &&
			!matches(Group{Status: Deleted})
		if err != nil && !notYetVisible {
			return g, err
		}
		if err == nil && matches(g) {
			return g, nil
		}
		if waited >= limit {
			return g, fmt.Errorf("group %s has not reached the requested state: %w", id, ErrTimeout)
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return g, fmt.Errorf("wait for group %s: %w", id, err)
		}
	}
}

// lockCluster waits until no other caller writes to the cluster. unlock also drops its cached groups.
func (c *Client) lockCluster(ctx context.Context, cluster string) (unlock func(), err error) {
	c.mu.Lock()
	lock, known := c.writeLocks[cluster]
	if !known {
		lock = semaphore.NewWeighted(1)
		c.writeLocks[cluster] = lock
	}
	c.mu.Unlock()
	if err := lock.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for other changes in cluster %s: %w", cluster, err)
	}
	return func() {
		c.dropCaches(cluster)
		lock.Release(1)
	}, nil
}

// write sends a write and waits for its task. It retries while another operation, including one by another client, is
// in progress.
func (c *Client) write(ctx context.Context, r request, p WaitOptions) (Task, error) {
	pause := minBusyWait
	for waited := time.Duration(0); ; waited += pause {
		var id string
		err := c.call(ctx, r, &id)
		if err == nil {
			c.dropCaches(r.ids[0])
			return c.waitForTask(ctx, id, p.TaskTimeout, p.Progress)
		}
		if !errors.Is(err, ErrState) || waited >= p.TaskTimeout || !c.isBusy(ctx, r) {
			return Task{}, err
		}
		if p.Progress != nil {
			p.Progress("another operation is in progress")
		}
		if waited > 0 {
			pause = min(2*pause, maxBusyWait)
		}
		if failed := c.config.Sleep(ctx, pause); failed != nil {
			return Task{}, fmt.Errorf("%w: %w", failed, err)
		}
	}
}

// isBusy reports whether a write was rejected because of another operation rather than the group's state.
func (c *Client) isBusy(ctx context.Context, r request) bool {
	if len(r.ids) < 2 {
		return true // the group to create has no state that could cause a rejection
	}
	g, err := c.readGroup(ctx, r.ids[0], r.ids[1])
	return err == nil && g.IsWritable() && !g.Locked
}
