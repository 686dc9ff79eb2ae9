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
	described := schema.Schema{
		MarkdownDescription: "VMs of vCenter with their sizes and tags, and the sums that the calculators take. " +
			"Filters are optional, and all that are given must hold. Templates are not among them, and neither are " +
			"VMs that vCenter cannot reach at present, whose sizes it does not know: both are in no sum, and named " +
			"in `templates` and `inaccessible`. The number of requests is constant, plus one for each 1,000 VMs (two " +
			"with disks) and one for each tag that occurs.",
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.OptionalTexts("Only VMs with these managed object ids, such as `member_vm_ids` of " +
				"`vsla_protection_members`; none of them is an empty result. An id that does not exist selects nothing."),
			"tag_ids": attribute.OptionalTexts("Only VMs that carry these tags.", listvalidator.SizeAtLeast(1),
				listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"tag_match": attribute.OptionalText("`all` (default): a VM must carry every tag of `tag_ids`. `any`: one is enough.",
				stringvalidator.OneOf(matchAll, matchAny), stringvalidator.AlsoRequires(path.MatchRoot("tag_ids"))),
			"folder": container("Only VMs in this folder or below it: an inventory path (`/DC0/vm/prod`), or a path below " +
				"the VM folder of the only datacenter that has it (`prod`)."),
			"cluster": container("Only VMs of this cluster: an inventory path (`/DC0/host/cluster-1`), or a name that is " +
				"unique in the vCenter."),
			"name_regex": attribute.OptionalText("Only VMs whose name matches this regular expression (Go syntax) anywhere; "+
				"use `^` and `$` to anchor it.", attribute.Regex()),
			"power_state": attribute.OptionalText("Only VMs in this state: `poweredOn`, `poweredOff` or `suspended`.",
				stringvalidator.OneOf("poweredOn", "poweredOff", "suspended")),
			"read_disks": attribute.OptionalTruth("Whether to read the VMs' device lists, which `disk_gib` and " +
				"`total_disk_gib` need and which take several times as long as all the rest. Default true, with `summary_only` " +
				"false; when false, both are null."),
			"read_disk_use": attribute.OptionalTruth("Whether to read what each disk uses, and which disks a replication "+
				"leaves out: `disks`, `replicated_used_gib` and their sums, which are null without it. It takes as many requests "+
				"as `read_disks`, which it includes, and larger answers. Default false.", usesDisks{}),
			"summary_only": attribute.OptionalTruth("Whether to leave `virtual_machines` out, and to read neither paths nor " +
				"tags: `ids`, `templates`, `inaccessible` and the sums remain. For a large vCenter, where that map takes most of " +
				"the memory and of the state. Default false."),
			"virtual_machines": vms(),
		},
	}
	maps.Copy(described.Attributes, lists())
	maps.Copy(described.Attributes, sums())
	return described
}

func lists() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"ids": attribute.Texts("Managed object ids of the VMs, sorted."),
		"templates": attribute.Texts("Managed object ids of the templates that fit the filters, sorted. They are not in " +
			"`ids`, `virtual_machines` or any sum. A template is always `poweredOff`."),
		"inaccessible": attribute.Texts("Managed object ids of the VMs that fit the filters but that vCenter cannot reach " +
			"at present (connection state `disconnected`, `inaccessible`, `orphaned` or `invalid`), sorted. They are not in " +
			"`ids`, `virtual_machines` or any sum, and a warning names them. `power_state` does not filter them, because it " +
			"is not known; vCenter may list one by the path of its file in place of its name, which `name_regex` then sees."),
	}
}

func sums() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"vm_count":              attribute.Whole("Number of VMs in `ids`."),
		"total_memory_gib":      attribute.Output("Sum of the configured memory, in GiB (2^30 bytes)."),
		"total_provisioned_gib": attribute.Output("Sum of the provisioned storage, in GiB."),
		"total_used_gib":        attribute.Output("Sum of the used storage, in GiB."),
		"total_disk_gib": attribute.Output("Sum of the virtual disks' capacities, in GiB; null when `read_disks` is " +
			"false."),
		"mean_used_gib": attribute.Output("Used storage per VM, in GiB; 0 when there is no VM."),
		"total_replicated_used_gib": attribute.Output(
			"Sum of `replicated_used_gib`, in GiB; null when `read_disk_use` is false.",
		),
		"mean_replicated_used_gib": attribute.Output(
			"`replicated_used_gib` per VM, in GiB, for `vm_size_gib` of the calculators; null when `read_disk_use` is " +
				"false, and 0 when there is no VM.",
		),
	}
}

func container(doc string) schema.StringAttribute {
	return attribute.OptionalText(doc, stringvalidator.LengthAtLeast(1))
}

func vms() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "The VMs, by managed object id; null with `summary_only`.", Computed: true,
		CustomType: newVMMapType(),
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":            attribute.Text("Managed object id, `vm-42`."),
			"name":          attribute.Text("Name."),
			"path":          attribute.Text("Inventory path, for example `/DC0/vm/prod/web-01`; empty for a VM in a vApp."),
			"instance_uuid": attribute.Text("Instance UUID: unlike the id, it survives a new registration."),
			"power_state":   attribute.Text("`poweredOn`, `poweredOff` or `suspended`."),
			"cpu_count":     attribute.Whole("Number of virtual CPUs."),
			"memory_gib":    attribute.Output("Configured memory, in GiB."),
			"provisioned_gib": attribute.Output(
				"Storage that the VM may come to use: used plus not yet used of its thin disks, in GiB.",
			),
			"used_gib": attribute.Output(
				"Storage that the files of its disks take, in GiB: what an initial sync of thin disks has to move. Swap, other " +
					"files and the copies that vSAN keeps are not in it, unless vCenter does not have the files of the disks: then " +
					"it is the committed storage, and a warning names the VM.",
			),
			"disk_gib": attribute.Output("Sum of the capacities of its virtual disks, in GiB; null when `read_disks` is " +
				"false."),
			"host_id":                attribute.Text("Managed object id of the host that it runs on."),
			"datastore_ids":          attribute.Texts("Managed object ids of its datastores, sorted."),
			"changed_block_tracking": attribute.Truth("Whether changed-block tracking is on."),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Names of its tags, sorted, by category name. Categories of `ignore_tag_categories` are " +
					"left out.",
				ElementType: types.ListType{ElemType: types.StringType},
				Computed:    true,
			},
			"replicated_used_gib": attribute.Output(
				"Storage in use without the disks that the VM's replication leaves out, in GiB: what an initial sync has to " +
					"move. The same as `used_gib` for a VM that is not replicated; null when `read_disk_use` is false.",
			),
			"disks": disks(),
		}},
	}
}

func disks() schema.MapNestedAttribute {
	return attribute.Objects("Its virtual disks, by device key (`2000`), as in `disks` of `vsla_replication`; null when "+
		"`read_disk_use` is false.", map[string]schema.Attribute{
		"label":        attribute.Text("Label, `Hard disk 1`."),
		"capacity_gib": attribute.Output("Capacity, in GiB."),
		"used_gib": attribute.Output(
			"What its files and those of its snapshots take, at most its capacity, in GiB; null where vCenter does not " +
				"know it.",
		),
		"excluded_from_replication": attribute.Truth("Whether the VM is replicated without this disk."),
	})
}

// usesDisks rejects read_disk_use = true if read_disks is false.
type usesDisks struct{}

// Description returns the requirement.
func (usesDisks) Description(context.Context) string {
	return "must not be true when read_disks is false"
}

// MarkdownDescription returns the same text.
func (v usesDisks) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateBool compares the two arguments.
func (v usesDisks) ValidateBool(ctx context.Context, req validator.BoolRequest, resp *validator.BoolResponse) {
	var lists types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("read_disks"), &lists)...)
	if req.ConfigValue.ValueBool() && !lists.IsNull() && !lists.IsUnknown() && !lists.ValueBool() {
		resp.Diagnostics.AddAttributeError(req.Path, "Disks Not Read",
			"read_disk_use needs the device lists, which read_disks = false leaves out. Remove one of the two.")
	}
}
