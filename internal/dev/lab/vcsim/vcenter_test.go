package vcsim_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/performance"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func start(t *testing.T, config vcsim.Config) *vcsim.VCenter {
	t.Helper()
	v, err := vcsim.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// connect logs in as govmomi's own users do.
func connect(t *testing.T, v *vcsim.VCenter) *govmomi.Client {
	t.Helper()
	u, err := url.Parse(v.URL() + "/sdk")
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(v.User(), v.Password())
	c, err := govmomi.NewClient(t.Context(), u, true)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestInventory_agreesWithTheTruth reads every VM as a client does.
func TestInventory_agreesWithTheTruth(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{Hosts: 4, VMs: 120, Templates: 2})
	c := connect(t, v)
	var found []mo.VirtualMachine
	list, err := view.NewManager(c.Client).
		CreateContainerView(t.Context(), c.ServiceContent.RootFolder, []string{"VirtualMachine"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Retrieve(
		t.Context(),
		[]string{"VirtualMachine"},
		[]string{"name", "parent", "summary", "config", "runtime", "datastore"},
		&found,
	); err != nil {
		t.Fatal(err)
	}
	if len(found) != 122 {
		t.Fatalf("%d VMs", len(found))
	}
	byID := make(map[string]mo.VirtualMachine)
	for _, vm := range found {
		byID[vm.Self.Value] = vm
	}
	for i, want := range v.VMs() {
		got, ok := byID[want.ID]
		if !ok {
			t.Fatalf("%s is not in the inventory", want.ID)
		}
		var disks []int64
		for _, device := range got.Config.Hardware.Device {
			if disk, ok := device.(*types.VirtualDisk); ok {
				disks = append(disks, disk.CapacityInBytes)
			}
		}
		storage := got.Summary.Storage
		if got.Name != want.Name ||
			got.Summary.Config.InstanceUuid != want.InstanceUUID || got.Config.InstanceUuid != want.InstanceUUID ||
			got.Summary.Config.NumCpu != want.CPUCount || int64(got.Summary.Config.MemorySizeMB)<<20 != want.MemoryBytes ||
			string(got.Runtime.PowerState) != want.PowerState || got.Runtime.Host.Value != want.HostID ||
			storage.Committed != want.UsedBytes ||
			storage.Committed+storage.Uncommitted != want.ProvisionedBytes ||
			*got.Config.ChangeTrackingEnabled != want.ChangedBlockTracking ||
			got.Config.Template != want.Template ||
			got.Summary.Config.Template != want.Template ||
			!slices.Equal(disks, want.Disks) ||
			got.Datastore[0].Value != want.DatastoreIDs[0] ||
			want.Template != (i >= 120) {
			t.Errorf("VM %d is %+v, want %+v", i, got.Summary.Config, want)
		}
	}
	// By the documented arithmetic: VM 11 (i = 10) is a db (10 mod 4 = 2), off, 2 disks of 50 and 60 GiB, 30 % used.
	if vm := v.VMs()[10]; vm.Name != "db-0011" || vm.PowerState != "poweredOff" || vm.DiskBytes != 110<<30 ||
		vm.UsedBytes != 33<<30 ||
		vm.MemoryBytes != 6<<30 {
		t.Errorf("VM 11 is %+v", vm)
	}
}

func TestInventory_pathsAndClusters(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{Hosts: 4, VMs: 24})
	c := connect(t, v)
	finder := find.NewFinder(c.Client)
	for _, want := range v.VMs() {
		vm, err := finder.VirtualMachine(t.Context(), want.Path)
		if err != nil || vm.Reference().Value != want.ID {
			t.Errorf("%s is %v, %v", want.Path, vm, err)
		}
	}
	clusters, err := finder.ClusterComputeResourceList(t.Context(), "/*/host/*")
	if err != nil || len(clusters) != 2 {
		t.Fatalf("%d clusters, %v", len(clusters), err)
	}
	total := 0
	for _, cluster := range clusters {
		list, err := view.NewManager(c.Client).
			CreateContainerView(t.Context(), cluster.Reference(), []string{"VirtualMachine"}, true)
		if err != nil {
			t.Fatal(err)
		}
		var content mo.ContainerView
		if err := list.Properties(t.Context(), list.Reference(), []string{"view"}, &content); err != nil {
			t.Fatal(err)
		}
		for _, ref := range content.View {
			i := slices.IndexFunc(v.VMs(), func(vm vcsim.VM) bool { return vm.ID == ref.Value })
			if i < 0 || v.VMs()[i].Cluster != cluster.Name() {
				t.Errorf("%s is not of %s", ref.Value, cluster.Name())
			}
		}
		total += len(content.View)
	}
	if total != 24 {
		t.Errorf("the clusters have %d VMs", total)
	}
}

// TestTags_throughGovmomi: govmomi's client, which shares no code with the lab's service, can use it.
func TestTags_throughGovmomi(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	c := connect(t, v)
	r := rest.NewClient(c.Client)
	if err := r.Login(t.Context(), url.UserPassword(v.User(), v.Password())); err != nil {
		t.Fatal(err)
	}
	m := tags.NewManager(r)
	category, err := m.CreateCategory(
		t.Context(),
		&tags.Category{Name: "sla", Cardinality: "SINGLE", AssociableTypes: []string{"VirtualMachine"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := m.CreateTag(t.Context(), &tags.Tag{Name: "gold", CategoryID: category})
	if err != nil {
		t.Fatal(err)
	}
	var refs []mo.Reference
	for _, vm := range v.VMs() {
		refs = append(refs, types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID})
	}
	if err := m.AttachTagToMultipleObjects(t.Context(), gold, refs); err != nil {
		t.Fatal(err)
	}
	if on, err := m.GetAttachedObjectsOnTags(
		t.Context(),
		[]string{gold},
	); err != nil || len(on[0].ObjectIDs) != len(refs) ||
		on[0].Tag.Name != "gold" {
		t.Errorf("got %+v, %v", on, err)
	}
	if err := m.DetachMultipleTagsFromObject(t.Context(), []string{gold}, refs[0]); err != nil {
		t.Error(err)
	}
	if err := v.DestroyVM(v.VMs()[1].ID); err != nil {
		t.Fatal(err)
	}
	if left, err := m.ListAttachedObjects(t.Context(), gold); err != nil || len(left) != len(refs)-2 {
		t.Errorf("%d objects carry the tag after one was detached and one destroyed: %v", len(left), err)
	}
	if err := v.DestroyVM(v.VMs()[1].ID); err == nil {
		t.Error("a VM was destroyed twice")
	}
	if restCount, soapCount := v.Sessions(); restCount != 1 || soapCount != 1 {
		t.Errorf("%d REST and %d SOAP sessions", restCount, soapCount)
	}
	v.ExpireSessions()
	if _, err := m.GetTag(t.Context(), gold); err == nil {
		t.Error("an expired session is taken")
	}
	if _, err := find.NewFinder(c.Client).DefaultDatacenter(t.Context()); err == nil {
		t.Error("an expired SOAP session is taken")
	}
}

// TestStatistics_throughGovmomi: govmomi's client can read the lab's series, in the format that is not CSV.
func TestStatistics_throughGovmomi(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: 12, StatisticsLevel: 2})
	m := performance.NewManager(connect(t, v).Client)
	ref := func(vm vcsim.VM) types.ManagedObjectReference {
		return types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID}
	}
	sample := func(vm vcsim.VM, counter, instance string, interval int32) *types.PerfEntityMetric {
		t.Helper()
		spec := types.PerfQuerySpec{IntervalId: interval, MaxSample: 30, MetricId: []types.PerfMetricId{{Instance: instance}}}
		list, err := m.SampleByName(t.Context(), spec, []string{counter}, []types.ManagedObjectReference{ref(vm)})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d VMs, %v", len(list), err)
		}
		series, ok := list[0].(*types.PerfEntityMetric)
		if !ok {
			t.Fatalf("got %T", list[0])
		}
		return series
	}
	// VM 3 (i = 2) has three disks and a reset in sample 7; SampleInfo is oldest first.
	third := v.VMs()[2]
	got := sample(third, "virtualDisk.write.average", "*", 20)
	if len(got.Value) != 3 || len(got.SampleInfo) != 30 ||
		!got.SampleInfo[0].Timestamp.Before(got.SampleInfo[1].Timestamp) {
		t.Fatalf("%d series of %d samples", len(got.Value), len(got.SampleInfo))
	}
	for j, value := range got.Value {
		series, ok := value.(*types.PerfMetricIntSeries)
		if !ok || series.Id.Instance != fmt.Sprintf("scsi0:%d", j) {
			t.Fatalf("disk %d is %+v", j, value)
		}
		// 100 * (1 + 2 mod 7) + 10 j + 0: the newest.
		if newest := series.Value[29]; newest != int64(300+10*j) || series.Value[29-7] != vcsim.Reset ||
			series.Value[29-5] != int64(8*(300+10*j+5)) {
			t.Errorf("disk %d: %v", j, series.Value)
		}
	}
	// The sum of the three: 300 + 310 + 320.
	if sum, ok := sample(third, "disk.write.average", "", 20).Value[0].(*types.PerfMetricIntSeries); !ok ||
		sum.Value[29] != 930 ||
		sum.Value[29-7] != vcsim.Reset {
		t.Errorf("the VM is %+v", sum)
	}
	if off := sample(v.VMs()[10], "virtualDisk.write.average", "*", 20); len(off.SampleInfo) != 0 {
		t.Errorf("a VM that is off has %d samples", len(off.SampleInfo))
	}
	if none := sample(third, "cpu.usage.average", "", 20); len(none.Value) != 0 {
		t.Errorf("a counter that the lab does not serve has %+v", none.Value)
	}
}

func TestStart_severalSites(t *testing.T) {
	t.Parallel()
	a, b := start(t, vcsim.Config{}), start(t, vcsim.Config{Site: 1, VMs: -1})
	if a.InstanceUUID() == b.InstanceUUID() || a.URL() == b.URL() || len(a.VMs()) != 8 || len(b.VMs()) != 0 {
		t.Errorf("%s %s, %d and %d VMs", a.InstanceUUID(), b.InstanceUUID(), len(a.VMs()), len(b.VMs()))
	}
	if _, err := vcsim.Start(t.Context(), vcsim.Config{Listen: "256.0.0.1:0"}); err == nil {
		t.Error("an impossible address is served")
	}
}

// TestStart_largestVCenter: the lab holds the 25,000 running VMs that a vCenter is published to support.
func TestStart_largestVCenter(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{Hosts: 32, VMs: 25000})
	ids, uuids, hosts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, vm := range v.VMs() {
		ids[vm.ID], uuids[vm.InstanceUUID], hosts[vm.HostID] = true, true, true
	}
	if len(v.VMs()) != 25000 || len(ids) != 25000 || len(uuids) != 25000 || len(hosts) != 32 {
		t.Errorf("%d VMs, %d ids, %d UUIDs, %d hosts", len(v.VMs()), len(ids), len(uuids), len(hosts))
	}
}
