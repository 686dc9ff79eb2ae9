// VMs, and how they are protected.

package snapservice

import (
	"context"
)

// VM is a VM as the appliance lists it.
type VM struct {
	ID       string          `json:"-"`
	Name     string          `json:"name"`
	GroupIDs []string        `json:"protection_groups"`
	Remote   *vmReplications `json:"remote_protection_info"`
}

type vmReplications struct {
	Outgoing []VMReplication `json:"outgoing_replications"`
}

// VMReplication is the replication of a VM. The RPO is the group's; the API has no time of a sync and no progress.
type VMReplication struct {
	// Status is one of the words that vSphere Replication uses, or of a later release.
	Status     string   `json:"status"`
	ErrorType  string   `json:"error_type"`
	Errors     []Reason `json:"errors"`
	PairID     string   `json:"cluster_pair"`
	Datastores []string `json:"replica_datastores"`
	// Violation is nil when the RPO is kept; its length is not documented. Release 9.0 never sends it.
	Violation *Period `json:"rpo_violation"`
}

// Outgoing returns the replications of the VM to other clusters.
func (v VM) Outgoing() []VMReplication {
	if v.Remote == nil {
		return nil
	}
	return v.Remote.Outgoing
}

// VMs returns the VMs of a cluster, in one answer. Rules by tags are never sent: the API takes them in the body of a
// GET, which proxies drop, and the answer would be every VM.
func (c *Client) VMs(ctx context.Context, cluster string) ([]VM, error) {
	return c.vms.Get(ctx, cluster, func(ctx context.Context) ([]VM, error) {
		if _, err := c.Check(ctx); err != nil {
			return nil, err
		}
		var answer struct {
			Items []struct {
				ID   string `json:"vm"`
				Info VM     `json:"info"`
			} `json:"items"`
		}
		if err := c.call(ctx, request{operation: listVMs, ids: []string{cluster}}, &answer); err != nil {
			return nil, err
		}
		vms := make([]VM, 0, len(answer.Items))
		for _, item := range answer.Items {
			item.Info.ID = item.ID
			vms = append(vms, item.Info)
		}
		return vms, nil
	})
}
