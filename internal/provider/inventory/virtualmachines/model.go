// The result and its mapping from the inventory: bytes become GiB here and nowhere else.

package virtualmachines

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	matchAll = "all"
	matchAny = "any"
)

type model struct {
	TagIDs     types.List   `tfsdk:"tag_ids"`
	TagMatch   types.String `tfsdk:"tag_match"`
	Folder     types.String `tfsdk:"folder"`
	Cluster    types.String `tfsdk:"cluster"`
	NameRegex  types.String `tfsdk:"name_regex"`
	PowerState types.String `tfsdk:"power_state"`
	ReadDisks  types.Bool   `tfsdk:"read_disks"`
	ReadUse    types.Bool   `tfsdk:"read_disk_use"`
	// SummaryOnly leaves VirtualMachines out.
	SummaryOnly types.Bool `tfsdk:"summary_only"`

	IDs                 types.List    `tfsdk:"ids"`
	VirtualMachines     types.Map     `tfsdk:"virtual_machines"`
	Templates           types.List    `tfsdk:"templates"`
	Inaccessible        types.List    `tfsdk:"inaccessible"`
	VMCount             types.Int64   `tfsdk:"vm_count"`
	TotalMemoryGiB      types.Float64 `tfsdk:"total_memory_gib"`
	TotalProvisionedGiB types.Float64 `tfsdk:"total_provisioned_gib"`
	TotalUsedGiB        types.Float64 `tfsdk:"total_used_gib"`
	TotalDiskGiB        types.Float64 `tfsdk:"total_disk_gib"`
	MeanUsedGiB         types.Float64 `tfsdk:"mean_used_gib"`
	TotalReplicatedGiB  types.Float64 `tfsdk:"total_replicated_used_gib"`
	MeanReplicatedGiB   types.Float64 `tfsdk:"mean_replicated_used_gib"`
}

// diskTypes are the attributes of one disk.
var diskTypes = map[string]attr.Type{
	"label": types.StringType, "capacity_gib": types.Float64Type, "used_gib": types.Float64Type,
	"excluded_from_replication": types.BoolType,
}

// vmTypes are the attributes of one VM in the result.
var vmTypes = map[string]attr.Type{
	"id": types.StringType, "name": types.StringType, "path": types.StringType, "instance_uuid": types.StringType,
	"power_state": types.StringType, "cpu_count": types.Int64Type, "memory_gib": types.Float64Type,
	"provisioned_gib": types.Float64Type, "used_gib": types.Float64Type, "disk_gib": types.Float64Type,
	"host_id": types.StringType, "datastore_ids": types.ListType{ElemType: types.StringType},
	"changed_block_tracking": types.BoolType,
	"tags":                   types.MapType{ElemType: types.ListType{ElemType: types.StringType}},
	"replicated_used_gib":    types.Float64Type,
	"disks":                  types.MapType{ElemType: types.ObjectType{AttrTypes: diskTypes}},
}

// withDisks reports whether device lists are read: the default where the VMs are listed.
func (m *model) withDisks() bool {
	if m.ReadDisks.IsNull() {
		return m.withUse() || !m.SummaryOnly.ValueBool()
	}
	return m.ReadDisks.ValueBool()
}

// withUse reports whether the files of the disks are read.
func (m *model) withUse() bool { return m.ReadUse.ValueBool() }

// fill sets the result. Sums are taken in bytes, so that they do not depend on the order of the VMs.
func (m *model) fill(found vsphere.Inventory, tags map[string]map[string][]string) diag.Diagnostics {
	var diags diag.Diagnostics
	vms, withDisks := found.VMs, m.withDisks()
	ids := make([]string, 0, len(vms))
	var memory, provisioned, used, disk, replicated int64
	for _, vm := range vms {
		ids = append(ids, vm.ID)
		memory += vm.MemoryBytes
		provisioned += vm.ProvisionedBytes
		used += vm.UsedBytes
		disk += vm.DiskBytes
		replicated += vm.ReplicatedBytes()
	}
	m.IDs = stringset.List(ids)
	m.VirtualMachines = types.MapNull(types.ObjectType{AttrTypes: vmTypes})
	if !m.SummaryOnly.ValueBool() {
		values := make(map[string]attr.Value, len(vms))
		for _, vm := range vms {
			value, d := types.ObjectValue(vmTypes, m.vmValue(vm, tags[vm.ID]))
			diags.Append(d...)
			values[vm.ID] = value
		}
		var d diag.Diagnostics
		m.VirtualMachines, d = types.MapValue(types.ObjectType{AttrTypes: vmTypes}, values)
		diags.Append(d...)
	}
	m.Templates, m.Inaccessible = idsOf(found.Templates), idsOf(found.Inaccessible)
	m.VMCount = types.Int64Value(int64(len(vms)))
	m.TotalMemoryGiB, m.TotalProvisionedGiB, m.TotalUsedGiB = gib(memory), gib(provisioned), gib(used)
	m.TotalDiskGiB = types.Float64Null()
	if withDisks {
		m.TotalDiskGiB = gib(disk)
	}
	m.MeanUsedGiB = mean(used, len(vms))
	m.TotalReplicatedGiB, m.MeanReplicatedGiB = types.Float64Null(), types.Float64Null()
	if m.withUse() {
		m.TotalReplicatedGiB, m.MeanReplicatedGiB = gib(replicated), mean(replicated, len(vms))
	}
	return diags
}

// mean returns a sum per VM; 0 without VMs.
func mean(bytes int64, vms int) types.Float64 {
	return types.Float64Value((quantity.Size(bytes) / quantity.Size(max(1, vms))).GiB())
}

func (m *model) vmValue(vm vsphere.VirtualMachine, tags map[string][]string) map[string]attr.Value {
	lists := make(map[string]attr.Value, len(tags))
	for category, names := range tags {
		lists[category] = stringset.List(names)
	}
	disk := types.Float64Null()
	if m.withDisks() {
		disk = gib(vm.DiskBytes)
	}
	replicated, disks := types.Float64Null(), types.MapNull(types.ObjectType{AttrTypes: diskTypes})
	if m.withUse() {
		replicated, disks = gib(vm.ReplicatedBytes()), disksValue(vm.Disks)
	}
	return map[string]attr.Value{
		"id": types.StringValue(vm.ID), "name": types.StringValue(vm.Name), "path": types.StringValue(vm.Path),
		"instance_uuid": types.StringValue(vm.InstanceUUID), "power_state": types.StringValue(vm.PowerState),
		"cpu_count": types.Int64Value(int64(vm.CPUCount)), "memory_gib": gib(vm.MemoryBytes),
		"provisioned_gib": gib(vm.ProvisionedBytes), "used_gib": gib(vm.UsedBytes), "disk_gib": disk,
		"host_id": types.StringValue(vm.HostID), "datastore_ids": stringset.List(vm.DatastoreIDs),
		"changed_block_tracking": types.BoolValue(vm.ChangedBlockTracking),
		"tags":                   types.MapValueMust(types.ListType{ElemType: types.StringType}, lists),
		"replicated_used_gib":    replicated, "disks": disks,
	}
}

// disksValue returns the disks by their device keys, as the argument disks of vsla_replication has them.
func disksValue(disks []vsphere.VMDisk) types.Map {
	values := make(map[string]attr.Value, len(disks))
	for _, d := range disks {
		used := types.Float64Null()
		if d.UsedKnown {
			used = gib(d.UsedBytes)
		}
		values[strconv.Itoa(int(d.Key))] = types.ObjectValueMust(diskTypes, map[string]attr.Value{
			"label": types.StringValue(d.Label), "capacity_gib": gib(d.CapacityBytes), "used_gib": used,
			"excluded_from_replication": types.BoolValue(d.Excluded),
		})
	}
	return types.MapValueMust(types.ObjectType{AttrTypes: diskTypes}, values)
}

func idsOf(vms []vsphere.VMReference) types.List {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	return stringset.List(ids)
}

func gib(bytes int64) types.Float64 { return types.Float64Value(quantity.Size(bytes).GiB()) }
