package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// Freshness limits the age of a replication listing. It also determines whether a replication that is missing from the
// listing is known not to exist.
type Freshness uint8

const (
	// Shared uses the listing shared by all callers, which is at most a minute old and newer than this client's last
	// change to the object. A replication that is missing from the listing does not exist.
	Shared Freshness = iota
	// Recent is like Shared, but at most ten seconds old. It is used for polling and before irreversible changes.
	Recent
	// Unverified is like Shared, but does not check the two sessions. A replication that is missing from the listing
	// might exist.
	Unverified
	// Direct sends a separate request. If it finds no replication by ID, the replication does not exist. If it finds
	// none by VM, there might still be one.
	Direct
)

// AnyVM selects all VMs.
const AnyVM = ""

const (
	refreshAge = time.Minute
	pollAge    = 10 * time.Second
)

func (f Freshness) age() time.Duration {
	if f == Recent {
		return pollAge
	}
	return refreshAge
}

// Replication returns a replication by ID. ErrNotFound means that it is known not to exist. A replication that is
// missing from the listing is read by ID, and a 404 is accepted only if the pairing and both sessions are valid,
// because the server also returns 404 if a session or privilege is missing.
func (c *Client) Replication(ctx context.Context, pairing, id string, f Freshness) (Replication, error) {
	if f != Direct {
		l, err := c.listing(ctx, pairing, id, f.age())
		if err != nil {
			return Replication{}, err
		}
		for _, r := range l.replications {
			if r.ID == id && l.incomplete[id] == nil {
				return r, nil
			}
		}
	}
	return c.readDirect(ctx, pairing, id)
}

// readDirect reads a replication by ID. Without a remote session, the gateway hides it or parts of it, so it is read
// again if that session has ended in the meantime.
func (c *Client) readDirect(ctx context.Context, pairing, id string) (Replication, error) {
	for range maxReadAttempts {
		before, err := c.sessionKey(ctx, pairing)
		if err != nil {
			return Replication{}, err
		}
		found, err := c.readOne(ctx, pairing, id)
		mayBeHidden := errors.Is(err, ErrNotFound) || errors.Is(err, ErrPartial)
		if err == nil || !mayBeHidden {
			return found, err
		}
		after, failed := c.verifyRemote(ctx, pairing)
		if failed == nil {
			_, failed = c.readPairing(ctx, pairing)
		}
		if failed != nil {
			return Replication{}, failed
		}
		if before == after {
			return found, ignoreNonEssential(err)
		}
	}
	return Replication{}, fmt.Errorf("read replication %s: %w: the remote session ended on each attempt", id, ErrRemote)
}

func (c *Client) readOne(ctx context.Context, pairing, id string) (Replication, error) {
	r := request{method: http.MethodGet, template: replicationTemplate, ids: []string{pairing, id}, pairing: pairing}
	var w wireReplication
	if err := c.call(ctx, r, &w); err != nil {
		return Replication{}, err
	}
	return w.domain(), w.checkComplete()
}

// ReplicationOf returns the only replication of a VM in a pairing. Errors: ErrNotFound, ErrAmbiguous.
func (c *Client) ReplicationOf(ctx context.Context, pairing, vm string, f Freshness) (Replication, error) {
	replications, err := c.Replications(ctx, pairing, vm, f)
	switch {
	case err != nil:
		return Replication{}, err
	case len(replications) == 0:
		return Replication{}, fmt.Errorf("the VM has no replication in this pairing: %w", ErrNotFound)
	case len(replications) > 1:
		return Replication{}, fmt.Errorf(
			"the VM has %d replications in this pairing: %w",
			len(replications),
			ErrAmbiguous,
		)
	}
	return replications[0], nil
}

// Replications returns the incoming and outgoing replications of a VM, sorted by ID. For AnyVM, it returns those of all
// VMs in the pairing. A VM has at most one outgoing replication. Errors: ErrPartial if the gateway omits data.
func (c *Client) Replications(ctx context.Context, pairing, vm string, f Freshness) ([]Replication, error) {
	if f == Direct {
		l, err := c.readReplications(ctx, pairing, vmFilter(vm))
		if err != nil {
			return nil, err
		}
		return filterByVM(l.replications, vm), nil
	}
	l, replications, err := c.listedReplications(ctx, pairing, vm, f)
	mayLackSome := vm == AnyVM || len(replications) == 0
	if err == nil && f != Unverified && mayLackSome {
		l, err = c.conclusiveListing(ctx, pairing, vm, f.age())
		if err == nil {
			replications = filterByVM(l.replications, vm)
		}
	}
	if err != nil {
		return nil, err
	}
	return replications, l.firstIncomplete(replications)
}

// AllReplications returns all replications of a pairing, for callers that can handle incomplete ones. incomplete maps
// the IDs of replications with missing fields to errors. If an incomplete replication has no VM ID, AllReplications
// returns its error.
func (c *Client) AllReplications(
	ctx context.Context, pairing string,
) (all []Replication, incomplete map[string]error, err error) {
	l, err := c.conclusiveListing(ctx, pairing, AnyVM, refreshAge)
	if err != nil {
		return nil, nil, err
	}
	return l.replications, l.incomplete, l.firstIncomplete(nil)
}

// listedReplications returns a VM's replications from a listing that is newer than this client's changes to the VM and
// to the replications.
func (c *Client) listedReplications(
	ctx context.Context, pairing, vm string, f Freshness,
) (*listing, []Replication, error) {
	l, err := c.listing(ctx, pairing, vm, f.age())
	if err != nil {
		return nil, nil, err
	}
	replications := filterByVM(l.replications, vm)
	if vm == AnyVM { // every change is also recorded for AnyVM
		return l, replications, nil
	}
	for _, r := range replications {
		if c.lastChangeTick(r.ID) >= l.startTick { // changed after the listing was started
			l, err = c.listing(ctx, pairing, r.ID, f.age())
			if err != nil {
				return nil, nil, err
			}
			return l, filterByVM(l.replications, vm), nil
		}
	}
	return l, replications, nil
}

// vmFilter returns the query for the replications of a VM, or nil for AnyVM.
func vmFilter(vm string) url.Values {
	if vm == AnyVM {
		return nil
	}
	filter := url.Values{"filter_property": {"vm_id"}, "filter": {vm}}
	if vcenter := VCenterOf(vm); vcenter != "" {
		filter.Set("source_vc_guid", vcenter)
	}
	return filter
}

// filterByVM selects the replications of a VM. It is also applied to filtered responses, because the semantics of the
// gateway's filter are undocumented.
func filterByVM(all []Replication, vm string) []Replication {
	if vm == AnyVM {
		return all
	}
	var replications []Replication
	for _, r := range all {
		if strings.EqualFold(r.VMID, vm) {
			replications = append(replications, r)
		}
	}
	return replications
}

const (
	maxNewReplicationPolls = 6
	// maxBusyAttempts is the maximum number of attempts while a replication is busy. At one attempt every 15 seconds,
	// they take five minutes.
	maxBusyAttempts = 21
)

const slowPollInterval = 15 * time.Second

// Change starts a change and waits for its task. It retries while the replication is busy, which can last for minutes
// after another change.
func (c *Client) Change(ctx context.Context, progress func(Task), start func(context.Context) (Task, error)) error {
	for attempt := 1; ; attempt++ {
		task, err := start(ctx)
		if err == nil {
			err = c.Wait(ctx, task, progress)
		}
		if attempt == maxBusyAttempts || !isBusy(err) {
			return err
		}
		if failed := c.config.Sleep(ctx, slowPollInterval); failed != nil {
			return fmt.Errorf("%w: %w", failed, err)
		}
	}
}

// busyWords matches the messages of temporary rejections, for which the API documents no error code.
var busyWords = regexp.MustCompile(`(?i)busy|in progress|another (?:operation|task)|being (?:re)?configured|try again`)

// loginWords matches messages about rejected logins. Such failures are not retried, because each attempt counts towards
// a lockout.
var loginWords = regexp.MustCompile(`(?i)password|credential|log ?in|authenticat`)

// isBusy reports whether a replication rejected a change only temporarily.
func isBusy(err error) bool {
	if result, ok := transport.AsAPIError(err); ok && !errors.Is(err, ErrUncertain) {
		text := result.Type + " " + strings.Join(result.Messages, " ")
		switch result.Status {
		case http.StatusConflict, http.StatusLocked:
			return true
		case http.StatusBadRequest:
			return isBusyText(text)
		}
		return false
	}
	failed, ok := errors.AsType[*TaskError](err)
	return ok && isBusyText(failed.Task.Message+" "+failed.Task.Details)
}

// isBusyText reports whether a message is about a busy replication, and not about a login.
func isBusyText(text string) bool {
	return busyWords.MatchString(text) && !loginWords.MatchString(text)
}

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
	var replications []Replication
	if err == nil {
		replications = filterByVM(l.replications, vm)
	}
	for range maxNewReplicationPolls {
		if created, found := findByTarget(replications, target); err != nil || found {
			return created, err
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return Replication{}, fmt.Errorf("find the replication of %s: %w", vm, err)
		}
		replications, err = c.Replications(ctx, pairing, vm, Direct)
	}
	c.recordChange(vm)
	replications, err = c.Replications(ctx, pairing, vm, Shared)
	if err != nil {
		return Replication{}, err
	}
	if created, found := findByTarget(replications, target); found {
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
		_, err := c.findListed(ctx, pairing, id)
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

// findListed searches only the shared listing. ErrNotFound means that the replication is known not to exist.
func (c *Client) findListed(ctx context.Context, pairing, id string) (Replication, error) {
	l, err := c.listing(ctx, pairing, id, pollAge)
	for _, conclusive := range []bool{false, true} {
		if conclusive && err == nil {
			l, err = c.conclusiveListing(ctx, pairing, id, pollAge)
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
