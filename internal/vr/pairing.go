package vr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Site is one side of a pairing: a vCenter and its vSphere Replication management server.
type Site struct {
	VCenterID   string
	VCenterName string
	VCenterURL  string
	VRMSID      string
	VRMSVersion string
	// Status is the worse of the two servers' statuses: OK, WARNING, ERROR, or a value added by a later release.
	Status string
}

// Pairing connects two sites. Local is the gateway's site, which is not necessarily the site of the protected VMs.
type Pairing struct {
	ID     string
	Local  Site
	Remote Site
}

// IsSingleVCenter reports whether the pairing connects a vCenter to itself.
func (p Pairing) IsSingleVCenter() bool {
	return p.Local.VCenterID != "" && strings.EqualFold(p.Local.VCenterID, p.Remote.VCenterID)
}

// Sides returns the site to which a VM or other object belongs as the source, and the opposite site as the target. ok
// is false if the object belongs to neither site.
func (p Pairing) Sides(objectID string) (source, target Site, ok bool) {
	vcenter := VCenterOf(objectID)
	switch {
	case strings.EqualFold(vcenter, p.Local.VCenterID):
		return p.Local, p.Remote, true
	case strings.EqualFold(vcenter, p.Remote.VCenterID):
		return p.Remote, p.Local, true
	}
	return Site{}, Site{}, false
}

type wireServer struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Name    string `json:"name"`
	Status  string `json:"server_status"`
	Version string `json:"version"`
}

type wirePairing struct {
	ID         string     `json:"pairing_id"`
	LocalVC    wireServer `json:"local_vc_server"`
	RemoteVC   wireServer `json:"remote_vc_server"`
	LocalVRMS  wireServer `json:"local_vrms"`
	RemoteVRMS wireServer `json:"remote_vrms"`
}

func (w wirePairing) domain() Pairing {
	site := func(vc, vrms wireServer) Site {
		return Site{
			VCenterID:   vc.ID,
			VCenterName: vc.Name,
			VCenterURL:  vc.URL,
			VRMSID:      vrms.ID,
			VRMSVersion: vrms.Version,
			Status:      worseStatus(vc.Status, vrms.Status),
		}
	}
	return Pairing{ID: w.ID, Local: site(w.LocalVC, w.LocalVRMS), Remote: site(w.RemoteVC, w.RemoteVRMS)}
}

// worseStatus ranks an unknown status between WARNING and ERROR.
func worseStatus(a, b string) string {
	rank := func(s string) int {
		switch s {
		case "":
			return -1
		case "OK":
			return 0
		case "WARNING":
			return 1
		case "ERROR":
			return 3
		}
		return 2
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Pairings lists the pairings, sorted by ID. Without a remote session, the remote half of a pairing can be empty. This
// is not an error, because the list is needed to open that session.
func (c *Client) Pairings(ctx context.Context) ([]Pairing, error) {
	r := request{template: "/pairings", allowIncomplete: true}
	found, err := list(ctx, c, r, "pairing_id", func(w wirePairing) string { return w.ID })
	if err != nil {
		return nil, err
	}
	pairings := make([]Pairing, 0, len(found))
	for _, w := range found {
		pairings = append(pairings, w.domain())
	}
	sortByID(pairings, func(p Pairing) string { return p.ID })
	return pairings, nil
}

// FindMoved finds a VM's replication to a target vCenter after its pairing has been deleted and the sites have been
// paired again, which gives the pairing a new ID. Errors: ErrPairing unless exactly one pairing contains the
// replication, ErrPartial if the deleted pairing is still listed.
func (c *Client) FindMoved(ctx context.Context, deleted, vm, target string) (pairing string, r Replication, err error) {
	all, err := c.pairings.Get(ctx, "", c.Pairings)
	if err != nil {
		return "", Replication{}, err
	}
	for _, p := range all {
		if p.ID == deleted {
			return "", Replication{}, fmt.Errorf("pairing %s is listed but cannot be read: %w", deleted, ErrPartial)
		}
		replications, err := c.Replications(ctx, p.ID, vm, Shared)
		if err != nil {
			return "", Replication{}, err
		}
		moved, found := findByTarget(replications, target)
		if found && pairing != "" {
			return "", Replication{}, fmt.Errorf(
				"%w: %s and %s both contain the replication",
				ErrPairing,
				pairing,
				p.ID,
			)
		}
		if found {
			pairing = p.ID
			r = moved
		}
	}
	if pairing == "" {
		err = fmt.Errorf("%w: no other pairing contains the replication", ErrPairing)
	}
	return pairing, r, err
}

// Pairing reads both halves of a pairing. All callers share one read. Errors: ErrPairing, ErrRemote, ErrPartial.
func (c *Client) Pairing(ctx context.Context, id string) (Pairing, error) {
	return c.pairingByID.Get(ctx, id, func(ctx context.Context) (Pairing, error) { return c.readPairing(ctx, id) })
}

func (c *Client) readPairing(ctx context.Context, id string) (Pairing, error) {
	r := request{method: http.MethodGet, template: "/pairings/{pairing_id}", ids: []string{id}, pairing: id}
	for range maxReadAttempts {
		var w wirePairing
		err := c.call(ctx, r, &w)
		switch {
		case errors.Is(err, ErrNotFound):
			return Pairing{}, fmt.Errorf("read pairing %s: %w", id, ErrPairing)
		case err != nil:
			return Pairing{}, err
		}
		p := w.domain()
		if p.ID != "" && p.Local.VCenterID != "" && p.Remote.VCenterID != "" && p.Remote.VRMSID != "" {
			return p, nil
		}
		// The remote session might have ended without the gateway reporting it.
		if err := c.checkRemoteSession(ctx, id); err != nil {
			return Pairing{}, err
		}
	}
	return Pairing{}, fmt.Errorf("%s: %w: one half of the pairing is missing", r, ErrPartial)
}

func sortByID[T any](elements []T, id func(T) string) {
	slices.SortStableFunc(elements, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
}

// IsConnected reports whether the gateway has a working connection to the remote site of a pairing. It returns
// ErrRemoteLogin instead of false, because further attempts could lock the account.
func (c *Client) IsConnected(ctx context.Context, pairing string) (bool, error) {
	p, err := c.readPairing(ctx, pairing)
	switch {
	case err == nil:
		return p.Remote.Status == "OK" || p.Remote.Status == "WARNING", nil
	case ctx.Err() != nil, errors.Is(err, ErrRemoteLogin), errors.Is(err, ErrNoRemoteUser):
		return false, err
	case errors.Is(err, ErrRemote), errors.Is(err, ErrPartial):
		return false, nil
	default:
		return false, err
	}
}
