package vsphere_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
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
	// The sixth VM has three disks of 70, 80 and 20 GiB. Each is 55% full, which is 38.5, 44 and 11 GiB. The second disk
	// is excluded from replication.
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
				assert.True(t, d.Key == int32(2000+i) && d.CapacityBytes == want.Disks[i] &&
					d.UsedBytes == want.DiskUse[i] && d.UsedKnown && d.Excluded == (vm.ID == excluded.ID && i == 1),
					"%s: disk %d of %s is %+v", name, i, vm.ID, d)
			}
			left := want.UsedBytes
			if vm.ID == excluded.ID {
				left = 49<<30 + 1<<29 // 38.5 + 11 = 49.5 GiB
			}
			assert.Equal(t, left, vm.ReplicatedBytes(), name)
		}
	}
}

func TestVirtualMachines_diskUseUnknown(t *testing.T) {
	t.Parallel()
	const capacity = 20 << 30 // capacity of the first VM's disk
	extent, descriptor := string(types.VirtualMachineFileLayoutExFileTypeDiskExtent),
		string(types.VirtualMachineFileLayoutExFileTypeDiskDescriptor)
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
	v, c, _ := startLab(t, vcsim.Config{VMs: 1})
	id := v.VMs()[0].ID
	v.SetReplicated(id, 15, 2001) // excludes the VM's only disk
	for name, test := range map[string]struct {
		layout *types.VirtualMachineFileLayoutEx
		want   int64 // -1 if unknown
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
		// VM 0 has 8 GiB of committed storage: 6 GiB of disk files and 2 GiB of swap. Without a layout, only the committed
		// storage is known.
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

func TestVirtualMachines_vSAN(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 8})
	v.StoreOnVSAN(2)
	v.AddFiles(12)
	// VM 0 has a 20 GiB disk that is 30% full (6 GiB) and a 2 GiB swap file. VM 7 has 16 GiB of memory.
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
	assert.True(t, err == nil && len(sample) == 1 && slices.Equal(sample[0].DatastoreTypes, []string{"vsan"}) &&
		sample[0].FileBytes["diskDescriptor"] == 6<<30 && sample[0].CommittedBytes == 2*6<<30+36<<20,
		"got the sample %+v, %v, want 12 GiB and 36 MiB committed on vsan", sample, err)
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
	if err != nil || len(found.VMs) != 1 || found.VMs[0].DiskBytes != 3<<30 { // 3 << 20 KiB is 3 GiB
		t.Errorf("got %+v, %v; want a disk of 3 GiB", found.VMs, err)
	}
}

// TestNotFound_forms checks that a 404 that does not identify a missing object is retried and never becomes
// ErrNotFound, because vCenter returns such a 404 while its services are starting.
func TestNotFound_forms(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]tagging.Missing{
		"no such URL": tagging.MissingURL, "endpoint starts": tagging.MissingHTTP,
		"no such operation": tagging.MissingOperation, "service starts": tagging.MissingService,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			tag := newTag(t, c)
			v.Tags().SetMissing(form)
			for what, read := range map[string]func() error{
				"tag":          func() error { _, err := c.Tag(t.Context(), tag); return err },
				"associations": func() error { _, err := c.ObjectsWithTag(t.Context(), tag); return err },
				"category":     func() error { _, err := c.Category(t.Context(), "x"); return err },
			} {
				err := read()
				require.ErrorIs(t, err, vsphere.ErrNoOperation, what)
				assert.NotErrorIs(t, err, vsphere.ErrNotFound, what)
			}
			if len(sleeps.sleeps) != 12 { // four delays per call
				t.Errorf("waited %d times, want 12", len(sleeps.sleeps))
			}
			assert.Error(t, c.DeleteTag(t.Context(), tag), "the tag passes for deleted")
			v.Tags().SetMissing(tagging.NotMissing)
			_, err := c.Tag(t.Context(), tag)
			assert.NoError(t, err)
		})
	}
}

func TestNotFound_untyped(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	for _, kind := range []string{"GET tag/{id}", "DELETE tag/{id}", "POST tag-association/{id}?list-attached-objects"} {
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusNotFound, Body: "Not found"})
	}
	read := func(id string) error { _, err := c.Tag(t.Context(), id); return err }
	err := read(tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	_, err = c.ObjectsWithTag(t.Context(), tag)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.Error(t, c.DeleteTag(t.Context(), tag), "a tag that exists passes for deleted")
	assert.ErrorIs(t, read("urn:vmomi:InventoryServiceTag:1:GLOBAL"), vsphere.ErrNotFound)
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { _ = read(tag) })
	}
	group.Wait()
	assert.Less(t, v.Traffic().Count("GET tag"), 50)
	v.Traffic().Break(fault.Rule{Kind: "GET tag", Status: http.StatusForbidden})
	err = read(tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}

// TestErrorType checks that the upper-case error type at the top level of an /api response takes precedence over the
// status.
func TestErrorType(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	for body, want := range map[string]error{
		`{"error_type":"ALREADY_EXISTS","messages":[]}`:  vsphere.ErrConflict,
		`{"error_type":"UNAUTHORIZED","messages":[]}`:    vsphere.ErrPermission,
		`{"error_type":"NOT_FOUND","messages":[]}`:       vsphere.ErrNotFound,
		`{"error_type":"UNAUTHENTICATED","messages":[]}`: vsphere.ErrSession,
		`{"error_type":"SOMETHING_NEW","messages":[]}`:   vsphere.ErrInvalid,
	} {
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusBadRequest, Body: body})
		_, err := c.Tag(t.Context(), "x")
		assert.ErrorIs(t, err, want, body)
		v.Traffic().Mend()
	}
}

func TestSession_wrappedEnd(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.WrapSessionEnds(true)
	v.ExpireSessions()
	_, err := c.Tag(t.Context(), tag)
	assert.NoError(t, err)
	assert.Empty(t, sleeps.sleeps)
	v.ExpireSessions() // Close must ignore the expired session
}

func TestLogin_doesNotLockTheAccount(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "stale" })
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			_, err := c.Tag(t.Context(), "x")
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
	}
	group.Wait()
	assert.False(t, v.Locked(), "the account is locked")
	assert.Equal(t, 1, v.Traffic().Count("POST session")+v.Traffic().Count("soap:Login"))
}

func TestLogin_sessionLimit(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{MaxSessions: 1})
	newTag(t, c)
	sleeps := &sleepRecorder{}
	other, err := vsphere.New(vsphere.Config{
		Server: v.URL(), User: v.User(), Password: v.Password(),
		Settings: transport.Settings{Insecure: true, Sleep: sleeps.sleep, Now: sleeps.now},
	})
	require.NoError(t, err)
	_, err = other.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrSessionLimit)
	assert.NotErrorIs(t, err, vsphere.ErrUnavailable)
	require.Len(t, sleeps.sleeps, 4)
	for _, d := range sleeps.sleeps {
		assert.GreaterOrEqual(t, d, 15*time.Second)
	}
}

func TestMissingField(t *testing.T) {
	t.Parallel()
	const body = `{"type":"com.vmware.vapi.std.errors.invalid_argument","value":{"messages":[{"args":[],` +
		`"default_message":"missing","id":"vapi.data.structure.field.missing"}]}}`
	v, c, sleeps := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "POST category", Times: 1, Status: http.StatusBadRequest, Body: body})
	newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: "POST category", Status: http.StatusBadRequest, Body: body})
	v.Traffic().Reset()
	_, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "b"})
	assert.ErrorIs(t, err, vsphere.ErrInvalid)
	require.Equal(t, 2, v.Traffic().Count("POST category"))
	assert.Empty(t, sleeps.sleeps)
}

func TestNotReached(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	list := func() error {
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		return err
	}
	require.NoError(t, list())
	v.Traffic().Break(fault.Rule{
		Kind: "soap:CreateContainerView", Times: 1, Status: http.StatusInternalServerError,
		Body: soapFault("HostNotReachable", ""),
	})
	require.NoError(t, list())
	assert.Len(t, sleeps.sleeps, 1)
	v.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusNotFound, Body: "<html>404</html>"})
	_, err := c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
}
