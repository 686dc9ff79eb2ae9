package inventoryfile

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

const description = "VMs from a file, with the outputs of `vsla_virtual_machines` but those of `read_disk_use`: plan " +
	"before you have access to the vCenter, and change the data source's type later. It needs no connection and no " +
	"credentials.\n\n" +
	"It reads exports of RVTools (xlsx, and the CSV of vInfo, both with the headers of the user interface and those " +
	"of the command line), of Live Optics (xlsx), and any other CSV or xlsx by `columns`. \"In Use MB\" of older " +
	"versions of RVTools and \"In Use MiB\" are the same unit, MiB (2^20 bytes). CSV can be in UTF-8, UTF-16 or " +
	"Windows-1252, separated by commas, semicolons or tabs. Whether a point or a comma is the decimal separator is " +
	"decided by all numbers of the file; when they leave it open, the file is refused.\n\n" +
	"Files of several vCenters that were merged into one are read, of several versions too. Disks come from the " +
	"sheet vDisk and the space used by the guests' file systems from vPartition, where they are there.\n\n" +
	"Formulas are not evaluated. A CSV has at most 128 MiB, a workbook 64 MiB, and either at most 100,000 VMs."

// Schema sets the schema.
func (d *fileDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ids := func(doc string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
	}
	filter := func(doc string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: doc, Optional: true,
			Validators: append(validators, stringvalidator.LengthAtLeast(1)),
		}
	}
	flag := func(doc string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: doc, Optional: true}
	}
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"path": attribute.RequiredText("Path of the file, such as `${path.module}/rvtools.xlsx`.",
			stringvalidator.LengthAtLeast(1)),
		"format": filter("`auto` (default), `rvtools`, `liveoptics` or `csv`. The content decides, not the extension.",
			stringvalidator.OneOf(inventoryfile.Auto, inventoryfile.RVTools, inventoryfile.LiveOptics, inventoryfile.CSV)),
		"columns": schema.MapAttribute{
			MarkdownDescription: "For a CSV or a workbook of another kind: its headers by field, in the first sheet that has " +
				"them all. `name` and one of `used_gib`, `used_mib` and `used_gb` are needed; a GB is 10^9 bytes, but " +
				"columns in GB that come from VMware's tools are in GiB. The fields: `" +
				strings.Join(inventoryfile.Fields(), "`, `") + "`.",
			ElementType: types.StringType, Optional: true,
			Validators: []validator.Map{
				mapvalidator.KeysAre(stringvalidator.OneOf(inventoryfile.Fields()...)),
				mapvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
			},
		},
		"name_regex": filter("Only VMs whose name matches this regular expression (Go syntax) anywhere; use `^` and `$` to "+
			"anchor it.", attribute.Regex()),
		"power_state": filter("Only VMs in this state: `poweredOn`, `poweredOff` or `suspended`.",
			stringvalidator.OneOf("poweredOn", "poweredOff", "suspended")),
		"cluster":              filter("Only VMs of this cluster, by its name."),
		"datacenter":           filter("Only VMs of this datacenter, by its name."),
		"folder":               filter("Only VMs in this folder or below it, as the file writes it."),
		"exclude_templates":    flag("Whether templates are left out. Default true."),
		"exclude_placeholders": flag("Whether placeholders of Site Recovery Manager are left out. Default true."),

		"ids": ids("Keys of `virtual_machines`, sorted."),
		"templates": ids("Ids, or names, of the templates that were left out, sorted. They fit the filters, and are in no " +
			"sum."),
		"inaccessible": ids("Ids, or names, of the VMs that vCenter could not reach when the file was exported, sorted. " +
			"They fit the filters, and are in no sum."),
		"skipped":          skipped(),
		"virtual_machines": vms(),
		"vm_count":         attribute.Whole("Number of VMs in `ids`."),
		"sha256": attribute.Text("SHA-256 of the file, in hexadecimal: a policy that fixes it notices another file " +
			"under the same path."),
		"total_memory_gib": attribute.Output(
			"Sum of the configured memory, in GiB (2^30 bytes); null when the file lacks that of a VM."),
		"total_provisioned_gib": attribute.Output(
			"Sum of the provisioned storage, in GiB; null when the file lacks that of a VM."),
		"total_used_gib": attribute.Output("Sum of the used storage, in GiB."),
		"total_disk_gib": attribute.Output(
			"Sum of the virtual disks' capacities, in GiB; null when the file lacks that of a VM.",
		),
		"total_guest_used_gib": attribute.Output(
			"Sum of what the guests' file systems use, in GiB; null when the file lacks that of a VM.",
		),
		"mean_used_gib": attribute.Output("Used storage per VM, in GiB; 0 when there is no VM."),
	}}
}

func skipped() schema.ListNestedAttribute {
	return attribute.ObjectList("Rows that are no VM of the result.", map[string]schema.Attribute{
		"sheet": attribute.Text("Sheet of an Excel file; empty for CSV."),
		"row":   attribute.Whole("Number of the row, from 1; in a CSV of the line in which it begins."),
		"id":    attribute.Text("Id; null where the file has none."),
		"name":  attribute.Text("Name."),
		"reason": attribute.Text(
			"`template`, `placeholder`, `inaccessible`, `duplicate` (the id of this vCenter is in the file " +
				"already), `no_name` or `no_size` (without used storage).",
		),
	})
}

func vms() schema.MapNestedAttribute {
	return attribute.Objects("The VMs, by id, or by name where the file has no ids. What repeats has a counter: `web#2`.",
		map[string]schema.Attribute{
			"id":              attribute.Text("Key of the VM in this map."),
			"name":            attribute.Text("Name."),
			"path":            attribute.Text("Folder and name; empty where the file has no folders."),
			"instance_uuid":   attribute.Text("Instance UUID; empty where the file has none."),
			"power_state":     attribute.Text("`poweredOn`, `poweredOff` or `suspended`; empty where the file has none."),
			"cpu_count":       attribute.Whole("Number of virtual CPUs."),
			"memory_gib":      attribute.Output("Configured memory, in GiB."),
			"provisioned_gib": attribute.Output("Storage that the VM may come to use, in GiB."),
			"used_gib":        attribute.Output("Storage in use, in GiB."),
			"disk_gib": attribute.Output(
				"Sum of the capacities of its virtual disks, in GiB; null where the file does not have it.",
			),
			"host_id":                attribute.Text("Always null: files name hosts."),
			"datastore_ids":          attribute.Texts("Always null."),
			"changed_block_tracking": attribute.Truth("Whether changed-block tracking is on; null where the file does not say."),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Always null.", ElementType: types.ListType{ElemType: types.StringType}, Computed: true,
			},
			"datacenter": attribute.Text("Datacenter; null where the file has none."),
			"cluster":    attribute.Text("Cluster; null where the file has none."),
			"host":       attribute.Text("Host; null where the file has none."),
			"folder":     attribute.Text("Folder; null where the file has none."),
			"guest_used_gib": attribute.Output(
				"What the guest's file systems use, as VMware Tools report it, in GiB; null where the file " +
					"does not have it. It is less than `used_gib`, which counts blocks that the guest freed and, on vSAN, copies.",
			),
		})
}
