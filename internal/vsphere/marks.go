// What a VM's configuration says about replication and about who manages the VM.
//
// config.repConfig is in the vendor's reference (VirtualMachineConfigInfo). That a replicated VM also carries
// hbr_filter.* in its extra configuration is known from community scripts only: either is enough. HDCS.agent marks the
// VMs of vSphere Cluster Services (Broadcom's knowledge base, article 370219).

package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	replicationKey    = "hbr_filter.destination"
	clusterServiceKey = "HDCS.agent"
	placeholderType   = "placeholderVm"
)

// VMMarks are what the configuration of a VM says. They are empty where it cannot be read.
type VMMarks struct {
	// ReplicationDestination is where the VM is replicated to; empty when it is not replicated.
	ReplicationDestination string
	// ClusterService is a VM of vSphere Cluster Services (vCLS), which vCenter creates and removes by itself.
	ClusterService bool
	// Placeholder is a VM that Site Recovery Manager keeps in the inventory for a VM of the other site.
	Placeholder bool
}

// VMMarks returns the marks of VMs by id, without those that do not exist: one request for each 1,000.
func (c *Client) VMMarks(ctx context.Context, ids []string) (map[string]VMMarks, error) {
	marks := make(map[string]VMMarks, len(ids))
	if len(ids) == 0 {
		return marks, nil
	}
	refs := make([]types.ManagedObjectReference, len(ids))
	for i, id := range ids {
		refs[i] = types.ManagedObjectReference{Type: vmType, Value: id}
	}
	properties := []string{"config.extraConfig", "config.repConfig", "config.managedBy"}
	err := c.withSOAP(ctx, "read the configuration of VMs", func(ctx context.Context, vim *vim25.Client) error {
		return inventory{vim: vim}.readVMs(ctx, refs, properties, func(page []types.ObjectContent) error {
			var found []mo.VirtualMachine
			if err := mo.LoadObjectContent(page, &found); err != nil {
				return err
			}
			for _, vm := range found {
				marks[vm.Self.Value] = marksOf(vm.Config)
			}
			return nil
		})
	})
	return marks, err
}

func marksOf(config *types.VirtualMachineConfigInfo) VMMarks {
	var m VMMarks
	if config == nil {
		return m
	}
	if config.RepConfig != nil {
		m.ReplicationDestination = config.RepConfig.Destination
	}
	m.Placeholder = config.ManagedBy != nil && config.ManagedBy.Type == placeholderType
	for _, option := range config.ExtraConfig {
		o := option.GetOptionValue()
		value, _ := o.Value.(string)
		switch {
		case o.Key == replicationKey && m.ReplicationDestination == "":
			m.ReplicationDestination = value
		case o.Key == clusterServiceKey:
			m.ClusterService = value == "true" || value == "TRUE"
		}
	}
	return m
}
