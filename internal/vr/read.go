// The two reads of replications: one by its id, or those of a VM. The caller chooses how old a reading may be and
// whether an absence has to be certain.

package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Freshness is how old a reading of replications may be, and what an absence from it proves.
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

// readDirect asks for one replication until an answer is proven.
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
