package inventoryfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
)

type model struct {
	Path                types.String `tfsdk:"path"`
	Format              types.String `tfsdk:"format"`
	Columns             types.Map    `tfsdk:"columns"`
	NameRegex           types.String `tfsdk:"name_regex"`
	PowerState          types.String `tfsdk:"power_state"`
	Cluster             types.String `tfsdk:"cluster"`
	Datacenter          types.String `tfsdk:"datacenter"`
	Folder              types.String `tfsdk:"folder"`
	ExcludeTemplates    types.Bool   `tfsdk:"exclude_templates"`
	ExcludePlaceholders types.Bool   `tfsdk:"exclude_placeholders"`
	AllowDuplicateNames types.Bool   `tfsdk:"allow_duplicate_names"`

	IDs                 types.List    `tfsdk:"ids"`
	VirtualMachines     types.Map     `tfsdk:"virtual_machines"`
	Templates           types.List    `tfsdk:"templates"`
	Inaccessible        types.List    `tfsdk:"inaccessible"`
	Skipped             types.List    `tfsdk:"skipped"`
	VMCount             types.Int64   `tfsdk:"vm_count"`
	SHA256              types.String  `tfsdk:"sha256"`
	TotalMemoryGiB      types.Float64 `tfsdk:"total_memory_gib"`
	TotalProvisionedGiB types.Float64 `tfsdk:"total_provisioned_gib"`
	TotalUsedGiB        types.Float64 `tfsdk:"total_used_gib"`
	TotalDiskGiB        types.Float64 `tfsdk:"total_disk_gib"`
	TotalGuestUsedGiB   types.Float64 `tfsdk:"total_guest_used_gib"`
	MeanUsedGiB         types.Float64 `tfsdk:"mean_used_gib"`
}

// vmTypes maps the attributes of a VM to their types. It contains the attributes of vsla_virtual_machines and
// additional ones that only files provide.
var vmTypes = map[string]attr.Type{
	"id":                     types.StringType,
	"name":                   types.StringType,
	"path":                   types.StringType,
	"instance_uuid":          types.StringType,
	"power_state":            types.StringType,
	"cpu_count":              types.Int64Type,
	"memory_gib":             types.Float64Type,
	"provisioned_gib":        types.Float64Type,
	"used_gib":               types.Float64Type,
	"disk_gib":               types.Float64Type,
	"host_id":                types.StringType,
	"datastore_ids":          types.ListType{ElemType: types.StringType},
	"changed_block_tracking": types.BoolType,
	"tags":                   types.MapType{ElemType: types.ListType{ElemType: types.StringType}},
	"datacenter":             types.StringType,
	"cluster":                types.StringType,
	"host":                   types.StringType,
	"folder":                 types.StringType,
	"guest_used_gib":         types.Float64Type,
	"bios_uuid":              types.StringType,
	"replication_blockers":   types.ListType{ElemType: types.StringType},
}

var skippedTypes = map[string]attr.Type{
	"sheet":  types.StringType,
	"row":    types.Int64Type,
	"id":     types.StringType,
	"name":   types.StringType,
	"reason": types.StringType,
}

func (m *model) fill(found inventoryfile.Inventory) diag.Diagnostics {
	ids := make([]string, 0, len(found.VMs))
	values := make(map[string]attr.Value, len(found.VMs))
	for _, vm := range found.VMs {
		ids = append(ids, vm.Key)
		values[vm.Key] = types.ObjectValueMust(vmTypes, vmValue(vm))
	}
	m.IDs = stringset.ListValue(ids)
	all, diags := types.MapValue(types.ObjectType{AttrTypes: vmTypes}, values)
	m.VirtualMachines = all
	m.fillSkipped(found.Skipped)
	m.VMCount = types.Int64Value(int64(len(found.VMs)))
	m.TotalMemoryGiB = gibOrNull(found.MemoryBytes)
	m.TotalProvisionedGiB = gibOrNull(found.ProvisionedBytes)
	m.TotalUsedGiB = gibOrNull(found.UsedBytes)
	m.TotalDiskGiB = gibOrNull(found.DiskBytes)
	m.TotalGuestUsedGiB = gibOrNull(found.GuestUsedBytes)
	m.MeanUsedGiB = gibOrNull(found.MeanUsedBytes())
	return diags
}

func (m *model) fillSkipped(skipped []inventoryfile.Skipped) {
	rows := make([]attr.Value, 0, len(skipped))
	idsByReason := map[string][]string{}
	for _, s := range skipped {
		rows = append(rows, types.ObjectValueMust(skippedTypes, map[string]attr.Value{
			"sheet":  types.StringValue(s.Sheet),
			"row":    types.Int64Value(int64(s.Row)),
			"id":     attribute.OrNull(s.ID),
			"name":   types.StringValue(s.Name),
			"reason": types.StringValue(s.Reason),
		}))
		id := s.ID
		if id == "" {
			id = s.Name
		}
		idsByReason[s.Reason] = append(idsByReason[s.Reason], id)
	}
	m.Skipped = types.ListValueMust(types.ObjectType{AttrTypes: skippedTypes}, rows)
	m.Templates = sortedListValue(idsByReason[inventoryfile.SkippedTemplate])
	m.Inaccessible = sortedListValue(idsByReason[inventoryfile.SkippedInaccessible])
}

func sortedListValue(ids []string) types.List {
	slices.Sort(ids)
	return stringset.ListValue(slices.Compact(ids))
}

func vmValue(vm inventoryfile.VM) map[string]attr.Value {
	vmPath := ""
	if vm.Folder != "" {
		vmPath = strings.TrimSuffix(vm.Folder, "/") + "/" + vm.Name
	}
	return map[string]attr.Value{
		"id":                     types.StringValue(vm.Key),
		"name":                   types.StringValue(vm.Name),
		"path":                   types.StringValue(vmPath),
		"instance_uuid":          types.StringValue(vm.InstanceUUID),
		"power_state":            types.StringValue(vm.PowerState),
		"cpu_count":              types.Int64PointerValue(vm.CPUCount),
		"memory_gib":             gibOrNull(vm.MemoryBytes),
		"provisioned_gib":        gibOrNull(vm.ProvisionedBytes),
		"used_gib":               gibOrNull(vm.UsedBytes),
		"disk_gib":               gibOrNull(vm.DiskBytes),
		"host_id":                types.StringNull(),
		"datastore_ids":          types.ListNull(types.StringType),
		"changed_block_tracking": types.BoolPointerValue(vm.Tracking),
		"tags":                   types.MapNull(types.ListType{ElemType: types.StringType}),
		"datacenter":             attribute.OrNull(vm.Datacenter),
		"cluster":                attribute.OrNull(vm.Cluster),
		"host":                   attribute.OrNull(vm.Host),
		"folder":                 attribute.OrNull(vm.Folder),
		"guest_used_gib":         gibOrNull(vm.GuestUsedBytes),
		"bios_uuid":              attribute.OrNull(vm.UUID),
		"replication_blockers":   stringset.ListValue(vm.Blockers),
	}
}

func gibOrNull(bytes *int64) types.Float64 {
	if bytes == nil {
		return types.Float64Null()
	}
	return types.Float64Value(quantity.Size(*bytes).GiB())
}

// warn adds a warning for the VMs that a plan cannot include, and for what is unusual in the file.
func (m *model) warn(found inventoryfile.Inventory, diags *diag.Diagnostics) {
	named := func(reason string) []inventoryfile.Skipped {
		isOther := func(s inventoryfile.Skipped) bool { return s.Reason != reason }
		return slices.DeleteFunc(slices.Clone(found.Skipped), isOther)
	}
	names := func(skipped []inventoryfile.Skipped) string {
		return quantity.ListOf(skipped, maxNames, func(s inventoryfile.Skipped) string {
			return fmt.Sprintf("%s (row %d)", s.Name, s.Row)
		})
	}
	if excluded := named(inventoryfile.SkippedInaccessible); len(excluded) > 0 {
		diags.AddWarning("VMs Excluded", "These VMs were inaccessible when the file was exported: "+names(excluded)+
			". They are excluded from ids, virtual_machines and the totals. The attribute skipped lists all of them.")
	}
	if unsized := named(inventoryfile.SkippedNoSize); len(unsized) > 0 {
		diags.AddWarning("VMs Without Size", "The file does not contain the used storage of these VMs, or it is 0: "+
			names(unsized)+". Their used_gib is null, so a promise that uses it is unknown.")
	}
	notes := slices.Clone(found.Notes)
	for _, cell := range found.Unknown[:min(len(found.Unknown), maxNames)] {
		notes = append(notes, cell.Error()+". The value is null.")
	}
	if more := len(found.Unknown) - maxNames; more > 0 {
		notes = append(notes, fmt.Sprintf("%d more values are null because they cannot be true.", more))
	}
	if len(notes) > 0 {
		diags.AddAttributeWarning(path.Root("path"), "Inventory File Is Unusual",
			m.Path.ValueString()+":\n\n- "+strings.Join(notes, "\n- "))
	}
}

// maxNames is the number of names in a warning.
const maxNames = 10
