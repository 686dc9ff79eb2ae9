// Waiting for what no task reports: a replication that becomes visible, a state that is reached, a replication that is
// gone.

package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

const (
	// looks bounds the polls for a new replication.
	looks = 6
	// busyTries is how often a change is tried while the replication is busy: for five minutes, every 15 seconds.
	busyTries = 21
)

// Change starts a change and waits for the end of its task. It is repeated while the gateway refuses it because the
// replication is busy, which may last minutes after another change.
func (c *Client) Change(ctx context.Context, progress func(Task), start func(context.Context) (Task, error)) error {
	for try := 1; ; try++ {
		task, err := start(ctx)
		if err == nil {
			err = c.Wait(ctx, task, progress)
		}
		if try == busyTries || !isBusy(err) {
			return err
		}
		if failed := c.config.Sleep(ctx, pollSlowly); failed != nil {
			return fmt.Errorf("%w: %w", failed, err)
		}
	}
}

// busyWords are what gateways write when a replication cannot be changed for now. The API documents no code for it.
var busyWords = regexp.MustCompile(`(?i)busy|in progress|another (?:operation|task)|being (?:re)?configured|try again`)

// loginWords are in a refusal of an account: another attempt with it counts towards its lockout.
var loginWords = regexp.MustCompile(`(?i)password|credential|log ?in|authenticat`)

// isBusy reports whether a change was refused, and so not made, because of another one.
func isBusy(err error) bool {
	if answer, ok := transport.Answer(err); ok && !errors.Is(err, ErrUncertain) {
		return answer.Status == http.StatusConflict || answer.Status == http.StatusLocked ||
			(answer.Status == http.StatusBadRequest && readsBusy(answer.Type+" "+strings.Join(answer.Messages, " ")))
	}
	failed, ok := errors.AsType[*TaskError](err)
	return ok && readsBusy(failed.Task.Message+" "+failed.Task.Details)
}

func readsBusy(text string) bool { return busyWords.MatchString(text) && !loginWords.MatchString(text) }

// Until reads a replication again and again, out of the shared listing, until done returns true or fails: ErrNotFound,
// or what done returns. The last reading is returned in any case.
func (c *Client) Until(
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
		after := pollEvery
		if polls > patience {
			after = pollSlowly
		}
		if err := c.config.Sleep(ctx, after); err != nil {
			return r, fmt.Errorf("wait for replication %s, whose status is %s: %w", id, r.Status.Word, err)
		}
	}
}

// Appeared finds the replication of a VM to a vCenter that was just configured, or may have been: ErrNotFound when
// it does not exist after half a minute. A new replication need not be visible at once.
func (c *Client) Appeared(ctx context.Context, pairing, vm, target string) (Replication, error) {
	l, err := c.listing(ctx, pairing, vm, refreshAge)
	var of []Replication
	if err == nil {
		of = ofVM(l.replications, vm)
	}
	for range looks {
		if made, found := to(of, target); err != nil || found {
			return made, err
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return Replication{}, fmt.Errorf("find the replication of %s: %w", vm, err)
		}
		of, err = c.Replications(ctx, pairing, vm, Direct)
	}
	c.changed(vm)
	if of, err = c.Replications(ctx, pairing, vm, Shared); err != nil {
		return Replication{}, err
	}
	if made, found := to(of, target); found {
		return made, nil
	}
	return Replication{}, fmt.Errorf("find the replication of %s: %w", vm, ErrNotFound)
}

// to returns the replication that goes to a vCenter.
func to(of []Replication, target string) (Replication, bool) {
	for _, r := range of {
		if r.TargetVCenterID == target {
			return r, true
		}
	}
	return Replication{}, false
}

// Gone waits until a replication that was unconfigured is out of the listing; ErrUncertain when it stays.
func (c *Client) Gone(ctx context.Context, pairing, id string) error {
	for look := 1; ; look++ {
		_, err := c.find(ctx, pairing, id)
		switch {
		case errors.Is(err, ErrNotFound):
			return nil
		case err != nil:
			return err
		case look == looks:
			return fmt.Errorf("replication %s is still there: %w", id, ErrUncertain)
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return fmt.Errorf("wait for the end of replication %s: %w", id, err)
		}
		c.changed(id)
	}
}

// find looks into the shared listing only. That a replication is not in it is certain.
func (c *Client) find(ctx context.Context, pairing, id string) (Replication, error) {
	l, err := c.listing(ctx, pairing, id, waitAge)
	for _, proven := range []bool{false, true} {
		if proven && err == nil {
			l, err = c.provenListing(ctx, pairing, id, waitAge)
		}
		if err != nil {
			return Replication{}, err
		}
		for _, r := range l.replications {
			if r.ID == id {
				return r, nil
			}
		}
	}
	return Replication{}, fmt.Errorf("replication %s: %w", id, ErrNotFound)
}
