// The schema of the data source.

package virtualmachines

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/attribute"
)

// Schema describes the data source.
func (d *virtualMachinesDataSource) Schema(
	_ context.Context,
	_ datasource.SchemaRequest,
	resp *datasource.SchemaResponse,
) {
	float := func(doc string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: doc, Computed: true}
	}
	text := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "VMs of vCenter with their sizes and tags, and the sums that the calculators take. Filters " +
			"are optional, and all that are given must hold. " +
			"Templates are not among them, and neither are VMs that vCenter cannot reach at present, whose sizes it does not " +
			"know: " +
			"both are in no sum, and named in `templates` and `inaccessible`. " +
			"The number of requests is constant, plus one for each 1,000 VMs (two with disks) and one for each tag that occurs.",
		Attributes: map[string]schema.Attribute{
			"tag_ids": schema.ListAttribute{
				MarkdownDescription: "Only VMs that carry these tags.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"tag_match": schema.StringAttribute{
				MarkdownDescription: "`all` (default): a VM must carry every tag of `tag_ids`. `any`: one is enough.",
				Optional:            true,
				Validators: []validator.String{
					stringvalidator.OneOf(matchAll, matchAny),
					stringvalidator.AlsoRequires(path.MatchRoot("tag_ids")),
				},
			},
			"folder": container("Only VMs in this folder or below it: an inventory path (`/DC0/vm/prod`), or a path below " +
				"the VM folder of the only datacenter that has it (`prod`)."),
			"cluster": container("Only VMs of this cluster: an inventory path (`/DC0/host/cluster-1`), or a name that is " +
				"unique in the vCenter."),
			"name_regex": schema.StringAttribute{
				MarkdownDescription: "Only VMs whose name matches this regular expression (Go syntax) anywhere; use `^` and `$` " +
					"to anchor it.",
				Optional:   true,
				Validators: []validator.String{attribute.Regex()},
			},
			"power_state": schema.StringAttribute{
				MarkdownDescription: "Only VMs in this state: `poweredOn`, `poweredOff` or `suspended`.", Optional: true,
				Validators: []validator.String{stringvalidator.OneOf("poweredOn", "poweredOff", "suspended")},
			},
			"read_disks": schema.BoolAttribute{
				MarkdownDescription: "Whether to read the VMs' device lists, which `disk_gib` and `total_disk_gib` need and " +
					"which take several times as long as all the rest. Default true, with `summary_only` false; when false, both " +
					"are null.",
				Optional: true,
			},
			"summary_only": schema.BoolAttribute{
				MarkdownDescription: "Whether to leave `virtual_machines` out, and to read neither paths nor tags: `ids`, " +
					"`templates`, `inaccessible` and the sums remain. For a large vCenter, where that map takes most of the memory " +
					"and of the state. Default false.",
				Optional: true,
			},
			"ids": schema.ListAttribute{
				MarkdownDescription: "Managed object ids of the VMs, sorted.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"virtual_machines": vms(float, text),
			"templates": schema.ListAttribute{
				MarkdownDescription: "Managed object ids of the templates that fit the filters, sorted. They are not in `ids`, " +
					"`virtual_machines` or any sum. A template is always `poweredOff`.",
				ElementType: types.StringType,
				Computed:    true,
			},
			"inaccessible": schema.ListAttribute{
				MarkdownDescription: "Managed object ids of the VMs that fit the filters but that vCenter cannot reach at " +
					"present (connection state `disconnected`, `inaccessible`, `orphaned` or `invalid`), sorted. " +
					"They are not in `ids`, `virtual_machines` or any sum, and a warning names them. `power_state` does not filter " +
					"them, because it is not known; vCenter may list one by the path of its file in place of its name, " +
					"which `name_regex` then sees.",
				ElementType: types.StringType,
				Computed:    true,
			},
			"vm_count":              schema.Int64Attribute{MarkdownDescription: "Number of VMs in `ids`.", Computed: true},
			"total_memory_gib":      float("Sum of the configured memory, in GiB (2^30 bytes)."),
			"total_provisioned_gib": float("Sum of the provisioned storage, in GiB."),
			"total_used_gib":        float("Sum of the used storage, in GiB."),
			"total_disk_gib":        float("Sum of the virtual disks' capacities, in GiB; null when `read_disks` is false."),
			"mean_used_gib":         float("Used storage per VM, in GiB; 0 when there is no VM."),
		},
	}
}

func container(doc string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: doc, Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

func vms(
	float func(string) schema.Float64Attribute,
	text func(string) schema.StringAttribute,
) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "The VMs, by managed object id; null with `summary_only`.", Computed: true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":            text("Managed object id, `vm-42`."),
			"name":          text("Name."),
			"path":          text("Inventory path, for example `/DC0/vm/prod/web-01`; empty for a VM in a vApp."),
			"instance_uuid": text("Instance UUID: unlike the id, it survives a new registration."),
			"power_state":   text("`poweredOn`, `poweredOff` or `suspended`."),
			"cpu_count":     schema.Int64Attribute{MarkdownDescription: "Number of virtual CPUs.", Computed: true},
			"memory_gib":    float("Configured memory, in GiB."),
			"provisioned_gib": float(
				"Storage that the VM may come to use: used plus not yet used of its thin disks, in GiB.",
			),
			"used_gib": float(
				"Storage in use (committed), in GiB: what an initial sync of a thin disk has to move.",
			),
			"disk_gib": float(
				"Sum of the capacities of its virtual disks, in GiB; null when `read_disks` is false.",
			),
			"host_id": text("Managed object id of the host that it runs on."),
			"datastore_ids": schema.ListAttribute{
				MarkdownDescription: "Managed object ids of its datastores, sorted.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"changed_block_tracking": schema.BoolAttribute{
				MarkdownDescription: "Whether changed-block tracking is on.",
				Computed:            true,
			},
			"tags": schema.MapAttribute{
				MarkdownDescription: "Names of its tags, sorted, by category name. Categories of `ignore_tag_categories` are " +
					"left out.",
				ElementType: types.ListType{ElemType: types.StringType},
				Computed:    true,
			},
		}},
	}
}
