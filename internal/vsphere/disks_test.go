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

func TestVirtualMachines_diskUse(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 6})
	truth := v.VMs()
	ids := make([]string, 0, len(truth))
	for _, vm := range truth {
		ids = append(ids, vm.ID)
	}
	// The sixth VM has three disks of 70, 80 and 20 GiB. Each is 55% full, which is 38.5, 44 and 11 GiB. The second
	// disk is excluded from replication.
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := c.VirtualMachines(t.Context(), test.filter, test.parts)
			require.NoError(t, err)
			require.Len(t, found.VMs, len(truth))
			for _, vm := range found.VMs {
				want := truth[slices.Index(ids, vm.ID)]
				require.Equal(t, want.DiskBytes, vm.DiskBytes, vm.Name)
				require.Len(t, vm.Disks, len(want.Disks), vm.Name)
				for i, d := range vm.Disks {
					assert.Equal(t, int32(2000+i), d.Key, vm.Name)
					assert.Equal(t, want.Disks[i], d.CapacityBytes, "disk %d of %s", i, vm.Name)
					assert.Equal(t, want.DiskUse[i], d.UsedBytes, "disk %d of %s", i, vm.Name)
					assert.True(t, d.UsedKnown, "disk %d of %s", i, vm.Name)
					assert.Equal(t, vm.ID == excluded.ID && i == 1, d.Excluded, "disk %d of %s", i, vm.Name)
				}
				left := want.UsedBytes
				if vm.ID == excluded.ID {
					left = 49<<30 + 1<<29 // 38.5 + 11 = 49.5 GiB
				}
				assert.Equal(t, left, vm.ReplicatedBytes(), vm.Name)
			}
		})
	}
}

// TestVirtualMachines_diskUseUnknown reads a VM whose only disk is excluded from replication. If the disk's size is
// known, the VM uses that many bytes, and none are replicated. Otherwise, both numbers are its committed storage.
func TestVirtualMachines_diskUseUnknown(t *testing.T) {
	t.Parallel()
	const (
		capacity  = 20 << 30 // capacity of the first VM's disk
		committed = 8 << 30  // 6 GiB of disk files and 2 GiB of swap
	)
	extent := string(types.VirtualMachineFileLayoutExFileTypeDiskExtent)
	descriptor := string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor)
	layout := func(keys []int32, files ...types.VirtualMachineFileLayoutExFileInfo) *types.VirtualMachineFileLayoutEx {
		l := &types.VirtualMachineFileLayoutEx{File: files}
		disk := types.VirtualMachineFileLayoutExDiskLayout{Key: 2000}
		for _, key := range keys { // one unit per file in the snapshot chain
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
	two := []int32{0, 1}
	for name, test := range map[string]struct {
		layout           *types.VirtualMachineFileLayoutEx
		known            bool
		used, replicated int64
	}{
		"snapshot":               {layout(two, file(0, 4<<30, extent), file(1, 1<<30, extent)), true, 5 << 30, 0},
		"large snapshots":        {layout(two, file(0, capacity-1, extent), file(1, 1, extent)), true, capacity, 0},
		"no layout":              {nil, false, committed, committed},
		"no such disk":           {&types.VirtualMachineFileLayoutEx{}, false, committed, committed},
		"no files":               {layout(nil), false, committed, committed},
		"a file is missing":      {layout(two, file(0, 4<<30, extent)), false, committed, committed},
		"out of reach":           {layout(two, file(0, 4<<30, extent), gone), false, committed, committed},
		"descriptor only":        {layout([]int32{0}, file(0, 500, descriptor)), false, committed, committed},
		"data in the descriptor": {layout([]int32{0}, file(0, 3<<30, descriptor)), true, 3 << 30, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, _ := startLab(t, vcsim.Config{VMs: 1})
			id := v.VMs()[0].ID
			v.SetReplicated(id, 15, 2001) // excludes the VM's only disk
			require.NoError(t, v.SetLayout(id, test.layout))
			found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{DiskUse: true})
			require.NoError(t, err)
			require.Len(t, found.VMs, 1)
			vm := found.VMs[0]
			require.Equal(t, test.used, vm.UsedBytes)
			assert.Equal(t, !test.known, vm.UsedIsCommitted)
			assert.Equal(t, test.replicated, vm.ReplicatedBytes())
			require.Len(t, vm.Disks, 1)
			d := vm.Disks[0]
			assert.True(t, d.Excluded)
			assert.Equal(t, test.known, d.UsedKnown)
			if test.known {
				assert.Equal(t, test.used, d.UsedBytes)
			}
		})
	}
}

// TestVirtualMachines_vSAN stores VMs with two copies. VM 0 has a 20 GiB disk that is 30% full (6 GiB) and a 2 GiB swap
// file, of which vSAN allocates 36 MiB. VM 7 has 16 GiB of memory.
func TestVirtualMachines_vSAN(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 8})
	v.StoreOnVSAN(2)
	v.AddFiles(12)
	truth := v.VMs()
	for _, parts := range []vsphere.VMParts{{Sizes: true}, {DiskUse: true}} {
		found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, parts)
		require.NoError(t, err)
		require.Len(t, found.VMs, 8)
		for i, vm := range found.VMs {
			assert.Equal(t, truth[i].UsedBytes, vm.UsedBytes, vm.Name)
			assert.False(t, vm.UsedIsCommitted, vm.Name)
			if !parts.DiskUse {
				assert.Empty(t, vm.Disks, vm.Name)
				continue
			}
			require.Len(t, vm.Disks, len(truth[i].DiskUse), vm.Name)
			for k, d := range vm.Disks {
				assert.Equal(t, truth[i].DiskUse[k], d.UsedBytes, "disk %d of %s", k, vm.Name)
				assert.True(t, d.UsedKnown, "disk %d of %s", k, vm.Name)
			}
		}
	}
	sample, _, err := c.SampleVMs(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, sample, 1)
	assert.Equal(t, []string{"vsan"}, sample[0].DatastoreTypes)
	assert.EqualValues(t, 6<<30, sample[0].FileBytes["diskDescriptor"])
	assert.EqualValues(t, 2*(6<<30)+36<<20, sample[0].CommittedBytes) // two copies of the disk, one of the swap file
}

// TestVirtualMachines_recorded checks the sizes computed from a layout recorded on vCenter 8.0.3, of a VM with 128 MiB
// of memory and one disk on vSAN.
func TestVirtualMachines_recorded(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 1})
	id := v.VMs()[0].ID
	err := v.SetLayout(id, &types.VirtualMachineFileLayoutEx{
		File: []types.VirtualMachineFileLayoutExFileInfo{
			{Key: 0, Type: "config", Size: 3146, UniqueSize: 0},
			{
				Key:             4,
				Type:            "diskDescriptor",
				Size:            1_119_879_168,
				UniqueSize:      1_119_879_168,
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
	assert.EqualValues(t, 1_119_879_168, vm.UsedBytes)
	require.Len(t, vm.Disks, 1)
	assert.EqualValues(t, 1_119_879_168, vm.Disks[0].UsedBytes)
	assert.True(t, vm.Disks[0].UsedKnown)
}

func TestVirtualMachines_kibibytes(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 1})
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
	require.NoError(t, err)
	require.Len(t, found.VMs, 1)
	assert.EqualValues(t, 3<<30, found.VMs[0].DiskBytes) // 3 << 20 KiB is 3 GiB
}
