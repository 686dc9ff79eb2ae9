package replication

import (
	"context"
	"errors"

	"terraform-provider-vsla/internal/vr"
)

// maxOutcomeReads is the number of reads, 5 seconds apart, after which a change whose task was lost counts as failed.
const maxOutcomeReads = 4

// setPaused pauses or resumes a replication, and waits until it has that state if the outcome is unclear. If there is
// nothing to change, it sends no request, because the effect of a repeated request is undocumented.
func setPaused(ctx context.Context, c *vr.Client, m model, current vr.Replication, pause bool) error {
	if current.Status.Is(statusPaused) == pause {
		return nil
	}
	act := c.Resume
	if pause {
		act = c.Pause
	}
	err := c.Change(ctx, logProgress(ctx, m), func(ctx context.Context) (vr.Task, error) {
		return act(ctx, m.PairingID.ValueString(), current.ID)
	})
	isUnclear := errors.Is(err, vr.ErrUncertain) || errors.Is(err, vr.ErrTaskLost)
	if err == nil || !isUnclear {
		return err
	}
	reads := 0
	after, readErr := c.PollUntil(ctx, m.PairingID.ValueString(), current.ID, func(r vr.Replication) (bool, error) {
		reads++
		return r.Status.Is(statusPaused) == pause || reads == maxOutcomeReads, nil
	})
	if readErr == nil && after.Status.Is(statusPaused) == pause {
		return nil
	}
	return errors.Join(err, readErr)
}
