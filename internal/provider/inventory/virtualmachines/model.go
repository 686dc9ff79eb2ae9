package virtualmachines

import (
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	matchAll = "all"
	matchAny = "any"
)

type model struct {
	VMIDs      types.List   `tfsdk:"vm_ids"`
	TagIDs     types.List   `tfsdk:"tag_ids"`
	TagMatch   types.String `tfsdk:"tag_match"`
	Folder     types.String `tfsdk:"folder"`
	Cluster    types.String `tfsdk:"cluster"`
	NameRegex  types.String `tfsdk:"name_regex"`
	PowerState types.String `tfsdk:"power_state"`
	ReadDisks  types.Bool   `tfsdk:"read_disks"`
	ReadUse    types.Bool   `tfsdk:"read_disk_use"`
	// SummaryOnly omits VirtualMachines.
	SummaryOnly types.Bool `tfsdk:"summary_only"`

	IDs                 types.List    `tfsdk:"ids"`
	VirtualMachines     vmMap         `tfsdk:"virtual_machines"`
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

// withDisks reports whether device lists are read, which is the default unless summary_only is set.
func (m *model) withDisks() bool {
	if m.ReadDisks.IsNull() {
		return m.withUse() || !m.SummaryOnly.ValueBool()
	}
	return m.ReadDisks.ValueBool()
}

// withUse reports whether disk usage is read.
func (m *model) withUse() bool { return m.ReadUse.ValueBool() }

// fill sets the result. It sums bytes instead of GiB, so that totals do not depend on the order of the VMs.
func (m *model) fill(found vsphere.Inventory, tags map[string]map[string][]string) {
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
	m.VirtualMachines = newVMMap(nil)
	if !m.SummaryOnly.ValueBool() {
		values := make(map[string]tftypes.Value, len(vms))
		for _, vm := range vms {
			values[vm.ID] = m.vmValue(vm, tags[vm.ID])
		}
		m.VirtualMachines = newVMMap(values)
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
}

// mean returns the sum per VM, or 0 without VMs.
func mean(bytes int64, vms int) types.Float64 {
	return types.Float64Value((quantity.Size(bytes) / quantity.Size(max(1, vms))).GiB())
}

func idsOf(vms []vsphere.VMReference) types.List {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	return stringset.List(ids)
}

func gib(bytes int64) types.Float64 { return types.Float64Value(quantity.Size(bytes).GiB()) }
