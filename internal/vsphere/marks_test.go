package vsphere_test

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestVMMarks: what each part of the configuration means, and VMs without one.
func TestVMMarks(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 10, Inaccessible: 2})
	ids := vmIDs(v)
	vms := v.VMs()
	for n, options := range map[int][]string{
		0: {"hbr_filter.destination", "10.0.0.7"}, 1: {"hbr_filter.destination", ""}, 2: {"hbr_filter.rpo", "15"},
		3: {"HDCS.agent", "true"}, 4: {"HDCS.agent", "false"}, 7: {"hbr_filter.destination", "second"},
	} {
		err := v.Reconfigure(vms[n].ID, func(c *types.VirtualMachineConfigInfo) {
			c.ExtraConfig = append(c.ExtraConfig, &types.OptionValue{Key: options[0], Value: options[1]})
		})
		if err != nil {
			t.Fatal(err)
		}
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
		if err := v.Reconfigure(vms[n].ID, change); err != nil {
			t.Fatal(err)
		}
	}
	v.Traffic().Reset()
	marks, err := c.VMMarks(t.Context(), append(slices.Clone(ids), "vm-none"))
	if err != nil || len(marks) != len(ids) {
		t.Fatalf("%d marks, %v", len(marks), err)
	}
	for n, vm := range vms {
		want := map[int]vsphere.VMMarks{
			0: {Suspected: true}, 3: {ClusterService: true}, 5: {Placeholder: true},
			7: {ReplicationDestination: "first", ReplicationID: "GID-7"},
		}[n]
		if got := marks[vm.ID]; got != want {
			t.Errorf("VM %d: got %+v, want %+v", n, got, want)
		}
	}
	if none, err := c.VMMarks(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("got %v, %v, want nothing for no VMs", none, err)
	}
}

// TestVMMarks_requests: one for each 1,000 VMs, none for no VM. It is the chunk of all that is read by id.
func TestVMMarks_requests(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 1001})
	for ids, want := range map[int]int{0: 0, 1000: 1, 1001: 2} {
		v.Traffic().Reset()
		if _, err := c.VMMarks(t.Context(), vmIDs(v)[:ids]); err != nil {
			t.Fatal(err)
		}
		if got := v.Traffic().Count("soap:RetrievePropertiesEx"); got != want {
			t.Errorf("%d VMs took %d requests, want %d", ids, got, want)
		}
	}
}
