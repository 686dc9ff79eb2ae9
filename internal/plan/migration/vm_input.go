package migration

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
)

// PutVM sets an input of a VM, by name, or resets it if the value is nil. It ignores a name that is no input. The error
// is a plan.InputErrors.
func PutVM(v *VM, name string, value any) error {
	i := slices.IndexFunc(vmInputs, func(row calculator.Input[VM]) bool { return row.Name == name })
	if i < 0 {
		return nil
	}
	return vmInputs[i].Put(v, &VM{}, value)
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Required("memory_gib", RangePlanMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(v *VM) *float64 { return &v.MemoryGiB }).Better(calculator.Lower),
	calculator.Absent("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"Rate at which the guest dirties memory, in Mbit/s (10^6 bit/s). Dirty memory is sent again. "+unknownDirtyDoc,
		func(v *VM) **float64 { return &v.MemoryDirtyMbps }).Better(calculator.Lower),
	calculator.Optional("disk_gib", RangeDiskGiB,
		"Amount of disk data to move, in GiB. With the method `vmotion`, a value above 0 means that the storage is "+
			"migrated as well.",
		func(v *VM) *float64 { return &v.DiskGiB }).Better(calculator.Lower),
	calculator.Choice("host", false, nil,
		"Current host. VMs without a host share one vMotion network adapter.",
		func(v *VM) *string { return &v.Host }).Either("it limits the concurrent migrations"),
	calculator.Choice("target_host", false, nil, "Target host. It has the same number of slots as the current host.",
		func(v *VM) *string { return &v.TargetHost }).Either("it limits the concurrent migrations"),
	calculator.Choice("datastore", false, nil,
		"Current datastore. By default, a datastore has slots for 8 vMotions that also move storage, or for 128 that "+
			"do not.",
		func(v *VM) *string { return &v.Datastore }).Either("it limits the concurrent migrations"),
	calculator.Choice("target_datastore", false, nil, "Target datastore. It has the same number of slots as the "+
		"current datastore.",
		func(v *VM) *string { return &v.TargetDatastore }).Either("it limits the concurrent migrations"),
	calculator.Choice("method", false, methods,
		"Migration method. `vmotion` moves the VM while it runs. `cold` copies the disks of a powered-off VM and "+
			"takes slots of hosts only. `replication` copies the disks while the VM runs, takes no slots, also runs "+
			"outside of windows, and switches the VM over in a window. Defaults to `cold` if `powered_off` is true, "+
			"otherwise to the method of `profile`, or to `vmotion`.",
		func(v *VM) *string { return &v.Method },
	).Either("a name"),
	calculator.Choice("transport", false, []string{TransportNFC, TransportUDT},
		"Protocol that copies the VM with the method `cold`. Defaults to `cold_transport`.",
		func(v *VM) *string { return &v.Transport }).Either("a name"),
	calculator.Switch("powered_off",
		"Whether the VM is powered off. A powered-off VM is migrated with the method `cold`, and its downtime is not "+
			"evaluated.",
		func(v *VM) *bool { return &v.PoweredOff }).Either("the VM has no downtime, but is migrated cold"),
	calculator.Optional("switchover_minutes", RangeSwitchover,
		"Additional downtime of a VM with the method `cold` or `replication` after its data has arrived, in minutes.",
		func(v *VM) *float64 { return &v.SwitchoverMinutes }).Better(calculator.Lower),
	calculator.Absent("max_downtime_minutes", RangeDowntime,
		"Promised maximum downtime of the VM, in minutes. Defaults to `max_downtime_minutes` of the plan.",
		func(v *VM) **float64 { return &v.MaxDowntimeMinutes }).Better(calculator.Higher),
	calculator.Absent(
		"daily_change_percent",
		RangeDailyChange,
		"Change of the disks per day for a VM with the method `replication`, in percent. Changes are sent during the "+
			"copy and until the switchover. If not set, changes and the downtime of the VM are unknown.",
		func(v *VM) **float64 { return &v.DailyChangePercent },
	).Better(calculator.Lower),
	calculator.Choice("move_group", false, nil, "Name of the move group. All VMs of a move group start together, in "+
		"one wave.",
		func(v *VM) *string { return &v.MoveGroup }).Either("VMs that start together share the link"),
}

var methods = []string{MethodVMotion, MethodCold, MethodReplication}
