package virtualmachines

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

var diskTypes = map[string]attr.Type{
	"label":                     types.StringType,
	"capacity_gib":              types.Float64Type,
	"used_gib":                  types.Float64Type,
	"excluded_from_replication": types.BoolType,
}

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
	"replicated_used_gib":    types.Float64Type,
	"disks":                  types.MapType{ElemType: types.ObjectType{AttrTypes: diskTypes}},
}

type vmMapType struct{ types.MapType }

var _ basetypes.MapTypable = vmMapType{}

func newVMMapType() vmMapType {
	return vmMapType{types.MapType{ElemType: types.ObjectType{AttrTypes: vmTypes}}}
}

// Equal reports whether other is a vmMapType.
func (vmMapType) Equal(other attr.Type) bool {
	_, same := other.(vmMapType)
	return same
}

// ValueType returns the value type.
func (vmMapType) ValueType(context.Context) attr.Value { return vmMap{} }

// ValueFromTerraform wraps a value without copying it.
func (vmMapType) ValueFromTerraform(_ context.Context, raw tftypes.Value) (attr.Value, error) {
	return vmMap{raw}, nil
}

// ValueFromMap converts a framework map.
func (vmMapType) ValueFromMap(ctx context.Context, m basetypes.MapValue) (basetypes.MapValuable, diag.Diagnostics) {
	var diags diag.Diagnostics
	raw, err := m.ToTerraformValue(ctx)
	if err != nil {
		diags.AddError("Unable to Convert Map of VMs", err.Error())
	}
	return vmMap{raw}, diags
}

// vmMap is the value of virtual_machines. It wraps the Terraform value to avoid copies.
type vmMap struct{ raw tftypes.Value }

var _ basetypes.MapValuable = vmMap{}

// Types that all VMs share, computed once.
var (
	vmMapTerraformType = newVMMapType().TerraformType(context.Background())
	vmTerraformType    = types.ObjectType{AttrTypes: vmTypes}.TerraformType(context.Background())
	diskTerraformType  = types.ObjectType{AttrTypes: diskTypes}.TerraformType(context.Background())
	stringListType     = tftypes.List{ElementType: tftypes.String}
)

func newVMMap(elements map[string]tftypes.Value) vmMap {
	if elements == nil {
		return vmMap{tftypes.NewValue(vmMapTerraformType, nil)}
	}
	return vmMap{tftypes.NewValue(vmMapTerraformType, elements)}
}

// Type returns the type.
func (vmMap) Type(context.Context) attr.Type { return newVMMapType() }

// ToTerraformValue returns the wrapped value without copying it.
func (v vmMap) ToTerraformValue(context.Context) (tftypes.Value, error) { return v.raw, nil }

// Equal reports whether both values contain the same VMs.
func (v vmMap) Equal(other attr.Value) bool {
	o, same := other.(vmMap)
	return same && v.raw.Equal(o.raw)
}

// IsNull reports whether the value is null.
func (v vmMap) IsNull() bool { return v.raw.IsNull() }

// IsUnknown reports whether the value is unknown.
func (v vmMap) IsUnknown() bool { return !v.raw.IsKnown() }

// String formats the value for messages.
func (v vmMap) String() string { return fmt.Sprintf("virtual_machines: %s", v.raw) }

// ToMapValue converts the value to a framework map.
func (v vmMap) ToMapValue(ctx context.Context) (basetypes.MapValue, diag.Diagnostics) {
	var diags diag.Diagnostics
	value, err := newVMMapType().MapType.ValueFromTerraform(ctx, v.raw)
	if err != nil {
		diags.AddError("Unable to Convert Map of VMs", err.Error())
		return types.MapUnknown(newVMMapType().ElemType), diags
	}
	m, isMap := value.(basetypes.MapValue)
	if !isMap {
		diags.AddError("Unable to Convert Map of VMs",
			fmt.Sprintf("The framework returned a value of the type %T instead of a map.", value))
	}
	return m, diags
}

func (m *model) vmValue(vm vsphere.VirtualMachine, tags map[string][]string) tftypes.Value {
	tagValues := make(map[string]tftypes.Value, len(tags))
	for category, names := range tags {
		tagValues[category] = stringListValue(names)
	}
	disk := nullValue(tftypes.Number)
	if m.readsDisks() {
		disk = gibValue(vm.DiskBytes)
	}
	replicated := nullValue(tftypes.Number)
	disks := nullValue(tftypes.Map{ElementType: diskTerraformType})
	if m.readsDiskUse() {
		replicated = gibValue(vm.ReplicatedBytes())
		disks = disksValue(vm.Disks)
	}
	return tftypes.NewValue(vmTerraformType, map[string]tftypes.Value{
		"id":                     stringValue(vm.ID),
		"name":                   stringValue(vm.Name),
		"path":                   stringValue(vm.Path),
		"instance_uuid":          stringValue(vm.InstanceUUID),
		"power_state":            stringValue(vm.PowerState),
		"cpu_count":              tftypes.NewValue(tftypes.Number, int64(vm.CPUCount)),
		"memory_gib":             gibValue(vm.MemoryBytes),
		"provisioned_gib":        gibValue(vm.ProvisionedBytes),
		"used_gib":               gibValue(vm.UsedBytes),
		"disk_gib":               disk,
		"host_id":                stringValue(vm.HostID),
		"datastore_ids":          stringListValue(vm.DatastoreIDs),
		"changed_block_tracking": tftypes.NewValue(tftypes.Bool, vm.ChangedBlockTracking),
		"tags":                   tftypes.NewValue(tftypes.Map{ElementType: stringListType}, tagValues),
		"replicated_used_gib":    replicated,
		"disks":                  disks,
	})
}

func disksValue(disks []vsphere.VMDisk) tftypes.Value {
	values := make(map[string]tftypes.Value, len(disks))
	for _, d := range disks {
		used := nullValue(tftypes.Number)
		if d.UsedKnown {
			used = gibValue(d.UsedBytes)
		}
		values[strconv.Itoa(int(d.Key))] = tftypes.NewValue(diskTerraformType, map[string]tftypes.Value{
			"label":                     stringValue(d.Label),
			"capacity_gib":              gibValue(d.CapacityBytes),
			"used_gib":                  used,
			"excluded_from_replication": tftypes.NewValue(tftypes.Bool, d.Excluded),
		})
	}
	return tftypes.NewValue(tftypes.Map{ElementType: diskTerraformType}, values)
}

func nullValue(t tftypes.Type) tftypes.Value { return tftypes.NewValue(t, nil) }

func stringValue(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func stringListValue(list []string) tftypes.Value {
	values := make([]tftypes.Value, len(list))
	for i, s := range list {
		values[i] = stringValue(s)
	}
	return tftypes.NewValue(stringListType, values)
}

func gibValue(bytes int64) tftypes.Value {
	return tftypes.NewValue(tftypes.Number, big.NewFloat(quantity.Size(bytes).GiB()))
}
