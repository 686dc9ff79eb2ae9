package vcsim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/sts/simulator" // registers the STS
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

var unreachable = []string{"disconnected", "inaccessible", "orphaned", "invalid"}

// populate replaces the model's VMs with copies and adds templates and inaccessible VMs. It copies a VM because
// creating one in the simulator takes 42 ms.
func (v *VCenter) populate(count, templates, inaccessible int) error {
	ctx := v.model.Service.Context
	protos := vmsOf(ctx)
	if len(protos) == 0 {
		return errors.New("the model has no VM to copy")
	}
	proto := protos[0]
	dc, ok := ctx.Map.Any("Datacenter").(*simulator.Datacenter)
	if !ok {
		return errors.New("the model has no datacenter")
	}
	root, ok := ctx.Map.Get(dc.VmFolder).(*simulator.Folder)
	if !ok {
		return errors.New("the model has no VM folder")
	}
	parents := make(map[string]*simulator.Folder)
	for _, name := range folders {
		root.CreateFolder(ctx, &types.CreateFolder{This: root.Self, Name: name})
		folder, ok := ctx.Map.FindByName(name, root.ChildEntity).(*simulator.Folder)
		if !ok {
			return fmt.Errorf("cannot create folder %q", name)
		}
		parents["/DC0/vm/"+name] = folder
	}
	hosts := all[*simulator.HostSystem](ctx, "HostSystem")
	// Sort the hosts, because the registry is unordered but the lab must be deterministic.
	slices.SortFunc(hosts, func(a, b *simulator.HostSystem) int { return strings.Compare(a.Name, b.Name) })
	for i := range count + templates + inaccessible {
		truth := vmAt(i)
		switch {
		case i >= count+templates:
			truth.ConnectionState = unreachable[(i-count-templates)%len(unreachable)]
		case i >= count:
			truth.Template = true
			truth.PowerState = "poweredOff"
		}
		host := hosts[i%len(hosts)]
		vm, err := v.add(ctx, proto, truth, parents[truth.Folder], host)
		if err != nil {
			return err
		}
		truth.ID = vm.Self.Value
		truth.HostID = host.Self.Value
		if cluster, ok := ctx.Map.Get(*host.Parent).(mo.Entity); ok {
			truth.Cluster = cluster.Entity().Name
		}
		for _, ds := range vm.Datastore {
			truth.DatastoreIDs = append(truth.DatastoreIDs, ds.Value)
		}
		v.vms = append(v.vms, truth)
	}
	for _, p := range protos {
		v.remove(p)
	}
	return nil
}

// all returns the objects of a type in random order.
func all[T mo.Entity](ctx *simulator.Context, kind string) []T {
	var list []T
	for _, e := range ctx.Map.All(kind) {
		if object, ok := e.(T); ok {
			list = append(list, object)
		}
	}
	return list
}

func vmsOf(ctx *simulator.Context) []*simulator.VirtualMachine {
	return all[*simulator.VirtualMachine](ctx, "VirtualMachine")
}

// add adds a VM like truth to a folder and a host.
func (v *VCenter) add(
	ctx *simulator.Context,
	proto *simulator.VirtualMachine,
	truth VM,
	folder *simulator.Folder,
	host *simulator.HostSystem,
) (*simulator.VirtualMachine, error) {
	compute, ok := ctx.Map.Get(*host.Parent).(mo.Entity)
	if !ok {
		return nil, fmt.Errorf("host %s has no parent", host.Name)
	}
	pool, ok := ctx.Map.Get(poolOf(compute)).(*simulator.ResourcePool)
	if !ok {
		return nil, fmt.Errorf("host %s has no resource pool", host.Name)
	}
	vm := newVM(proto, truth)
	vm.Runtime.Host = &host.Self
	vm.Summary.Runtime = vm.Runtime
	vm.ResourcePool = &pool.Self
	ctx.Map.PutEntity(folder, vm)
	vm.Summary.Vm = &vm.Self
	folder.ChildEntity = append(folder.ChildEntity, vm.Self)
	pool.Vm = append(pool.Vm, vm.Self)
	host.Vm = append(host.Vm, vm.Self)
	return vm, nil
}

// newVM returns a copy of proto with the properties of truth, which is not part of the inventory yet.
func newVM(proto *simulator.VirtualMachine, truth VM) *simulator.VirtualMachine {
	vm := &simulator.VirtualMachine{VirtualMachine: proto.VirtualMachine}
	vm.Self = types.ManagedObjectReference{} // the registry assigns a new reference
	vm.Name = truth.Name
	vm.Datastore = slices.Clone(proto.Datastore)

	config := *proto.Config
	config.Name = truth.Name
	config.InstanceUuid = truth.InstanceUUID
	config.Uuid = truth.InstanceUUID
	config.Template = truth.Template
	config.ChangeTrackingEnabled = new(truth.ChangedBlockTracking)
	config.Hardware.NumCPU = truth.CPUCount
	config.Hardware.MemoryMB = int32(truth.MemoryBytes / mib) //nolint:gosec // at most 16,384, see vmAt
	config.Hardware.Device = devices(proto, truth)
	config.Files.VmPathName = strings.Replace(proto.Config.Files.VmPathName, proto.Name, truth.Name, 2)
	vm.Config = &config
	vm.LayoutEx = layout(truth)
	if truth.ConnectionState != "connected" && truth.ConnectionState != "disconnected" {
		vm.Config = nil // its configuration file cannot be read
	}

	vm.Runtime.PowerState = types.VirtualMachinePowerState(truth.PowerState)
	vm.Runtime.ConnectionState = types.VirtualMachineConnectionState(truth.ConnectionState)
	vm.Summary.Config.Name = truth.Name
	vm.Summary.Config.InstanceUuid = truth.InstanceUUID
	vm.Summary.Config.Uuid = truth.InstanceUUID
	vm.Summary.Config.Template = truth.Template
	vm.Summary.Config.NumCpu = truth.CPUCount
	vm.Summary.Config.MemorySizeMB = config.Hardware.MemoryMB
	vm.Summary.Config.NumVirtualDisks = int32(len(truth.Disks)) //nolint:gosec // at most three
	vm.Summary.Storage = &types.VirtualMachineStorageSummary{
		Committed:   truth.UsedBytes + truth.swap(),
		Uncommitted: truth.ProvisionedBytes - truth.UsedBytes - truth.swap(),
		Unshared:    truth.UsedBytes,
	}
	return vm
}

func poolOf(compute mo.Entity) types.ManagedObjectReference {
	switch c := compute.(type) {
	case *simulator.ClusterComputeResource:
		return *c.ResourcePool
	case *mo.ComputeResource:
		return *c.ResourcePool
	}
	return types.ManagedObjectReference{}
}

func devices(proto *simulator.VirtualMachine, truth VM) []types.BaseVirtualDevice {
	var list []types.BaseVirtualDevice
	var like *types.VirtualDisk
	for _, device := range proto.Config.Hardware.Device {
		if disk, ok := device.(*types.VirtualDisk); ok {
			like = disk
			continue
		}
		list = append(list, device)
	}
	for i, capacity := range truth.Disks {
		disk := types.VirtualDisk{}
		if like != nil {
			disk = *like
		}
		if like, ok := disk.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok {
			backing := *like
			backing.FileName = fmt.Sprintf("[LocalDS_0] %s/disk%d.vmdk", truth.Name, i+1)
			disk.Backing = &backing
		}
		disk.DeviceInfo = &types.Description{Label: fmt.Sprintf("Hard disk %d", i+1)}
		disk.Key = int32(firstDisk + i)
		disk.CapacityInBytes = capacity
		disk.CapacityInKB = capacity >> 10
		list = append(list, &disk)
	}
	return list
}

func (v *VCenter) remove(vm *simulator.VirtualMachine) {
	ctx := v.model.Service.Context
	without := func(list *[]types.ManagedObjectReference) {
		*list = slices.DeleteFunc(
			slices.Clone(*list),
			func(ref types.ManagedObjectReference) bool { return ref == vm.Self },
		)
	}
	for _, ref := range []*types.ManagedObjectReference{vm.Parent, vm.ResourcePool, vm.Runtime.Host} {
		if ref == nil {
			continue
		}
		switch holder := ctx.Map.Get(*ref).(type) {
		case *simulator.Folder:
			ctx.WithLock(holder, func() { without(&holder.ChildEntity) })
		case *simulator.ResourcePool:
			ctx.WithLock(holder, func() { without(&holder.Vm) })
		case *simulator.HostSystem:
			ctx.WithLock(holder, func() { without(&holder.Vm) })
		}
	}
	ctx.Map.Remove(ctx, vm.Self)
}
