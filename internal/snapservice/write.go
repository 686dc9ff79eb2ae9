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
	// busyFirst is the first delay while another operation is in progress. The delay increases up to busyLast.
	busyFirst = 5 * time.Second
	busyLast  = 30 * time.Second
	// looks is the number of times that an object is read if it is not visible immediately.
	looks = 6
)

// Spec describes a new group.
type Spec struct {
	Name        string           `json:"name"`
	Targets     Targets          `json:"target_entities"`
	Snapshots   []SnapshotPolicy `json:"snapshot_policies,omitempty"`
	Replication []Replication    `json:"replication_policies,omitempty"`
	Locked      bool             `json:"locked,omitempty"`
}

// Made reports whether a group matches the spec.
func (s Spec) Made(g Group) bool {
	return Change{
		Name: &s.Name, Targets: &s.Targets, Snapshots: &s.Snapshots, Replication: &s.Replication, Locked: &s.Locked,
	}.Made(g)
}

// Change describes an update of a group. Nil fields are left unchanged. All other fields are replaced as a whole.
type Change struct {
	Name        *string           `json:"name,omitempty"`
	Targets     *Targets          `json:"target_entities,omitempty"`
	Snapshots   *[]SnapshotPolicy `json:"snapshot_policies,omitempty"`
	Replication *[]Replication    `json:"replication_policies,omitempty"`
	Locked      *bool             `json:"locked,omitempty"`
}

// Made reports whether a group matches the change.
func (h Change) Made(g Group) bool {
	return (h.Name == nil || *h.Name == g.Name) && (h.Targets == nil || h.Targets.Same(g.Targets)) &&
		(h.Snapshots == nil || samePolicies(*h.Snapshots, g.Snapshots)) &&
		(h.Replication == nil || sameReplication(*h.Replication, g.Replication)) &&
		(h.Locked == nil || *h.Locked == g.Locked)
}

func sameReplication(a, b []Replication) bool {
	return len(a) == len(b) && (len(a) == 0 || a[0].Same(b[0]))
}

// Patience limits the duration of a write. Say receives progress messages. It can be nil.
type Patience struct {
	// Limit is the maximum wait for the task, and Read the maximum wait until the result is visible. The wait for other
	// operations is also limited by Limit, but counted separately.
	Limit, Read time.Duration
	Say         func(string)
}

// SnapshotResult is the result of a group snapshot.
type SnapshotResult struct {
	Total      int64  `json:"total_vms"`
	Successful int64  `json:"successful_vms"`
	Failed     int64  `json:"failed_vms"`
	ID         string `json:"snapshot"`
}

// Create creates a group and returns it. Even if there is an error, the returned ID is set if a group might exist,
// which must then be stored in state. Errors: ErrForeign, ErrTask, ErrTimeout, ErrUncertain.
func (c *Client) Create(ctx context.Context, cluster string, spec Spec, p Patience) (Group, error) {
	before, err := c.known(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	done, err := c.turn(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	defer done()
	task, err := c.write(ctx, request{operation: createGroup, ids: []string{cluster}, body: spec}, p)
	id := task.group()
	lost := errors.Is(err, ErrUncertain) || errors.Is(err, ErrTaskLost)
	if id == "" && (err == nil || lost || errors.Is(err, ErrTask) || errors.Is(err, ErrTimeout)) {
		// Terraform cancels the context but waits for the result, so search for the group despite the cancellation.
		found, failed := c.appeared(context.WithoutCancel(ctx), cluster, spec, before, lost || err == nil)
		if failed != nil {
			return Group{}, errors.Join(err, failed)
		}
		id = found
	}
	if id == "" {
		if err == nil {
			err = fmt.Errorf("group %s: %w: its task succeeded, and it is not in the listing", spec.Name, ErrUncertain)
		}
		return Group{}, err
	}
	c.see(cluster, id)
	if err != nil && !lost {
		return Group{ID: id, Name: spec.Name}, err
	}
	g, err := c.until(ctx, cluster, id, p.Read, spec.Made)
	g.ID = id
	return g, err
}

// known returns the IDs of the groups that exist before a create.
func (c *Client) known(ctx context.Context, cluster string) (map[string]bool, error) {
	if _, err := c.Groups(ctx, cluster, Shared); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := make(map[string]bool, len(c.seen[cluster]))
	for id := range c.seen[cluster] {
		before[id] = true
	}
	return before, nil
}

// appeared returns the ID of a group that has the requested name and did not exist before the create. A group with
// other settings was created by another client.
func (c *Client) appeared(
	ctx context.Context, cluster string, spec Spec, before map[string]bool, patient bool,
) (id string, err error) {
	for look := 1; ; look++ {
		l, err := c.readGroups(ctx, cluster)
		if err != nil {
			return "", err
		}
		for _, g := range l.groups {
			if g.Name != spec.Name || before[g.ID] || g.Status == Deleted {
				continue
			}
			if !spec.Made(g) {
				return "", fmt.Errorf("group %s (%s): %w", c.clean(g.Name), g.ID, ErrForeign)
			}
			return g.ID, nil
		}
		if !patient || look == looks {
			return "", nil
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return "", err
		}
	}
}

// Update changes a group and returns the result. If expect returns an error for the current group, no change is sent.
// expect can be nil. Errors: ErrUnsupported for a locked group, ErrState.
func (c *Client) Update(
	ctx context.Context, cluster, id string, change Change, p Patience, expect func(Group) error,
) (Group, error) {
	r := request{operation: updateGroup, ids: []string{cluster, id}, body: change}
	return c.alter(ctx, r, p, change.Made, expect)
}

// Pause stops a group's scheduled snapshots. It does nothing if the group is already paused.
func (c *Client) Pause(ctx context.Context, cluster, id string, p Patience) (Group, error) {
	r := request{operation: pauseGroup, ids: []string{cluster, id}}
	return c.alter(ctx, r, p, func(g Group) bool { return g.Status == Paused }, nil)
}

// Resume ends a pause. It does nothing if the group is already active.
func (c *Client) Resume(ctx context.Context, cluster, id string, p Patience) (Group, error) {
	r := request{operation: resumeGroup, ids: []string{cluster, id}}
	return c.alter(ctx, r, p, func(g Group) bool { return g.Status == Active }, nil)
}

// Delete deletes a group. Without force, the group is marked for deletion and returned. It remains until its snapshots
// have expired. With force, its snapshots are deleted immediately. If the group no longer exists, the returned ID is
// empty.
func (c *Client) Delete(ctx context.Context, cluster, id string, force bool, p Patience) (Group, error) {
	r := request{operation: deleteGroup, ids: []string{cluster, id}}
	if force {
		r.query = url.Values{"force": {"true"}}
	}
	g, err := c.alter(ctx, r, p, func(g Group) bool {
		return g.Status == Deleted && (!force || len(g.SnapshotIDs) == 0)
	}, nil)
	switch {
	case errors.Is(err, ErrNotFound):
		return Group{}, nil
	case errors.Is(err, ErrState) && g.Status == Deleted: // already deleted by another client
		return g, nil
	}
	return g, err
}

// Snapshot creates a group snapshot with a retention period. The result can report that the snapshots of some VMs
// failed.
func (c *Client) Snapshot(
	ctx context.Context, cluster, id, name string, keep Period, p Patience,
) (SnapshotResult, error) {
	var result SnapshotResult
	if _, err := c.Writable(ctx, cluster, id); err != nil {
		return result, err
	}
	done, err := c.turn(ctx, cluster)
	if err != nil {
		return result, err
	}
	defer done()
	task, err := c.write(ctx, request{operation: createSnapshot, ids: []string{cluster, id}, body: struct {
		Name      string `json:"name"`
		Retention Period `json:"retention"`
	}{name, keep}}, p)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(task.Result, &result); err != nil {
		return result, fmt.Errorf("the task succeeded, and its result cannot be read: %w", ErrUncertain)
	}
	return result, nil
}

// alter sends a write to a writable group and reads the group until the result is visible. These writes are idempotent,
// so they can be sent again after a read.
func (c *Client) alter(
	ctx context.Context, r request, p Patience, made func(Group) bool, expect func(Group) error,
) (Group, error) {
	cluster, id := r.ids[0], r.ids[1]
	done, err := c.turn(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	defer done()
	g, err := c.Writable(ctx, cluster, id)
	if err == nil && expect != nil {
		err = expect(g)
	}
	if err != nil || (r.action != "" && made(g)) {
		return g, err
	}
	return c.settle(ctx, r, p, made)
}

// settle sends a write. It sends the write once more if the response was lost and the change is not visible.
func (c *Client) settle(ctx context.Context, r request, p Patience, made func(Group) bool) (Group, error) {
	for attempt := 1; ; attempt++ {
		_, err := c.write(ctx, r, p)
		lost := errors.Is(err, ErrUncertain) || errors.Is(err, ErrTaskLost)
		if err != nil && !lost && !errors.Is(err, ErrDone) {
			return Group{}, err
		}
		g, failed := c.until(ctx, r.ids[0], r.ids[1], p.Read, made)
		if !lost || attempt == 2 || !errors.Is(failed, ErrTimeout) {
			if failed != nil {
				failed = errors.Join(err, failed)
			}
			return g, failed
		}
	}
}

// until reads a group until made returns true, but at most for limit. Errors: ErrNotFound, ErrTimeout.
func (c *Client) until(
	ctx context.Context, cluster, id string, limit time.Duration, made func(Group) bool,
) (Group, error) {
	c.written(cluster)
	for waited := time.Duration(0); ; waited += pollEvery {
		g, err := c.readGroup(ctx, cluster, id)
		// A new group may not be visible immediately, whereas a deleted group no longer exists.
		hidden := errors.Is(err, ErrNotFound) && waited < pollEvery*looks && !made(Group{Status: Deleted})
		if (err == nil && made(g)) || (err != nil && !hidden) {
			return g, err
		}
		if waited >= limit {
			return g, fmt.Errorf("group %s is not as it was asked for: %w", id, ErrTimeout)
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return g, fmt.Errorf("wait for group %s: %w", id, err)
		}
	}
}

// turn waits until no other write by this client is in progress in the cluster.
func (c *Client) turn(ctx context.Context, cluster string) (done func(), err error) {
	c.mu.Lock()
	turn, known := c.turns[cluster]
	if !known {
		turn = semaphore.NewWeighted(1)
		c.turns[cluster] = turn
	}
	c.mu.Unlock()
	if err := turn.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for other changes in cluster %s: %w", cluster, err)
	}
	return func() {
		c.written(cluster)
		turn.Release(1)
	}, nil
}

// write sends a write and waits for its task. It retries while another operation, including one by another client, is
// in progress.
func (c *Client) write(ctx context.Context, r request, p Patience) (Task, error) {
	pause := busyFirst
	for waited := time.Duration(0); ; waited += pause {
		var id string
		err := c.call(ctx, r, &id)
		if err == nil {
			c.written(r.ids[0])
			return c.wait(ctx, id, p.Limit, p.Say)
		}
		if !errors.Is(err, ErrState) || waited >= p.Limit || !c.busy(ctx, r) {
			return Task{}, err
		}
		if p.Say != nil {
			p.Say("another operation is in progress")
		}
		if waited > 0 {
			pause = min(2*pause, busyLast)
		}
		if failed := c.config.Sleep(ctx, pause); failed != nil {
			return Task{}, fmt.Errorf("%w: %w", failed, err)
		}
	}
}

// busy reports whether a write was rejected because of another operation rather than the group's state.
func (c *Client) busy(ctx context.Context, r request) bool {
	if len(r.ids) < 2 {
		return true // a create cannot be rejected because of the group's state
	}
	g, err := c.readGroup(ctx, r.ids[0], r.ids[1])
	return err == nil && g.Writable() && !g.Locked
}
