package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
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
