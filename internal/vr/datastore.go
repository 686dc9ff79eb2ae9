package vr

import (
	"context"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// Datastore is a datastore or datastore cluster that replications can use.
type Datastore struct {
	ID            string
	Name          string
	ParentID      string
	ParentName    string
	CapacityBytes int64
	FreeBytes     int64
	// FileSystem (VMFS, NFS, VSAN, ...), Health (GREEN, ...), Type (DATASTORE, STORAGE_POD) and MaintenanceMode are API
	// values. Later releases may add values.
	FileSystem        string
	Health            string
	Type              string
	MaintenanceMode   string
	Accessible        bool
	NativeKeyProvider bool
}

// Datastores lists the datastores of a vCenter in the pairing, sorted by ID.
func (c *Client) Datastores(ctx context.Context, pairing, vcenter string) ([]Datastore, error) {
	type wire struct {
		ID                string `json:"id"`
		Name              string `json:"name"`
		ParentID          string `json:"parent"`
		ParentName        string `json:"parent_name"`
		CapacityBytes     int64  `json:"capacity"`
		FreeBytes         int64  `json:"free_space"`
		FileSystem        string `json:"file_system_type"`
		Health            string `json:"overall_status"`
		Type              string `json:"type"`
		MaintenanceMode   string `json:"maintenance_mode"`
		Accessible        bool   `json:"accessible"`
		NativeKeyProvider bool   `json:"nkp_supported"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/datastores",
			ids:      []string{pairing, vcenter},
			pairing:  pairing,
		},
		"id",
		func(w wire) string { return w.ID },
		func(w wire) Datastore { return Datastore(w) },
	)
}

// FindDatastore returns a datastore of a vCenter in the pairing. All callers share one list, which is read once more
// for a datastore that it does not contain. Errors: *transport.NameError with ErrNotFound and the existing names.
func (c *Client) FindDatastore(ctx context.Context, pairing, vcenter, id string) (Datastore, error) {
	is := func(d Datastore) bool { return strings.EqualFold(d.ID, id) }
	accept := func(list []Datastore) bool {
		_, gone := c.gone.Load(id)
		return gone || slices.ContainsFunc(list, is)
	}
	list, err := c.datastores.GetIf(ctx, pairing+" "+vcenter, func(ctx context.Context) ([]Datastore, error) {
		return c.Datastores(ctx, pairing, vcenter)
	}, accept)
	if err != nil {
		return Datastore{}, err
	}
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], nil
	}
	c.gone.Store(id, true)
	missing := &transport.NameError{What: "datastore", Name: id, Err: ErrNotFound}
	for _, d := range list {
		missing.Names = append(missing.Names, d.Name+" ("+d.ID+")")
	}
	return Datastore{}, missing
}
