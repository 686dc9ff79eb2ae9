package snapservice

import (
	"context"
	"errors"
	"fmt"
)

// Create creates a group and returns it. If the group might exist despite an error, the returned ID is set and must be
// stored in state. Errors: ErrForeign, ErrTask, ErrTimeout, ErrUncertain.
func (c *Client) Create(ctx context.Context, cluster string, spec Spec, p WaitOptions) (Group, error) {
	before, err := c.knownGroupIDs(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	unlock, err := c.lockCluster(ctx, cluster)
	if err != nil {
		return Group{}, err
	}
	defer unlock()
	task, err := c.write(ctx, request{operation: createGroup, ids: []string{cluster}, body: spec}, p)
	id := task.groupID()
	outcomeUnknown := errors.Is(err, ErrUncertain) || errors.Is(err, ErrTaskLost)
	mayExist := err == nil || outcomeUnknown || errors.Is(err, ErrTask) || errors.Is(err, ErrTimeout)
	if id == "" && mayExist {
		// Terraform cancels the context but waits for the result, so search for the group despite the cancellation.
		found, failed := c.findCreated(context.WithoutCancel(ctx), cluster, spec, before, outcomeUnknown || err == nil)
		if failed != nil {
			return Group{}, errors.Join(err, failed)
		}
		id = found
	}
	if id == "" {
		if err == nil {
			err = fmt.Errorf("group %s: %w: the task succeeded, but the group is not listed", spec.Name, ErrUncertain)
		}
		return Group{}, err
	}
	c.markKnown(cluster, id)
	if err != nil && !outcomeUnknown {
		return Group{ID: id, Name: spec.Name}, err
	}
	g, err := c.readUntil(ctx, cluster, id, p.ReadTimeout, spec.Matches)
	g.ID = id
	return g, err
}

// knownGroupIDs returns the IDs of all groups that the client has ever seen in the cluster.
func (c *Client) knownGroupIDs(ctx context.Context, cluster string) (map[string]bool, error) {
	if _, err := c.Groups(ctx, cluster, Shared); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := make(map[string]bool, len(c.knownGroups[cluster]))
	for id := range c.knownGroups[cluster] {
		before[id] = true
	}
	return before, nil
}

// findCreated returns the ID of the group that has the requested name and is not one of those that existed before, or
// "" if there is none. If its settings differ from spec, another client created it. Errors: ErrForeign.
func (c *Client) findCreated(
	ctx context.Context, cluster string, spec Spec, before map[string]bool, wait bool,
) (id string, err error) {
	for read := 1; ; read++ {
		l, err := c.readGroups(ctx, cluster)
		if err != nil {
			return "", err
		}
		for _, g := range l.groups {
			if g.Name != spec.Name || before[g.ID] || g.Status == Deleted {
				continue
			}
			if !spec.Matches(g) {
				return "", fmt.Errorf("group %s (%s): %w", c.clean(g.Name), g.ID, ErrForeign)
			}
			return g.ID, nil
		}
		if !wait || read == maxReads {
			return "", nil
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return "", err
		}
	}
}
