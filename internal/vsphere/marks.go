package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	replicationKey    = "hbr_filter.destination"
	replicationIDKey  = "hbr_filter.gid"
	maxRPOMinutes     = 1440
	clusterServiceKey = "HDCS.agent"
	placeholderType   = "placeholderVm"
)

// VMFlags contains replication settings and flags of a VM. If the VM's configuration cannot be read, only Unreadable
// can be set.
type VMFlags struct {
	// ReplicationDestination is the destination in the replication settings. It can be empty.
	ReplicationDestination string
	// ReplicationID identifies the replication. Two VMs can have the same ID, because clones copy it.
	ReplicationID string
	// ExtraConfigOnly is true if only the extra configuration contains a destination, as in a clone.
	ExtraConfigOnly bool
	// Unreadable is true if a property could not be read.
	Unreadable bool
	// ClusterService is true for a vSphere Cluster Services (vCLS) VM, which vCenter creates and removes automatically.
	ClusterService bool
	// Placeholder is true for a placeholder that Site Recovery Manager created for a VM at the other site.
	Placeholder bool
}

// VMFlags returns the flags of VMs by VM ID. Missing VMs are skipped. It sends one request per 1,000 VMs.
func (c *Client) VMFlags(ctx context.Context, ids []string) (map[string]VMFlags, error) {
	flags := make(map[string]VMFlags, len(ids))
	if len(ids) == 0 {
		return flags, nil
	}
	refs := make([]types.ManagedObjectReference, len(ids))
	for i, id := range ids {
		refs[i] = types.ManagedObjectReference{Type: vmType, Value: id}
	}
	properties := []string{"config.extraConfig", "config.repConfig", "config.managedBy"}
	err := c.withSOAP(ctx, "read the configuration of VMs", func(ctx context.Context, vim *vim25.Client) error {
		return inventory{vim: vim}.readVMs(ctx, refs, properties, func(page []types.ObjectContent) error {
			return visitVMs(page, func(vm mo.VirtualMachine, readable bool) {
				m := parseVMFlags(vm.Config)
				m.Unreadable = !readable
				flags[vm.Self.Value] = m
			})
		})
	})
	return flags, err
}

func parseVMFlags(config *types.VirtualMachineConfigInfo) VMFlags {
	var m VMFlags
	if config == nil {
		return m
	}
	if r := config.RepConfig; r != nil && r.Rpo >= 1 && r.Rpo <= maxRPOMinutes {
		m.ReplicationDestination, m.ReplicationID = r.Destination, r.VmReplicationId
	}
	m.Placeholder = config.ManagedBy != nil && config.ManagedBy.Type == placeholderType
	for _, option := range config.ExtraConfig {
		o := option.GetOptionValue()
		value, _ := o.Value.(string)
		switch {
		case o.Key == replicationKey:
			m.ExtraConfigOnly = value != "" && m.ReplicationDestination == ""
		case o.Key == replicationIDKey && m.ReplicationID == "":
			m.ReplicationID = value
		case o.Key == clusterServiceKey:
			m.ClusterService = value == "true" || value == "TRUE"
		}
	}
	return m
}
