package vsphere_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestVMFlags(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 10, Inaccessible: 2})
	ids := vmIDs(v)
	vms := v.VMs()
	for n, options := range map[int][]string{
		0: {"hbr_filter.destination", "10.0.0.7"},
		1: {"hbr_filter.destination", ""},
		2: {"hbr_filter.rpo", "15"},
		3: {"HDCS.agent", "true"},
		4: {"HDCS.agent", "false"},
		7: {"hbr_filter.destination", "second"},
	} {
		err := v.Reconfigure(vms[n].ID, func(c *types.VirtualMachineConfigInfo) {
			c.ExtraConfig = append(c.ExtraConfig, &types.OptionValue{Key: options[0], Value: options[1]})
		})
		require.NoError(t, err)
	}
	for n, change := range map[int]func(*types.VirtualMachineConfigInfo){
		5: func(c *types.VirtualMachineConfigInfo) {
			c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.vmware.vcDr", Type: "placeholderVm"}
		},
		6: func(c *types.VirtualMachineConfigInfo) {
			c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.example.backup", Type: "proxy"}
		},
		7: func(c *types.VirtualMachineConfigInfo) {
			c.RepConfig = &types.ReplicationConfigSpec{Destination: "first", Rpo: 15, VmReplicationId: "GID-7"}
		},
	} {
		require.NoError(t, v.Reconfigure(vms[n].ID, change))
	}
	v.Traffic().Reset()
	marks, err := c.VMFlags(t.Context(), append(slices.Clone(ids), "vm-none"))
	require.NoError(t, err)
	require.Len(t, marks, len(ids))
	for n, vm := range vms {
		want := map[int]vsphere.VMFlags{
			0: {ExtraConfigOnly: true},
			3: {ClusterService: true},
			5: {Placeholder: true},
			7: {ReplicationDestination: "first", ReplicationID: "GID-7"},
		}[n]
		assert.Equal(t, want, marks[vm.ID], "%+v", n)
	}
	none, err := c.VMFlags(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestVMFlags_unreadable(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 2})
	v.LoseProperty(v.VMs()[0].ID, "config.managedBy", &types.NoPermission{})
	require.NoError(t, v.Reconfigure(v.VMs()[0].ID, func(c *types.VirtualMachineConfigInfo) {
		c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "x", Type: "y"}
	}))
	marks, err := c.VMFlags(t.Context(), vmIDs(v))
	require.NoError(t, err)
	assert.True(t, marks[v.VMs()[0].ID].Unreadable, "got %+v, %v; want the first unreadable", marks, err)
	assert.False(t, marks[v.VMs()[1].ID].Unreadable, "got %+v, %v; want the first unreadable", marks, err)
}

func TestVMFlags_requests(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 1001})
	for ids, want := range map[int]int{0: 0, 1000: 1, 1001: 2} {
		v.Traffic().Reset()
		_, err := c.VMFlags(t.Context(), vmIDs(v)[:ids])
		require.NoError(t, err)
		assert.Equal(t, want, v.Traffic().Count("soap:RetrievePropertiesEx"), "%+v", ids)
	}
}
