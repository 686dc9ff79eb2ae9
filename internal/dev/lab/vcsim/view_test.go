package vcsim_test

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestView: what is read in process is what is true, and what clients see.
func TestView(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: 12, Templates: 1, Datastores: 2})
	states := v.VMStates()
	if len(states) != 13 || len(v.Datastores()) != 2 {
		t.Fatalf("%d VMs, %d datastores", len(states), len(v.Datastores()))
	}
	files := make(map[string]bool)
	for i, want := range v.VMs() {
		got := states[i]
		var disks []int64
		for j, d := range got.Disks {
			disks = append(disks, d.CapacityBytes)
			files[d.Folder+"/"+d.File] = true
			if d.Key != int32(2000+j) || d.DatastoreID != v.Datastores()[0].ID || d.Label == "" {
				t.Errorf("disk %+v", d)
			}
		}
		if got.ID != want.ID || got.Name != want.Name || got.PowerState != want.PowerState || got.Template != want.Template ||
			got.UsedBytes != want.UsedBytes || !slices.Equal(disks, want.Disks) ||
			got.ConnectionState != "connected" || got.Folder != want.Name {
			t.Errorf("VM %d is %+v, want %+v", i, got, want)
		}
	}
	// By the arithmetic of the VMs: 1 + i mod 3 disks each, 13 VMs: 4 times 1 + 2 + 3, and 1.
	if len(files) != 25 {
		t.Errorf("%d files: %v", len(files), files)
	}
	if d := v.Datastores()[0]; d.CapacityBytes == 0 || d.FreeBytes == 0 || !d.Accessible || d.ParentID == "" ||
		d.ParentName == "" ||
		d.MaintenanceMode != "normal" {
		t.Errorf("%+v", d)
	}
	if _, ok := v.VMState("vm-99999"); ok {
		t.Error("a VM that is not there")
	}
}

// TestView_follows: both sides see what the other does.
func TestView_follows(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: 2})
	c := connect(t, v)
	id := v.VMs()[0].ID
	vm := object.NewVirtualMachine(c.Client, types.ManagedObjectReference{Type: "VirtualMachine", Value: id})
	task, err := vm.PowerOff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, ok := v.VMState(id); !ok || m.PowerState != "poweredOff" {
		t.Errorf("%+v", m)
	}
	if err := v.SetPower(id, types.VirtualMachinePowerStateSuspended); err != nil {
		t.Fatal(err)
	}
	key, err := v.AddDisk(id, 3<<30)
	if err != nil || key != 2001 {
		t.Errorf("disk %d, %v", key, err)
	}
	var seen mo.VirtualMachine
	if err := vm.Properties(
		t.Context(),
		vm.Reference(),
		[]string{"runtime.powerState", "config.hardware"},
		&seen,
	); err != nil {
		t.Fatal(err)
	}
	disks := object.VirtualDeviceList(seen.Config.Hardware.Device).SelectByType((*types.VirtualDisk)(nil))
	if seen.Runtime.PowerState != types.VirtualMachinePowerStateSuspended || len(disks) != 2 {
		t.Errorf("%s, %d disks", seen.Runtime.PowerState, len(disks))
	}
	if m, _ := v.VMState(
		id,
	); len(m.Disks) != 2 || m.Disks[1].CapacityBytes != 3<<30 ||
		m.Disks[1].File == m.Disks[0].File {
		t.Errorf("%+v", m)
	}
	if err := v.SetPower("vm-99999", types.VirtualMachinePowerStatePoweredOn); err == nil {
		t.Error("a VM that is not there was switched on")
	}
	if _, err := v.AddDisk("vm-99999", 1); err == nil {
		t.Error("a VM that is not there got a disk")
	}
}
