// The result and its mapping from the inventory: bytes become GiB here and nowhere else.

package virtualmachines

import (
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
}

// vmTypes are the attributes of one VM in the result.
var vmTypes = map[string]attr.Type{
	"id": types.StringType, "name": types.StringType, "path": types.StringType, "instance_uuid": types.StringType,
	"power_state": types.StringType, "cpu_count": types.Int64Type, "memory_gib": types.Float64Type,
	"provisioned_gib": types.Float64Type, "used_gib": types.Float64Type, "disk_gib": types.Float64Type,
	"host_id": types.StringType, "datastore_ids": types.ListType{ElemType: types.StringType},
	"changed_block_tracking": types.BoolType,
	"tags":                   types.MapType{ElemType: types.ListType{ElemType: types.StringType}},
}

// withDisks reports whether device lists are read: the default where the VMs are listed.
func (m *model) withDisks() bool {
	if m.ReadDisks.IsNull() {
		return !m.SummaryOnly.ValueBool()
	}
	return m.ReadDisks.ValueBool()
}

// fill sets the result. Sums are taken in bytes, so that they do not depend on the order of the VMs.
func (m *model) fill(found vsphere.Inventory, tags map[string]map[string][]string) diag.Diagnostics {
	var diags diag.Diagnostics
	vms, withDisks := found.VMs, m.withDisks()
	ids := make([]string, 0, len(vms))
	var memory, provisioned, used, disk int64
	for _, vm := range vms {
		ids = append(ids, vm.ID)
		memory += vm.MemoryBytes
		provisioned += vm.ProvisionedBytes
		used += vm.UsedBytes
		disk += vm.DiskBytes
	}
	m.IDs = stringset.List(ids)
	m.VirtualMachines = types.MapNull(types.ObjectType{AttrTypes: vmTypes})
	if !m.SummaryOnly.ValueBool() {
		values := make(map[string]attr.Value, len(vms))
		for _, vm := range vms {
			value, d := types.ObjectValue(vmTypes, vmValue(vm, tags[vm.ID], withDisks))
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
	m.MeanUsedGiB = types.Float64Value(0)
	if len(vms) > 0 {
		m.MeanUsedGiB = types.Float64Value((quantity.Size(used) / quantity.Size(len(vms))).GiB())
	}
	return diags
}

func vmValue(vm vsphere.VirtualMachine, tags map[string][]string, withDisks bool) map[string]attr.Value {
	lists := make(map[string]attr.Value, len(tags))
	for category, names := range tags {
		lists[category] = stringset.List(names)
	}
	disk := types.Float64Null()
	if withDisks {
		disk = gib(vm.DiskBytes)
	}
	return map[string]attr.Value{
		"id": types.StringValue(vm.ID), "name": types.StringValue(vm.Name), "path": types.StringValue(vm.Path),
		"instance_uuid": types.StringValue(vm.InstanceUUID), "power_state": types.StringValue(vm.PowerState),
		"cpu_count": types.Int64Value(int64(vm.CPUCount)), "memory_gib": gib(vm.MemoryBytes),
		"provisioned_gib": gib(vm.ProvisionedBytes), "used_gib": gib(vm.UsedBytes), "disk_gib": disk,
		"host_id": types.StringValue(vm.HostID), "datastore_ids": stringset.List(vm.DatastoreIDs),
		"changed_block_tracking": types.BoolValue(vm.ChangedBlockTracking),
		"tags":                   types.MapValueMust(types.ListType{ElemType: types.StringType}, lists),
	}
}

func idsOf(vms []vsphere.VMReference) types.List {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	return stringset.List(ids)
}

func gib(bytes int64) types.Float64 { return types.Float64Value(quantity.Size(bytes).GiB()) }
