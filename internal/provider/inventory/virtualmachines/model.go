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
	VMIDs       types.List   `tfsdk:"vm_ids"`
	TagIDs      types.List   `tfsdk:"tag_ids"`
	TagMatch    types.String `tfsdk:"tag_match"`
	Folder      types.String `tfsdk:"folder"`
	Cluster     types.String `tfsdk:"cluster"`
	NameRegex   types.String `tfsdk:"name_regex"`
	PowerState  types.String `tfsdk:"power_state"`
	ReadDisks   types.Bool   `tfsdk:"read_disks"`
	ReadDiskUse types.Bool   `tfsdk:"read_disk_use"`
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

// readsDisks reports whether device lists are read. If read_disks is not set, they are read for read_disk_use and
// whenever summary_only is false.
func (m *model) readsDisks() bool {
	if m.ReadDisks.IsNull() {
		return m.readsDiskUse() || !m.SummaryOnly.ValueBool()
	}
	return m.ReadDisks.ValueBool()
}

func (m *model) readsDiskUse() bool { return m.ReadDiskUse.ValueBool() }

// fill sets the result. Totals are summed in bytes instead of GiB, so that they do not depend on the order of the VMs.
func (m *model) fill(found vsphere.Inventory, tags map[string]map[string][]string) {
	vms := found.VMs
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
	m.IDs = stringset.ListValue(ids)
	m.VirtualMachines = newVMMap(nil)
	if !m.SummaryOnly.ValueBool() {
		values := make(map[string]tftypes.Value, len(vms))
		for _, vm := range vms {
			values[vm.ID] = m.vmValue(vm, tags[vm.ID])
		}
		m.VirtualMachines = newVMMap(values)
	}
	m.Templates = idsOf(found.Templates)
	m.Inaccessible = idsOf(found.Inaccessible)
	m.VMCount = types.Int64Value(int64(len(vms)))
	m.TotalMemoryGiB = gib(memory)
	m.TotalProvisionedGiB = gib(provisioned)
	m.TotalUsedGiB = gib(used)
	m.TotalDiskGiB = types.Float64Null()
	if m.readsDisks() {
		m.TotalDiskGiB = gib(disk)
	}
	m.MeanUsedGiB = mean(used, len(vms))
	m.TotalReplicatedGiB = types.Float64Null()
	m.MeanReplicatedGiB = types.Float64Null()
	if m.readsDiskUse() {
		m.TotalReplicatedGiB = gib(replicated)
		m.MeanReplicatedGiB = mean(replicated, len(vms))
	}
}

// mean returns the mean per VM, or 0 if there are no VMs.
func mean(bytes int64, vms int) types.Float64 {
	return types.Float64Value((quantity.Size(bytes) / quantity.Size(max(1, vms))).GiB())
}

func idsOf(vms []vsphere.VMReference) types.List {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	return stringset.ListValue(ids)
}

func gib(bytes int64) types.Float64 { return types.Float64Value(quantity.Size(bytes).GiB()) }
