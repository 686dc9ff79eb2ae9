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

// Freshness limits the age of a listing of replications and decides whether an absence from it is proof.
type Freshness uint8

const (
	// Shared allows the listing that all callers share, at most a minute old and newer than what this client has done to
	// the object. A replication absent from it does not exist.
	Shared Freshness = iota
	// Recent is Shared, at most ten seconds old: for a caller that waits for a status, or is about to do what cannot be
	// undone.
	Recent
	// Glance is Shared without the certainty of an absence, which saves the proof that both sites answered.
	Glance
	// Direct sends its own request. An absence is certain for a replication by its id, not for those of a VM.
	Direct
)

// AnyVM stands for all VMs.
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

// Replication returns one replication: ErrNotFound only when it certainly does not exist. One that is not in
// the listing is asked for by its id, and its absence counts only while pairing, session and remote session are valid:
// without them, or without the privilege to see it, it would look absent as well.
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

// ReplicationOf returns the only replication of a VM in a pairing: ErrNotFound, ErrAmbiguous.
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

// Replications returns the replications of a VM, or with AnyVM all of a pairing, incoming and outgoing, sorted by id:
// ErrPartial when the gateway leaves out anything. A VM has at most one outgoing replication.
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

// Judgeable is Replications of AnyVM for a caller that can say of a VM that its replication is not known: those whose
// entries lack a field although both sites answer are in unknown, by id, with what is missing. One without its VM is an
// error.
func (c *Client) Judgeable(
	ctx context.Context, pairing string,
) (all []Replication, unknown map[string]error, err error) {
	l, err := c.provenListing(ctx, pairing, AnyVM, refreshAge)
	if err != nil {
		return nil, nil, err
	}
	return l.replications, l.incomplete, l.gap(nil)
}

// listed finds the replications of a VM in a listing from after what this client has done to the VM and to them.
func (c *Client) listed(ctx context.Context, pairing, vm string, f Freshness) (*listing, []Replication, error) {
	l, err := c.listing(ctx, pairing, vm, f.age())
	if err != nil {
		return nil, nil, err
	}
	of := ofVM(l.replications, vm)
	if vm == AnyVM { // any change counts as one of AnyVM
		return l, of, nil
	}
	for _, r := range of {
		if c.changedAt(r.ID) >= l.begun { // it may have ended since
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

// ofVM filters again what the gateway has filtered: how its filter matches is not documented.
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

// loginWords match rejected logins, which are not retried because each attempt counts towards a lockout.
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
