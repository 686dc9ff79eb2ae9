package vr

import (
	"context"
)

// ReplicationServer is a server that receives replication data. Requests identify it by ID, but replications identify
// it by UUID.
type ReplicationServer struct {
	ID                                           string
	UUID                                         string
	Name                                         string
	Hostname                                     string
	Replications                                 int64
	Connected, Decommissioned, InternallyManaged bool
	// Fault is the fault code reported by the gateway, or empty.
	Fault string
}

// ReplicationServers lists the replication servers of a vSphere Replication Management Server in the pairing, sorted by
// ID.
func (c *Client) ReplicationServers(ctx context.Context, pairing, vrms string) ([]ReplicationServer, error) {
	type wire struct {
		ID                string `json:"id"`
		UUID              string `json:"uuid"`
		Name              string `json:"name"`
		Hostname          string `json:"hostname"`
		Replications      int64  `json:"replication_count"`
		Connected         bool   `json:"connected"`
		Decommissioned    bool   `json:"decommissioned"`
		InternallyManaged bool   `json:"internally_managed"`
		Fault             string `json:"fault"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vrs/{vr_id}/replication-servers",
			ids:      []string{pairing, vrms},
			pairing:  pairing,
		},
		"id",
		func(w wire) string { return w.ID },
		func(w wire) ReplicationServer { return ReplicationServer(w) },
	)
}

// ServerByUUID returns the ID of the replication server with the given UUID, or "". All callers share one read of the
// servers.
func (c *Client) ServerByUUID(ctx context.Context, pairing, vrms, uuid string) (string, error) {
	all, err := c.servers.Get(ctx, pairing+" "+vrms, func(ctx context.Context) ([]ReplicationServer, error) {
		return c.ReplicationServers(ctx, pairing, vrms)
	})
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.UUID == uuid && uuid != "" {
			return s.ID, nil
		}
	}
	return "", nil
}
