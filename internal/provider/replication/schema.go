package replication

import (
	"context"
	"maps"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	planreplication "terraform-provider-vsla/internal/plan/replication"
	resourceidentity "terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/wholenumber"
	"terraform-provider-vsla/internal/vr"
)

const defaultFormat = "SAME_AS_SOURCE"

var (
	keyShape = regexp.MustCompile(`^(` + vr.HomeDisk + `|[1-9][0-9]*)$`)

	isDiskKey = stringvalidator.RegexMatches(keyShape, `must be a device key such as "2000", or "`+vr.HomeDisk+`"`)
	isFormat  = stringvalidator.OneOf(
		"SAME_AS_SOURCE", "SAME_AS_PRIMARY", "AS_DEFINED_IN_PROFILE", "FLAT", "THICK", "NATIVE_THICK", "THIN", "RDM",
	)
)

// IdentitySchema sets the identity schema.
func (r *replicationResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = resourceidentity.Schema(map[string]string{
		"pairing_id":     "UUID of the pairing.",
		"replication_id": "ID of the replication in vSphere Replication.",
	})
}

// Schema sets the schema.
func (r *replicationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the replication of a VM by vSphere Replication. Most settings are updated in " +
			"place. `pairing_id`, `vm_id` and `seed_path` of a replicated disk are not.\n\n" +
			"Create returns when the replication is configured. It does not wait for the initial sync, which can " +
			"take days, unless `wait_for_initial_sync` is `true`. Destroy ends the replication on both sites. It " +
			"deletes the replica disks, unless `retain_replica_disks_on_destroy` is `true`.\n\n" +
			"The plan fails if the VM is already replicated, unless `adopt_existing` is `true`. The error message " +
			"contains an import block for the existing replication.\n\n" +
			"The data source `vsla_replications` returns the status, the progress and the age of the replica. The " +
			"resource does not read them, so a refresh of many replications requires only a few requests. For the " +
			"same reason, a refresh reads the datastore and the storage policy of the replica only if `disks` is " +
			"set.\n\nIf another client excludes a disk from the replication, the next refresh adds the disk to " +
			"`disks` with `enabled = false`. To detect this without `disks`, the provider must be connected to the " +
			"vCenter of the VM.\n\n" +
			"An update changes only the settings that the plan shows. It fails if another client has changed the " +
			"settings of the replication since the refresh.\n\n" +
			"Requires the privileges `Host.Hbr.HbrManagement`, `VirtualMachine.Hbr.ConfigureReplication`, " +
			"`Datastore.FileManagement`, `StorageProfile.View`, `System.View` and `System.Read` at both sites.",
		Attributes: map[string]schema.Attribute{},
	}
	for _, part := range []map[string]schema.Attribute{
		placementAttributes(),
		settingAttributes(),
		toggleAttributes(ctx),
		computedAttributes(),
		adoptAttributes(),
	} {
		maps.Copy(resp.Schema.Attributes, part)
	}
}

// sameVM keeps the ID in state if the plan writes it in another case, as some appliances do.
type sameVM struct{}

func (sameVM) Description(context.Context) string { return "Case is ignored." }

func (v sameVM) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (sameVM) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if strings.EqualFold(req.PlanValue.ValueString(), req.StateValue.ValueString()) && isKnown(req.PlanValue) {
		resp.PlanValue = req.StateValue
	}
}

func placementAttributes() map[string]schema.Attribute {
	vm := managed.ForceNewString("ID of the VM, in the form `VirtualMachine:vm-42:<instance UUID of its vCenter>`.",
		attribute.IsVM)
	vm.PlanModifiers = append([]planmodifier.String{sameVM{}}, vm.PlanModifiers...)
	return map[string]schema.Attribute{
		"pairing_id": managed.ForceNewString("UUID of the pairing of the two sites.", attribute.IsUUID),
		"vm_id":      vm,
		"target_datastore_id": managed.RequiredString("ID of the datastore or datastore cluster at the target site "+
			"for the home folder and for all disks without their own datastore in `disks`.", attribute.IsDatastore),
		"target_storage_policy_id": managed.OptionalString("ID of the storage policy of the replica. Defaults to the "+
			"default policy of the datastore.", stringvalidator.LengthAtLeast(1)),
		"target_replication_server_id": schema.StringAttribute{
			MarkdownDescription: "ID of the replication server that receives the data. By default, vSphere " +
				"Replication selects a server. If it later moves the replication to another server, the plan shows " +
				"no change.",
			Optional:      true,
			Computed:      true,
			Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"disks": disksAttribute(),
	}
}

func disksAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "Settings of individual disks, by device key (`\"2000\"`) or `\"" + vr.HomeDisk +
			"\"` for the home folder. The data source `vsla_replication_vm` returns the keys. Disks that are not " +
			"listed are replicated with the settings of the replication.",
		Optional:   true,
		Validators: []validator.Map{mapvalidator.KeysAre(isDiskKey), mapvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"enabled": managed.DefaultBool("Whether to replicate the disk. Must be `true` for the home folder. "+
				"Defaults to `true`.", true),
			"target_datastore_id": managed.OptionalString("ID of the datastore for this disk. Defaults to "+
				"`target_datastore_id` of the replication.",
				attribute.IsDatastore),
			"storage_policy_id": managed.OptionalString("ID of the storage policy for this disk. Defaults to "+
				"`target_storage_policy_id` of the replication.",
				stringvalidator.LengthAtLeast(1)),
			"disk_format": managed.OptionalString("Format of the replica of this disk. Defaults to `disk_format` of "+
				"the replication.", isFormat),
			"seed_path": managed.OptionalString("Path of a seed, a disk at the target that already contains most of "+
				"the data. Not supported for the home folder. Setting or changing this for a replicated disk forces "+
				"a new resource.", stringvalidator.LengthAtLeast(1)),
		}},
	}
}

// newFormat sets the disk format of a new replication.
type newFormat struct{}

func (newFormat) Description(context.Context) string { return "Defaults to " + defaultFormat + "." }

func (f newFormat) MarkdownDescription(ctx context.Context) string { return f.Description(ctx) }

func (newFormat) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if req.ConfigValue.IsNull() && resp.PlanValue.IsUnknown() {
		resp.PlanValue = types.StringValue(defaultFormat)
	}
}

func settingAttributes() map[string]schema.Attribute {
	chosen := func(doc string) schema.BoolAttribute {
		return schema.BoolAttribute{
			MarkdownDescription: doc,
			Optional:            true,
			Computed:            true,
			PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		}
	}
	return map[string]schema.Attribute{
		"rpo_minutes": schema.Int64Attribute{
			CustomType: wholenumber.Type{},
			MarkdownDescription: "Recovery point objective, in minutes. Must be between 1 and 1,440. A value below 5 " +
				"requires `enhanced_replication = true`. The minimum also depends on the VM and on the release of " +
				"vSphere Replication, which supports the lowest RPO for 500 VMs, but on vVols for only 50. The plan " +
				"checks it if the RPO of a replication changes, for new replications among the first five that the " +
				"plan creates or changes, and for other new replications that have an RPO below 15 minutes or use a " +
				"setting that many VMs do not support, such as `quiesce_guest`. If one of these VMs does not support " +
				"an RPO of 15 minutes or the automatic replication of new disks, the plan also checks all further " +
				"new replications. If a VM is not checked and does not support the RPO, the apply fails, and the " +
				"replication is not configured.",
			Required:   true,
			Validators: []validator.Int64{attribute.Int64InRange(planreplication.RangeRPOMinutes)},
		},
		"disk_format": schema.StringAttribute{
			MarkdownDescription: "Format of the replica disks: `SAME_AS_SOURCE`, `SAME_AS_PRIMARY`, " +
				"`AS_DEFINED_IN_PROFILE`, `FLAT`, `THICK`, `NATIVE_THICK`, `THIN` or `RDM`. Defaults to " +
				"`" + defaultFormat +
				"` for a new replication, and to the current format otherwise. If the release reports the formats of " +
				"replicas, an import reads them, a change of another argument keeps them, and a refresh compares " +
				"them with the formats in `disks`. If it does not report them, an import sets `" + defaultFormat +
				"`, and a change applies only to disks that are added later.",
			Optional:      true,
			Computed:      true,
			Validators:    []validator.String{isFormat},
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown(), newFormat{}},
		},
		"network_compression": managed.DefaultBool("Whether to compress replication traffic. Defaults to "+
			"`false`.", false),
		"quiesce_guest": managed.DefaultBool("Whether to quiesce the guest for each sync. Many releases do not "+
			"support this for an RPO below 15 minutes. Defaults to `false`.", false),
		"network_encryption": chosen("Whether to encrypt replication traffic. By default, only the traffic of " +
			"encrypted VMs is encrypted. Must not be `false` for an encrypted VM."),
		"enhanced_replication": chosen("Whether to use enhanced replication. Must be `true` for an RPO below 5 " +
			"minutes. By default, vSphere Replication decides. A reprotect of Site Recovery changes it to `true`. If " +
			"the release does not report this setting, the configured value is kept but cannot be compared, and the " +
			"default is null."),
		"auto_replicate_new_disks": managed.DefaultBool("Whether to replicate disks that are added to the VM. If "+
			"`false`, a new disk stops the replication. Defaults to `true`.", true),
		"replicate_vm_data_sets": managed.DefaultBool("Whether to replicate the data sets of the VM. Defaults to "+
			"`false`.",
			false),
		"point_in_time": schema.SingleNestedAttribute{
			MarkdownDescription: "Point-in-time instances of the replica to keep. By default, no instances are kept.",
			Optional:            true,
			Attributes: map[string]schema.Attribute{
				"instances_per_day": schema.Int64Attribute{
					CustomType: wholenumber.Type{},
					MarkdownDescription: "Number of instances to keep per day, or in total if `days` is `0`. Must be " +
						"between 1 and 1,440.",
					Required:   true,
					Validators: []validator.Int64{int64validator.Between(1, 1440)},
				},
				"days": schema.Int64Attribute{
					CustomType: wholenumber.Type{},
					MarkdownDescription: "Number of days for which instances are kept. With `0`, the newest " +
						"`instances_per_day` instances are kept, regardless of their age. Must be between 0 and " +
						"3,650. Most releases support at most 24 instances in total.",
					Required:   true,
					Validators: []validator.Int64{int64validator.Between(0, 3650)},
				},
			},
		},
		"paused": managed.OptionalBool("Whether the replication is paused. If not set, the provider does not manage " +
			"the pause state. Do not set this argument if you use the actions `vsla_replication_pause` or " +
			"`vsla_replication_resume`."),
	}
}

// toggleAttributes returns the arguments that affect only the behavior of the provider.
func toggleAttributes(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"retain_replica_disks_on_destroy": managed.DefaultFalse("Whether to keep the replica disks at the target on " +
			"destroy, for example for use as seeds. Must be applied before the destroy."),
		"force_local_destroy": managed.DefaultFalse("If the remote site is unavailable or rejects the login, whether " +
			"to destroy the replication only at the local site, which is the site of the appliance in " +
			"`replication.server`. The other part of the replication remains and must be removed manually. Must be " +
			"applied while the remote site is still available. A refresh requires both sites, so run `terraform " +
			"destroy -refresh=false`."),
		"destroy_when_managed_by_recovery": managed.DefaultFalse("Whether to destroy the replication even if it is " +
			"managed by a recovery solution or its recovery has started. Must be applied before the destroy."),
		"wait_for_initial_sync": managed.DefaultFalse("Whether create waits until the initial sync is complete. If " +
			"`timeouts.create` expires first, the provider returns a warning, and the sync continues. Conflicts with " +
			"`paused = true`."),
		"skip_capability_check": managed.DefaultFalse("Whether the plan skips the checks of the VM, its settings and " +
			"the target datastores."),
		"timeouts": managed.Timeouts(ctx, "Timeouts of the operations. If a timeout expires, the appliance continues "+
			"the task. The next refresh reads its result.", timeouts.Opts{
			Create: true,
			Read:   true,
			Update: true,
			Delete: true,
			CreateDescription: "Timeout for create, such as `1h30m`. Defaults to 30 minutes, or 24 hours with " +
				"`wait_for_initial_sync`.",
			ReadDescription:   "Timeout for a refresh. Defaults to 5 minutes.",
			UpdateDescription: "Timeout for an update. Defaults to 30 minutes.",
			DeleteDescription: "Timeout for destroy. Defaults to 30 minutes.",
		}),
	}
}

func computedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  managed.StableString("ID of the resource, in the form `<pairing_id>/<replication_id>`."),
		"replication_id":      managed.StableString("ID of the replication in vSphere Replication."),
		"target_vcenter_id":   managed.StableString("Instance UUID of the vCenter at the target site."),
		"source_vcenter_id":   managed.StableString("Instance UUID of the vCenter of the VM."),
		"source_site_name":    managed.StableString("Name of the source site."),
		"target_site_name":    managed.StableString("Name of the target site."),
		"replication_type":    managed.StableString("Type of the replication, such as `VC_TO_VC`."),
		"name":                managed.StableString("Name of the replication, which is the name of the VM."),
		"configuration_state": managed.String("State of the configuration: `OK`, `IN_PROGRESS`, `ERROR` or `UNKNOWN`."),
		"recovery_solution": managed.String("Solution that manages the recovery of the VM, such as Site Recovery. " +
			"Null if there is none. Destroying such a replication requires `destroy_when_managed_by_recovery = true`."),
		"replicated_disks": schema.ListNestedAttribute{
			MarkdownDescription: "Disks of the VM and their replicas, including the home folder, sorted by key. Read " +
				"when the replication is created or imported, and when its target datastore, storage policy, disk " +
				"format or `disks` change. If `disks` is set, also read on each refresh.",
			Computed:      true,
			PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":   managed.String("Device key of the disk, or `" + vr.HomeDisk + "`."),
				"label": managed.String("Label of the disk."),
				"capacity_bytes": schema.Int64Attribute{
					MarkdownDescription: "Capacity of the disk, in " +
						"bytes.",
					Computed: true,
				},
				"replicated": schema.BoolAttribute{
					MarkdownDescription: "Whether the disk is replicated.",
					Computed:            true,
				},
				"datastore_id":        managed.String("ID of the datastore of the replica."),
				"datastore_name":      managed.String("Name of the datastore of the replica."),
				"path":                managed.String("Path of the replica in its datastore."),
				"storage_policy_id":   managed.String("ID of the storage policy of the replica."),
				"storage_policy_name": managed.String("Name of the storage policy of the replica."),
				"disk_format":         managed.String("Format of the replica. Null if the release does not report it."),
			}},
		},
	}
}
