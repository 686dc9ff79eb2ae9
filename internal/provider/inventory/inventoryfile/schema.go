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

const description = "Returns the VMs of an inventory export, with the same attributes as `vsla_virtual_machines` " +
	"except those that require `read_disk_use`. Use it to plan before you have access to vCenter, and replace it " +
	"with `vsla_virtual_machines` later. It requires no connection and no credentials.\n\n" +
	"Supported files are exports of RVTools and Live Optics (xlsx, a CSV of the VMs, or a folder or zip archive of " +
	"CSVs), and any other CSV or xlsx file with `columns`. \"In Use MB\" in older " +
	"versions of RVTools has the same unit as \"In Use MiB\", 2^20 bytes. CSV files can be encoded in UTF-8, UTF-16 " +
	"or Windows-1252, and separated by commas, semicolons, tabs or bars. The decimal separator is detected from all " +
	"numbers in the file. A file in which it is ambiguous is rejected.\n\n" +
	"Files merged from several vCenters or versions are supported. If the file contains the sheets vDisk and " +
	"vPartition, disk capacities and guest file system usage are read from them.\n\n" +
	"A number of a VM that cannot be true, such as a size of 0 or -1, is null, and a warning states the cell. A " +
	"promise that uses it is unknown.\n\n" +
	"Formulas are not evaluated. The maximum size is 128 MiB for CSV files and 64 MiB for workbooks. The maximum " +
	"number of VMs is 100,000."

// Schema sets the schema.
func (d *fileDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	filter := func(doc string, validators ...validator.String) schema.StringAttribute {
		return attribute.OptionalString(doc, append(validators, stringvalidator.LengthAtLeast(1))...)
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"path": attribute.RequiredString("Path of the file, such as `${path.module}/rvtools.xlsx`.",
				stringvalidator.LengthAtLeast(1)),
			"format": filter("Format of the file: `auto`, `rvtools`, `liveoptics` or `csv`. `auto` detects the "+
				"format from the content, not from the extension. Defaults to `auto`.",
				stringvalidator.OneOf(
					inventoryfile.Auto, inventoryfile.RVTools, inventoryfile.LiveOptics, inventoryfile.CSV)),
			"columns": schema.MapAttribute{
				MarkdownDescription: "Column headers by field, for any other CSV file or workbook. In a workbook, " +
					"the first sheet with all of these headers is used. `name` and a size (`used_*`, " +
					"`provisioned_*`, `disk_*` or `guest_used_*`) are required. In the fields `*_gb` and `*_tb`, a " +
					"GB is 10^9 bytes. VMware tools label columns in GiB as GB, so use the fields `*_gib` for such " +
					"columns. A cell can contain its own unit, such as `1.2 TB`, which is a power of two except in " +
					"`*_gb` and `*_tb`. Supported fields: `" + strings.Join(inventoryfile.Fields(), "`, `") + "`.",
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.Map{
					mapvalidator.KeysAre(stringvalidator.OneOf(inventoryfile.Fields()...)),
					mapvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"name_regex": filter("Only return VMs whose name matches this regular expression (Go syntax). The "+
				"expression is not anchored, so use `^` and `$` to match the whole name.", attribute.Regex()),
			"power_state": filter("Only return VMs in this power state: `poweredOn`, `poweredOff` or `suspended`.",
				stringvalidator.OneOf("poweredOn", "poweredOff", "suspended")),
			"cluster":           filter("Only return VMs in the cluster with this name."),
			"datacenter":        filter("Only return VMs in the datacenter with this name."),
			"folder":            filter("Only return VMs in this folder or its subfolders, as spelled in the file."),
			"exclude_templates": attribute.OptionalBool("Whether to exclude templates. Defaults to `true`."),
			"exclude_placeholders": attribute.OptionalBool("Whether to exclude placeholders of Site Recovery " +
				"Manager. Defaults to `true`."),

			"allow_duplicate_names": attribute.OptionalBool("Whether names can repeat in a file without IDs, as the " +
				"names of different VMs. Otherwise, they are an error, because they can be rows of the same VM. " +
				"Defaults to `false`."),

			"ids": attribute.StringList("Keys of `virtual_machines`, sorted."),
			"templates": attribute.StringList("IDs or names of the templates that match the filters, sorted. They " +
				"are excluded from the totals."),
			"inaccessible": attribute.StringList("IDs or names of the VMs that match the filters and were " +
				"inaccessible when the file was exported, sorted. They are excluded from the totals."),
			"skipped":          skippedAttribute(),
			"virtual_machines": vmsAttribute(),
			"vm_count":         attribute.Int64("Number of VMs in `ids`."),
			"sha256": attribute.String("SHA-256 checksum of the file, in hexadecimal. A policy can use it to require " +
				"a specific file."),
			"total_memory_gib": attribute.Float64("Sum of the configured memory, in GiB (2^30 bytes). Null if the " +
				"memory of a VM is missing."),
			"total_provisioned_gib": attribute.Float64("Sum of the provisioned storage, in GiB. Null if the " +
				"provisioned storage of a VM is missing."),
			"total_used_gib": attribute.Float64("Sum of the known used storage, in GiB. Null if it is unknown for " +
				"all VMs."),
			"total_disk_gib": attribute.Float64("Sum of the capacities of the virtual disks, in GiB. Null if " +
				"`disk_gib` of a VM is null."),
			"total_guest_used_gib": attribute.Float64("Sum of the storage used by guest file systems, in GiB. Null " +
				"if `guest_used_gib` of a VM is null."),
			"mean_used_gib": attribute.Float64("Mean used storage of the VMs for which it is known, in GiB. `0` if " +
				"there are no VMs."),
		},
	}
}

func skippedAttribute() schema.ListNestedAttribute {
	return attribute.ObjectList("Rows that were skipped, and VMs without used storage.", map[string]schema.Attribute{
		"sheet": attribute.String("Name of the sheet. Empty for a CSV file."),
		"row":   attribute.Int64("Row number, starting at 1. In a CSV file, the number of the first line of the row."),
		"id":    attribute.String("ID of the VM. Null if the row has none."),
		"name":  attribute.String("Name of the VM."),
		"reason": attribute.String("Reason why the row was skipped: `template`, `placeholder`, `inaccessible`, " +
			"`duplicate` (another row has the same ID and vCenter or, if the vCenter and the instance UUID are " +
			"unknown, the same ID, name and cluster), `no_name`, `total` (a row with totals) or `no_size` (no used " +
			"storage; the VM is in `virtual_machines`)."),
	})
}

func vmsAttribute() schema.MapNestedAttribute {
	return attribute.Objects("VMs, by ID, or by name if the file has no IDs. A counter is appended to duplicate "+
		"names, such as `web#2`.",
		map[string]schema.Attribute{
			"id":            attribute.String("Key of the VM in this map."),
			"name":          attribute.String("Name of the VM."),
			"path":          attribute.String("Folder and name. Empty if the file has no folders."),
			"instance_uuid": attribute.String("Instance UUID of the VM. Empty if the file does not contain it."),
			"power_state": attribute.String("Power state: `poweredOn`, `poweredOff` or `suspended`. Empty if the " +
				"file does not contain it."),
			"cpu_count":       attribute.Int64("Number of virtual CPUs. Null if unknown."),
			"memory_gib":      attribute.Float64("Configured memory, in GiB. Null if unknown."),
			"provisioned_gib": attribute.Float64("Provisioned storage, in GiB. Null if unknown."),
			"used_gib":        attribute.Float64("Used storage, in GiB. Null if unknown."),
			"bios_uuid":       attribute.String("BIOS UUID of the VM. Null if the file does not contain it."),
			"replication_blockers": attribute.StringList("Reasons why vSphere Replication refuses the VM, as " +
				"reported by its API: `PHYSICAL_RDM_DISK_FOUND`, `IS_FT_VM`, `IS_EAM_VM` (vCLS and other VMs that " +
				"vCenter manages), `IS_VM_TEMPLATE` or `INVALID_HW_VERSION`. Empty if the file shows none."),
			"disk_gib": attribute.Float64("Sum of the capacities of the virtual disks, in GiB. A disk that several " +
				"VMs share is counted with the first one. Null if the file does not contain them."),
			"host_id":       attribute.String("Always null, because exports contain host names only."),
			"datastore_ids": attribute.StringList("Always null."),
			"changed_block_tracking": attribute.Bool("Whether changed-block tracking is enabled. Null if the file " +
				"does not contain it."),
			"tags": schema.MapAttribute{
				MarkdownDescription: "Always null.",
				ElementType:         types.ListType{ElemType: types.StringType},
				Computed:            true,
			},
			"datacenter": attribute.String("Name of the datacenter. Null if the file does not contain it."),
			"cluster":    attribute.String("Name of the cluster. Null if the file does not contain it."),
			"host":       attribute.String("Name of the host. Null if the file does not contain it."),
			"folder":     attribute.String("Path of the folder. Null if the file does not contain it."),
			"guest_used_gib": attribute.Float64("Storage used by guest file systems as reported by VMware Tools, in " +
				"GiB. Null if the file does not contain it. Usually less than `used_gib`, which includes blocks " +
				"freed by the guest and copies on vSAN."),
		})
}
