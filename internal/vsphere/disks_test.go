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
		require.NoError(t, err, name)
		require.Len(t, found.VMs, len(truth), name)
		for _, vm := range found.VMs {
			want := truth[slices.Index(ids, vm.ID)]
			require.Equal(t, want.DiskBytes, vm.DiskBytes, name)
			require.Len(t, vm.Disks, len(want.Disks), name)
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
			assert.Equal(t, left, vm.ReplicatedBytes(), name)
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
		"snapshot":                 {layout([]int32{0, 1}, file(0, 4<<30, extent), file(1, 1<<30, extent)), 5 << 30},
		"large snapshots":          {layout([]int32{0, 1}, file(0, capacity-1, extent), file(1, 1, extent)), capacity},
		"no layout":                {nil, -1},
		"no such disk":             {&types.VirtualMachineFileLayoutEx{}, -1},
		"no files":                 {layout(nil), -1},
		"a file is missing":        {layout([]int32{0, 1}, file(0, 4<<30, extent)), -1},
		"out of reach":             {layout([]int32{0, 1}, file(0, 4<<30, extent), gone), -1},
		"descriptor only":          {layout([]int32{0}, file(0, 500, descriptor)), -1},
		"descriptor with the data": {layout([]int32{0}, file(0, 3<<30, descriptor)), 3 << 30},
	} {
		require.NoError(t, v.SetLayout(id, test.layout))
		found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{DiskUse: true})
		require.NoError(t, err)
		require.Len(t, found.VMs, 1)
		vm := found.VMs[0]
		// VM 0 has 6 GiB of disk and 2 GiB of swap in its committed storage, which is all that is known without a layout.
		used, left := int64(8<<30), int64(8<<30)
		if test.want >= 0 {
			used, left = test.want, 0
		}
		require.Equal(t, used, vm.UsedBytes, name)
		assert.Equal(t, test.want < 0, vm.UsedIsCommitted, name)
		d := vm.Disks[0]
		if d.UsedKnown != (test.want >= 0) || (d.UsedKnown && d.UsedBytes != test.want) || !d.Excluded ||
			vm.ReplicatedBytes() != left {
			t.Errorf("%s: %+v, %d bytes are replicated, want %d", name, d, vm.ReplicatedBytes(), left)
		}
	}
}

// TestVirtualMachines_vSAN: what a VM uses on vSAN has neither copies nor swap, whatever the memory, and each disk has
// its share.
func TestVirtualMachines_vSAN(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 8})
	v.StoreOnVSAN(2)
	v.AddFiles(12)
	// VM 0 has a disk of 20 GiB, of which 30 % are in use: 6 GiB, and a swap file of 2 GiB. VM 7 has 16 GiB of memory.
	for _, parts := range []vsphere.VMParts{{Sizes: true}, {DiskUse: true}} {
		found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, parts)
		require.NoError(t, err)
		require.Len(t, found.VMs, 8)
		for i, vm := range found.VMs {
			if want := v.VMs()[i]; vm.UsedBytes != want.UsedBytes || vm.UsedIsCommitted {
				t.Errorf("%s uses %d bytes, committed %t; want %d", vm.Name, vm.UsedBytes, vm.UsedIsCommitted, want.UsedBytes)
			}
			for k, d := range vm.Disks {
				if want := v.VMs()[i].DiskUse[k]; !d.UsedKnown || d.UsedBytes != want {
					t.Errorf("disk %d of %s uses %d bytes, %t; want %d", k, vm.Name, d.UsedBytes, d.UsedKnown, want)
				}
			}
		}
	}
	sample, _, err := c.SampleVMs(t.Context(), 1)
	if err != nil || len(sample) != 1 || !slices.Equal(sample[0].DatastoreTypes, []string{"vsan"}) ||
		sample[0].FileBytes["diskDescriptor"] != 6<<30 || sample[0].CommittedBytes != 2*6<<30+36<<20 {
		t.Errorf("got the sample %+v, %v, want 12 GiB and 36 MiB committed on vsan", sample, err)
	}
}

// TestVirtualMachines_recorded: a VM of vCenter 8.0.3 with 128 MiB of memory and one disk on vSAN, as it was recorded.
func TestVirtualMachines_recorded(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 1})
	id := v.VMs()[0].ID
	err := v.SetLayout(id, &types.VirtualMachineFileLayoutEx{
		File: []types.VirtualMachineFileLayoutExFileInfo{
			{Key: 0, Type: "config", Size: 3146, UniqueSize: 0},
			{
				Key: 4, Type: "diskDescriptor", Size: 1_119_879_168, UniqueSize: 1_119_879_168,
				BackingObjectId: "9c8fc464-8d4f-d7a1-8d3a-bc97e14e3b3a",
			},
			{Key: 7, Type: "swap", Size: 134_217_728, UniqueSize: 37_748_736},
			{Key: 9, Type: "log", Size: 292_000},
		},
		Disk: []types.VirtualMachineFileLayoutExDiskLayout{
			{Key: 2000, Chain: []types.VirtualMachineFileLayoutExDiskUnit{{FileKey: []int32{4}}}},
		},
	})
	require.NoError(t, err)
	found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{IDs: []string{id}}, vsphere.VMParts{DiskUse: true})
	require.NoError(t, err)
	require.Len(t, found.VMs, 1)
	vm := found.VMs[0]
	assert.True(t, vm.UsedBytes == 1_119_879_168 && vm.Disks[0].UsedBytes == 1_119_879_168 && vm.Disks[0].UsedKnown,
		"got %+v, want 1,119,879,168 bytes", vm)
}

// TestVirtualMachines_kibibytes: old hosts report the capacity of a disk in KiB only.
func TestVirtualMachines_kibibytes(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 1})
	vm := v.VMs()[0]
	err := v.Reconfigure(vm.ID, func(config *types.VirtualMachineConfigInfo) {
		config.Hardware.Device = slices.Clone(config.Hardware.Device)
		for i, device := range config.Hardware.Device {
			if disk, ok := device.(*types.VirtualDisk); ok {
				old := *disk
				old.CapacityInBytes, old.CapacityInKB = 0, 3<<20
				config.Hardware.Device[i] = &old
			}
		}
	})
	require.NoError(t, err)
	found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{IDs: []string{vm.ID}}, vsphere.VMParts{Disks: true})
	if err != nil || len(found.VMs) != 1 || found.VMs[0].DiskBytes != 3<<30 { // 3 Mi * 1 KiB
		t.Errorf("got %+v, %v; want a disk of 3 GiB", found.VMs, err)
	}
}
