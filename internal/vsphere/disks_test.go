package vsphere_test

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestVirtualMachines_diskUse: each disk has what its files take; a disk that a replication leaves out is subtracted.
func TestVirtualMachines_diskUse(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 6})
	truth := v.VMs()
	ids := make([]string, 0, len(truth))
	for _, vm := range truth {
		ids = append(ids, vm.ID)
	}
	// VM 6 (i = 5) has 3 disks of 70, 80 and 20 GiB, 55 % of each in use: 38.5, 44 and 11 GiB.
	excluded := truth[5]
	v.SetReplicated(excluded.ID, 15, 2000, 2002)
	v.SetReplicated(truth[2].ID, 15, 2000, 2001, 2002)
	for name, test := range map[string]struct {
		filter vsphere.VMFilter
		parts  vsphere.VMParts
	}{
		"by ids":         {vsphere.VMFilter{IDs: ids}, vsphere.VMParts{DiskUse: true}},
		"all":            {vsphere.VMFilter{}, vsphere.VMParts{DiskUse: true}},
		"all, and disks": {vsphere.VMFilter{}, vsphere.VMParts{DiskUse: true, Disks: true}},
	} {
		found, err := c.VirtualMachines(t.Context(), test.filter, test.parts)
		if err != nil || len(found.VMs) != len(truth) {
			t.Fatalf("%s: %d VMs, %v", name, len(found.VMs), err)
		}
		for _, vm := range found.VMs {
			want := truth[slices.Index(ids, vm.ID)]
			if vm.ExcludesDisks != (vm.ID == excluded.ID) {
				t.Errorf("%s: %s excludes disks: %v", name, vm.ID, vm.ExcludesDisks)
			}
			if vm.DiskBytes != want.DiskBytes || len(vm.Disks) != len(want.Disks) {
				t.Fatalf("%s: %s has %d bytes of disks, %+v", name, vm.ID, vm.DiskBytes, vm.Disks)
			}
			for i, d := range vm.Disks {
				if d.Key != int32(2000+i) || d.CapacityBytes != want.Disks[i] || d.UsedBytes != want.DiskUse[i] ||
					!d.UsedKnown || d.Excluded != (vm.ID == excluded.ID && i == 1) {
					t.Errorf("%s: disk %d of %s is %+v", name, i, vm.ID, d)
				}
			}
			left := want.UsedBytes
			if vm.ID == excluded.ID {
				left = 49<<30 + 1<<29 // 38.5 + 11 GiB
			}
			if vm.ReplicatedBytes() != left {
				t.Errorf("%s: %d bytes of %s are replicated, want %d", name, vm.ReplicatedBytes(), vm.ID, left)
			}
		}
	}
}

// TestVirtualMachines_diskUseUnknown: the used size of a disk is unknown unless vCenter knows all of its files, and it
// is at most the capacity.
func TestVirtualMachines_diskUseUnknown(t *testing.T) {
	t.Parallel()
	const capacity = 20 << 30 // of the first VM's disk
	extent, descriptor := string(types.VirtualMachineFileLayoutExFileTypeDiskExtent),
		string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor)
	layout := func(keys []int32, files ...types.VirtualMachineFileLayoutExFileInfo) *types.VirtualMachineFileLayoutEx {
		l := &types.VirtualMachineFileLayoutEx{File: files}
		disk := types.VirtualMachineFileLayoutExDiskLayout{Key: 2000}
		for _, key := range keys { // a unit of the chain for each
			disk.Chain = append(disk.Chain, types.VirtualMachineFileLayoutExDiskUnit{FileKey: []int32{key}})
		}
		l.Disk = append(l.Disk, disk)
		return l
	}
	file := func(key int32, size int64, kind string) types.VirtualMachineFileLayoutExFileInfo {
		return types.VirtualMachineFileLayoutExFileInfo{Key: key, Size: size, Type: kind}
	}
	gone := file(1, 1<<30, extent)
	gone.Accessible = new(false)
	v, c, _ := start(t, vcsim.Config{VMs: 1})
	id := v.VMs()[0].ID
	v.SetReplicated(id, 15, 2001) // without its only disk
	for name, test := range map[string]struct {
		layout *types.VirtualMachineFileLayoutEx
		want   int64 // -1 for unknown
	}{
		"snapshot":          {layout([]int32{0, 1}, file(0, 4<<30, extent), file(1, 1<<30, extent)), 5 << 30},
		"large snapshots":   {layout([]int32{0, 1}, file(0, capacity, extent), file(1, 9<<30, extent)), capacity},
		"no layout":         {nil, -1},
		"no such disk":      {&types.VirtualMachineFileLayoutEx{}, -1},
		"no files":          {layout(nil), -1},
		"a file is missing": {layout([]int32{0, 1}, file(0, 4<<30, extent)), -1},
		"out of reach":      {layout([]int32{0, 1}, file(0, 4<<30, extent), gone), -1},
		"descriptor only":   {layout([]int32{0}, file(0, 500, descriptor)), -1},
	} {
		if err := v.SetLayout(id, test.layout); err != nil {
			t.Fatal(err)
		}
		found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{DiskUse: true})
		if err != nil || len(found.VMs) != 1 {
			t.Fatal(err)
		}
		vm := found.VMs[0]
		d, left := vm.Disks[0], vm.UsedBytes
		if test.want >= 0 {
			left = max(0, vm.UsedBytes-test.want)
		}
		if d.UsedKnown != (test.want >= 0) || (d.UsedKnown && d.UsedBytes != test.want) || !d.Excluded ||
			vm.ReplicatedBytes() != left {
			t.Errorf("%s: %+v, %d bytes are replicated, want %d", name, d, vm.ReplicatedBytes(), left)
		}
	}
}

// TestVirtualMachines_vSAN: what a VM uses on vSAN has every copy that vSAN keeps, and still no swap file.
func TestVirtualMachines_vSAN(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 1})
	v.StoreOnVSAN(2)
	found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	// VM 0 has a disk of 20 GiB, of which 30 % are in use: 6 GiB, and a swap file of 2 GiB.
	if err != nil || len(found.VMs) != 1 || found.VMs[0].UsedBytes != 2*6<<30 {
		t.Errorf("got %+v, %v, want 12 GiB", found.VMs, err)
	}
	sample, _, err := c.SampleVMs(t.Context(), 1)
	if err != nil || len(sample) != 1 || !slices.Equal(sample[0].DatastoreTypes, []string{"vsan"}) ||
		sample[0].FileBytes["diskExtent"] != 2*6<<30 || sample[0].CommittedBytes != (2*6+2)<<30 {
		t.Errorf("got the sample %+v, %v, want 14 GiB committed on vsan", sample, err)
	}
}
