package snapservice

import (
	"context"

	"terraform-provider-vsla/internal/transport"
)

// VM is a VM as listed by the appliance.
type VM struct {
	ID       string          `json:"-"`
	Name     string          `json:"name"`
	GroupIDs []string        `json:"protection_groups"`
	Remote   *vmReplications `json:"remote_protection_info"`
}

type vmReplications struct {
	Outgoing []VMReplication `json:"outgoing_replications"`
}

// VMReplication describes the replication of a VM to another cluster. The RPO is that of the VM's group. The API
// reports neither the time nor the progress of a sync.
type VMReplication struct {
	// Status is a vSphere Replication status, or a value added by a later release.
	Status     string   `json:"status"`
	ErrorType  string   `json:"error_type"`
	Errors     []Reason `json:"errors"`
	PairID     string   `json:"cluster_pair"`
	Datastores []string `json:"replica_datastores"`
	// Violation is nil while the RPO is met. The meaning of its duration is undocumented. Release 9.0 never returns it.
	Violation *Period `json:"rpo_violation"`
}

// Outgoing returns the VM's replications to other clusters.
func (v VM) Outgoing() []VMReplication {
	if v.Remote == nil {
		return nil
	}
	return v.Remote.Outgoing
}

// VMs returns the VMs of a cluster. It never filters by tag: the API expects tag rules in the body of a GET request,
// which proxies may drop, and the response would then contain all VMs.
func (c *Client) VMs(ctx context.Context, cluster string) ([]VM, error) {
	return c.vms.Get(ctx, cluster, func(ctx context.Context) ([]VM, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Items transport.List[struct {
				ID   string `json:"vm"`
				Info VM     `json:"info"`
			}] `json:"items"`
		}
		if err := c.call(ctx, request{operation: listVMs, ids: []string{cluster}}, &result); err != nil {
			return nil, err
		}
		vms := make([]VM, 0, len(result.Items))
		for _, item := range result.Items {
			item.Info.ID = item.ID
			vms = append(vms, item.Info)
		}
		return vms, nil
	})
}
