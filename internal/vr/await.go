package vr

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxNewReplicationPolls is the number of polls for a change of the list, which take half a minute.
const maxNewReplicationPolls = 6

// PollUntil polls a replication from the shared listing until done returns true or an error. On error, PollUntil also
// returns the last state that it read. Errors: ErrNotFound, and the errors of done.
func (c *Client) PollUntil(
	ctx context.Context,
	pairing, id string,
	done func(Replication) (bool, error),
) (Replication, error) {
	var last Replication
	for polls := 0; ; polls++ {
		r, err := c.Replication(ctx, pairing, id, Recent)
		if err != nil {
			return last, err
		}
		last = r
		if ok, err := done(r); ok || err != nil {
			return r, err
		}
		after := pollInterval
		if polls > fastPolls {
			after = slowPollInterval
		}
		if err := c.config.Sleep(ctx, after); err != nil {
			return r, fmt.Errorf("wait for replication %s (status %s): %w", id, r.Status.Code, err)
		}
	}
}

// AwaitReplication returns the new replication of a VM to a vCenter. It polls, because a new replication may not be
// visible immediately. Errors: ErrNotFound if there is none after half a minute.
func (c *Client) AwaitReplication(ctx context.Context, pairing, vm, target string) (Replication, error) {
	l, err := c.listing(ctx, pairing, vm, refreshAge)
	if err != nil {
		return Replication{}, err
	}
	if created, found := findByTarget(filterByVM(l.replications, vm), target); found {
		return created, nil
	}
	for range maxNewReplicationPolls {
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return Replication{}, fmt.Errorf("find the replication of %s: %w", vm, err)
		}
		polled, err := c.Replications(ctx, pairing, vm, Direct)
		if err != nil {
			return Replication{}, err
		}
		if created, found := findByTarget(polled, target); found {
			return created, nil
		}
	}
	c.recordChange(vm)
	listed, err := c.Replications(ctx, pairing, vm, Shared)
	if err != nil {
		return Replication{}, err
	}
	if created, found := findByTarget(listed, target); found {
		return created, nil
	}
	return Replication{}, fmt.Errorf("find the replication of %s: %w", vm, ErrNotFound)
}

// findByTarget returns the replication to a vCenter, and false if there is none.
func findByTarget(replications []Replication, target string) (Replication, bool) {
	for _, r := range replications {
		if strings.EqualFold(r.TargetVCenterID, target) {
			return r, true
		}
	}
	return Replication{}, false
}

// AwaitGone waits until a replication that has been unconfigured is no longer listed. Errors: ErrUncertain if the
// replication remains listed.
func (c *Client) AwaitGone(ctx context.Context, pairing, id string) error {
	for poll := 1; ; poll++ {
		err := c.findListed(ctx, pairing, id)
		switch {
		case errors.Is(err, ErrNotFound):
			return nil
		case err != nil:
			return err
		case poll == maxNewReplicationPolls:
			return fmt.Errorf("replication %s still exists: %w", id, ErrUncertain)
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return fmt.Errorf("wait for the removal of replication %s: %w", id, err)
		}
		c.recordChange(id)
	}
}

// findListed returns nil if the shared listing contains a replication. ErrNotFound means that the replication is known
// not to exist.
func (c *Client) findListed(ctx context.Context, pairing, id string) error {
	isWanted := func(r Replication) bool { return r.ID == id }
	l, err := c.listing(ctx, pairing, id, pollAge)
	if err != nil || slices.ContainsFunc(l.replications, isWanted) {
		return err
	}
	l, err = c.conclusiveListing(ctx, pairing, id, pollAge)
	if err != nil || slices.ContainsFunc(l.replications, isWanted) {
		return err
	}
	return fmt.Errorf("replication %s: %w", id, ErrNotFound)
}
