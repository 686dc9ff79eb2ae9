package virtualmachines

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

func describe() schema.Schema {
	result := schema.Schema{
		MarkdownDescription: "Returns VMs in vCenter with their sizes and tags, and totals for the calculators. If " +
			"several filters are set, a VM must match all of them. The totals exclude templates, which are listed in " +
			"`templates`, and VMs that are inaccessible and therefore have unknown sizes, which are listed in " +
			"`inaccessible`. A read takes a constant number of requests, plus one per 1,000 VMs (two with disks) and " +
			"one per tag in use.",
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.OptionalStringList("Only return VMs with these managed object IDs, such as " +
				"`member_vm_ids` of `vsla_protection_members`. VMs that do not exist are listed in a warning. An " +
				"empty list selects no VMs."),
			"tag_ids": attribute.OptionalStringList("Only return VMs with these tags.", listvalidator.SizeAtLeast(1),
				listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"tag_match": attribute.OptionalString("Whether a VM must have all tags of `tag_ids` (`all`) or at least "+
				"one (`any`). Defaults to `all`.",
				stringvalidator.OneOf(matchAll, matchAny), stringvalidator.AlsoRequires(path.MatchRoot("tag_ids"))),
			"folder": containerFilter("Only return VMs in this folder or its subfolders. Specify an inventory path " +
				"(`/DC0/vm/prod`), or a path below a VM folder that is unique across datacenters (`prod`)."),
			"cluster": containerFilter("Only return VMs in this cluster. Specify an inventory path " +
				"(`/DC0/host/cluster-1`), or a name that is unique in the vCenter."),
			"name_regex": attribute.OptionalString("Only return VMs whose name matches this regular expression (Go "+
				"syntax). The expression is not anchored, so use `^` and `$` to match the whole "+
				"name.", attribute.Regex()),
			"power_state": attribute.OptionalString("Only return VMs in this power state: `poweredOn`, `poweredOff` "+
				"or `suspended`.",
				stringvalidator.OneOf("poweredOn", "poweredOff", "suspended")),
			"read_disks": attribute.OptionalBool("Whether to read the device lists of the VMs. Required for " +
				"`disk_gib` and `total_disk_gib`, which are null otherwise. Reading the device lists takes several " +
				"times as long as reading all other data. Defaults to `true`, or to `false` if `summary_only` is " +
				"`true`."),
			"read_disk_use": attribute.OptionalBool("Whether to read the used storage of each disk, and which disks "+
				"are excluded from replication. Required for `disks`, `replicated_used_gib` and its total and mean, "+
				"which are null otherwise. Implies `read_disks` and takes the same number of requests, but with "+
				"larger responses. Defaults to `false`.", requiresDisks{}),
			"summary_only": attribute.OptionalBool("Whether to omit `virtual_machines` and skip reading paths and " +
				"tags. `ids`, `templates`, `inaccessible` and the totals are still returned. Recommended for a large " +
				"vCenter, to reduce memory use and the size of the state. Defaults to `false`."),
			"virtual_machines": vmsAttribute(),
		},
	}
	maps.Copy(result.Attributes, listAttributes())
	maps.Copy(result.Attributes, totalAttributes())
	return result
}

func listAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"ids": attribute.StringList("Managed object IDs of the VMs, sorted."),
		"templates": attribute.StringList("Managed object IDs of matching templates, sorted. They are excluded from " +
			"`ids`, `virtual_machines` and the totals. A template is always `poweredOff`."),
		"inaccessible": attribute.StringList("Managed object IDs of matching VMs that are currently inaccessible " +
			"(connection state `disconnected`, `inaccessible`, `orphaned` or `invalid`), sorted. They are excluded " +
			"from `ids`, `virtual_machines` and the totals, and listed in a warning. `power_state` does not filter " +
			"them, because their power state is unknown. vCenter may report the path of the VM file instead of its " +
			"name. In this case, `name_regex` is matched against the path."),
	}
}

func totalAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"vm_count":              attribute.Int64("Number of VMs in `ids`."),
		"total_memory_gib":      attribute.Float64("Sum of the configured memory, in GiB (2^30 bytes)."),
		"total_provisioned_gib": attribute.Float64("Sum of the provisioned storage, in GiB."),
		"total_used_gib":        attribute.Float64("Sum of the used storage, in GiB."),
		"total_disk_gib": attribute.Float64("Sum of the capacities of the virtual disks, in GiB. Null if " +
			"`read_disks` is `false`."),
		"mean_used_gib": attribute.Float64("Mean used storage per VM, in GiB. `0` if there are no VMs."),
		"total_replicated_used_gib": attribute.Float64("Sum of `replicated_used_gib`, in GiB. Null unless " +
			"`read_disk_use` is `true`."),
		"mean_replicated_used_gib": attribute.Float64("Mean of `replicated_used_gib` per VM, in GiB, for " +
			"`vm_size_gib` of the calculators. Null unless `read_disk_use` is `true`. `0` without VMs."),
	}
}

func containerFilter(doc string) schema.StringAttribute {
	return attribute.OptionalString(doc, stringvalidator.LengthAtLeast(1))
}

func vmsAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "VMs, by managed object ID. Null if `summary_only` is `true`.",
		Computed:            true,
		CustomType:          newVMMapType(),
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":   attribute.String("Managed object ID, such as `vm-42`."),
			"name": attribute.String("Name of the VM."),
			"path": attribute.String("Inventory path, such as `/DC0/vm/prod/web-01`. Empty for a VM in a vApp."),
			"instance_uuid": attribute.String("Instance UUID. Unlike the managed object ID, it does not change when " +
				"the VM is registered again."),
			"power_state": attribute.String("Power state: `poweredOn`, `poweredOff` or `suspended`."),
			"cpu_count":   attribute.Int64("Number of virtual CPUs."),
			"memory_gib":  attribute.Float64("Configured memory, in GiB."),
			"provisioned_gib": attribute.Float64("Provisioned storage, in GiB. This is the used storage plus the " +
				"unused space of thin disks."),
			"used_gib": attribute.Float64("Used storage of the disk files, in GiB. This is the data of an initial " +
				"sync of thin disks. It excludes swap and other files, and the copies that vSAN keeps for " +
				"redundancy. If vCenter does not report the disk files, it is the committed storage, and a warning " +
				"lists the VM."),
			"disk_gib": attribute.Float64("Sum of the capacities of the virtual disks, in GiB. Null if " +
				"`read_disks` is `false`."),
			"host_id":                attribute.String("Managed object ID of the host."),
			"datastore_ids":          attribute.StringList("Managed object IDs of the datastores, sorted."),
			"changed_block_tracking": attribute.Bool("Whether changed-block tracking is enabled."),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Sorted names of the tags, by category name. Excludes the categories in " +
					"`ignore_tag_categories`.",
				ElementType: types.ListType{ElemType: types.StringType},
				Computed:    true,
			},
			"replicated_used_gib": attribute.Float64("Used storage of all disks that are not excluded from the " +
				"replication of the VM, in GiB. This is the data of an initial sync. Same as `used_gib` for a VM " +
				"that is not replicated. Null unless `read_disk_use` is `true`."),
			"disks": disksAttribute(),
		}},
	}
}

func disksAttribute() schema.MapNestedAttribute {
	return attribute.Objects("Virtual disks, by device key (`2000`), as in `disks` of `vsla_replication`. Null unless "+
		"`read_disk_use` is `true`.", map[string]schema.Attribute{
		"label":        attribute.String("Label, such as `Hard disk 1`."),
		"capacity_gib": attribute.Float64("Capacity, in GiB."),
		"used_gib": attribute.Float64("Used storage of the disk and its snapshots, limited to the capacity, in GiB. " +
			"Null if vCenter does not report it."),
		"excluded_from_replication": attribute.Bool("Whether the disk is excluded from the replication of the VM."),
	})
}

type requiresDisks struct{}

// Description describes the validation.
func (requiresDisks) Description(context.Context) string {
	return "must not be true if read_disks is false"
}

// MarkdownDescription returns the result of Description.
func (v requiresDisks) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateBool compares the two arguments.
func (v requiresDisks) ValidateBool(ctx context.Context, req validator.BoolRequest, resp *validator.BoolResponse) {
	var readDisks types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("read_disks"), &readDisks)...)
	if req.ConfigValue.ValueBool() && !readDisks.IsNull() && !readDisks.IsUnknown() && !readDisks.ValueBool() {
		resp.Diagnostics.AddAttributeError(req.Path, "Conflicting Arguments",
			"read_disk_use = true requires the device lists, but read_disks is false. Remove one of the two arguments.")
	}
}
