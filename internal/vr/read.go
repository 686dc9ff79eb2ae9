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

// Freshness limits the age of a replication listing and determines whether a replication that is missing from it is
// known not to exist.
type Freshness uint8

const (
	// Shared uses the listing shared by all callers. It is at most a minute old and newer than this client's last change
	// of the object. A replication that is missing from the listing does not exist.
	Shared Freshness = iota
	// Recent is like Shared, but at most ten seconds old. It is used to poll a status and before irreversible changes.
	Recent
	// Glance is like Shared, but does not check the two sessions. A replication that is missing from the listing might
	// exist.
	Glance
	// Direct sends a separate request. A replication that is not found by ID is known not to exist, but one that is not
	// found by VM might exist.
	Direct
)

// AnyVM selects all VMs.
const AnyVM = ""

const (
	refreshAge = time.Minute
	waitAge    = 10 * time.Second
)

func (f Freshness) age() time.Duration {
	if f == Recent {
		return waitAge
	}
	return refreshAge
}

// Replication returns a replication by ID. ErrNotFound means that it is known not to exist: a replication that is
// missing from the listing is also read by ID. A 404 is accepted only while the pairing, the session and the remote
// session are valid, because the server also returns 404 if a session or privilege is missing.
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

func (c *Client) readDirect(ctx context.Context, pairing, id string) (Replication, error) {
	for range readings {
		before, err := c.sessionNames(ctx, pairing)
		if err != nil {
			return Replication{}, err
		}
		found, err := c.readOne(ctx, pairing, id)
		if err == nil || (!errors.Is(err, ErrNotFound) && !errors.Is(err, ErrPartial)) {
			return found, err
		}
		after, failed := c.confirmRemote(ctx, pairing)
		if failed == nil {
			_, failed = c.readPairing(ctx, pairing)
		}
		if failed != nil {
			return Replication{}, failed
		}
		if before == after {
			return found, tolerated(err)
		}
	}
	return Replication{}, fmt.Errorf("read replication %s: %w: the remote session ends again and again", id, ErrRemote)
}

func (c *Client) readOne(ctx context.Context, pairing, id string) (Replication, error) {
	r := request{method: http.MethodGet, template: replicationTemplate, ids: []string{pairing, id}, pairing: pairing}
	var w wireReplication
	if err := c.call(ctx, r, &w); err != nil {
		return Replication{}, err
	}
	return w.domain(), w.complete()
}

// ReplicationOf returns the only replication of a VM in a pairing. Errors: ErrNotFound, ErrAmbiguous.
func (c *Client) ReplicationOf(ctx context.Context, pairing, vm string, f Freshness) (Replication, error) {
	of, err := c.Replications(ctx, pairing, vm, f)
	switch {
	case err != nil:
		return Replication{}, err
	case len(of) == 0:
		return Replication{}, fmt.Errorf("the VM has no replication in this pairing: %w", ErrNotFound)
	case len(of) > 1:
		return Replication{}, fmt.Errorf("the VM has %d replications in this pairing: %w", len(of), ErrAmbiguous)
	}
	return of[0], nil
}

// Replications returns the incoming and outgoing replications of a VM, or of all VMs of a pairing with AnyVM, sorted by
// ID. A VM has at most one outgoing replication. Errors: ErrPartial if the gateway omits data.
func (c *Client) Replications(ctx context.Context, pairing, vm string, f Freshness) ([]Replication, error) {
	if f == Direct {
		l, err := c.search(ctx, pairing, filterVM(vm))
		if err != nil {
			return nil, err
		}
		return ofVM(l.replications, vm), nil
	}
	l, of, err := c.listed(ctx, pairing, vm, f)
	if err == nil && f != Glance && (vm == AnyVM || len(of) == 0) {
		if l, err = c.provenListing(ctx, pairing, vm, f.age()); err == nil {
			of = ofVM(l.replications, vm)
		}
	}
	if err != nil {
		return nil, err
	}
	return of, l.gap(of)
}

// Judgeable returns all replications of a pairing, for callers that can handle incomplete ones. unknown maps the IDs of
// replications with missing fields to errors. A replication without a VM is an error.
func (c *Client) Judgeable(
	ctx context.Context, pairing string,
) (all []Replication, unknown map[string]error, err error) {
	l, err := c.provenListing(ctx, pairing, AnyVM, refreshAge)
	if err != nil {
		return nil, nil, err
	}
	return l.replications, l.incomplete, l.gap(nil)
}

// listed returns the replications of a VM from a listing that is newer than this client's changes to the VM and its
// replications.
func (c *Client) listed(ctx context.Context, pairing, vm string, f Freshness) (*listing, []Replication, error) {
	l, err := c.listing(ctx, pairing, vm, f.age())
	if err != nil {
		return nil, nil, err
	}
	of := ofVM(l.replications, vm)
	if vm == AnyVM { // every change also counts as a change of AnyVM
		return l, of, nil
	}
	for _, r := range of {
		if c.changedAt(r.ID) >= l.begun { // changed after the listing was started
			if l, err = c.listing(ctx, pairing, r.ID, f.age()); err != nil {
				return nil, nil, err
			}
			return l, ofVM(l.replications, vm), nil
		}
	}
	return l, of, nil
}

func filterVM(vm string) url.Values {
	if vm == AnyVM {
		return nil
	}
	filter := url.Values{"filter_property": {"vm_id"}, "filter": {vm}}
	if vcenter := VCenterOf(vm); vcenter != "" {
		filter.Set("source_vc_guid", vcenter)
	}
	return filter
}

// ofVM filters the replications again, because the semantics of the gateway's filter are undocumented.
func ofVM(all []Replication, vm string) []Replication {
	if vm == AnyVM {
		return all
	}
	var of []Replication
	for _, r := range all {
		if r.VMID == vm {
			of = append(of, r)
		}
	}
	return of
}

const (
	// looks is the maximum number of polls for a new replication.
	looks = 6
	// busyTries is the number of attempts while a replication is busy. With one attempt every 15 seconds, this takes five
	// minutes.
	busyTries = 21
)

// Change starts a change and waits for its task. It retries while the replication is busy, which can take minutes after
// another change.
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

// busyWords matches the messages with which a gateway temporarily rejects a change. The API documents no error code for
// this case.
var busyWords = regexp.MustCompile(`(?i)busy|in progress|another (?:operation|task)|being (?:re)?configured|try again`)

// loginWords matches messages about rejected logins, which are not retried because each attempt counts towards a
// lockout.
var loginWords = regexp.MustCompile(`(?i)password|credential|log ?in|authenticat`)

// isBusy reports whether a change was rejected because another change is in progress.
func isBusy(err error) bool {
	if answer, ok := transport.AsAPIError(err); ok && !errors.Is(err, ErrUncertain) {
		return answer.Status == http.StatusConflict || answer.Status == http.StatusLocked ||
			(answer.Status == http.StatusBadRequest && readsBusy(answer.Type+" "+strings.Join(answer.Messages, " ")))
	}
	failed, ok := errors.AsType[*TaskError](err)
	return ok && readsBusy(failed.Task.Message+" "+failed.Task.Details)
}

func readsBusy(text string) bool { return busyWords.MatchString(text) && !loginWords.MatchString(text) }

// Until polls a replication from the shared listing until done returns true or an error. It always returns the state
// that was read last. Errors: ErrNotFound, and the errors of done.
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

// Appeared returns the new replication of a VM to a vCenter. It polls, because a new replication may not be visible
// immediately. Errors: ErrNotFound if there is none after half a minute.
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

func to(of []Replication, target string) (Replication, bool) {
	for _, r := range of {
		if r.TargetVCenterID == target {
			return r, true
		}
	}
	return Replication{}, false
}

// Gone waits until the listing no longer contains an unconfigured replication. Errors: ErrUncertain if the listing
// still contains it.
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

// find searches only the shared listing. If a replication is missing, it is known not to exist.
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
