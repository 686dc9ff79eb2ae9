package replication

import (
	"context"
	"maps"
	"regexp"

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
		"replication_id": "Id of the replication in vSphere Replication.",
	})
}

// Schema sets the schema.
func (r *replicationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The replication of one VM by vSphere Replication. Settings are changed in place. " +
			"Create ends when the replication is configured and does not wait for the initial sync, which may take " +
			"days, unless `wait_for_initial_sync` is set. Destroy ends the replication on both sites and deletes the " +
			"replica unless `retain_replica_disks_on_destroy` is set.\n\n" +
			"A VM that is already replicated is not adopted: the error shows the import block that does so. What " +
			"changes without a change of configuration (status, progress, age) is in data source " +
			"`vsla_replication_status`, so that a refresh of any number of replications takes a few requests. " +
			"`target_datastore_id` and `target_storage_policy_id` are compared with the replica only where `disks` " +
			"is set, because the gateway reports them for each disk. Disks that another client has excluded are shown as " +
			"`disks` with `enabled = false` where the provider is connected to the VM's vCenter. A change leaves " +
			"disks as they are, but for what the plan shows, and is refused if another client has changed settings since the " +
			"refresh.\n\n" +
			"Privileges: `Host.Hbr.HbrManagement` and `VirtualMachine.Hbr.ConfigureReplication`, " +
			"`Datastore.FileManagement`, `StorageProfile.View`, `System.View` and `System.Read` at both sites.",
		Attributes: map[string]schema.Attribute{},
	}
	for _, part := range []map[string]schema.Attribute{placement(), settings(), switches(ctx), computed()} {
		maps.Copy(resp.Schema.Attributes, part)
	}
}

func placement() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"pairing_id": managed.Fixed("UUID of the pairing of the two sites.", attribute.IsUUID),
		"vm_id":      managed.Fixed("Id of the VM, `VirtualMachine:vm-42:<instance UUID of its vCenter>`.", attribute.IsVM),
		"target_datastore_id": managed.Required("Id of the datastore (or datastore cluster) at the target site for the "+
			"home folder and for all disks without a datastore of their own in `disks`.", attribute.IsDatastore),
		"target_storage_policy_id": managed.Optional("Id of the storage policy of the replica. Default: that of the "+
			"datastore.", stringvalidator.LengthAtLeast(1)),
		"target_replication_server_id": schema.StringAttribute{
			MarkdownDescription: "Id of the replication server that receives the data. Default: vSphere Replication picks " +
				"one and may move the replication to another, which is not a change.",
			Optional:      true,
			Computed:      true,
			Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"disks": disks(),
	}
}

func disks() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "Settings of single disks that differ, by device key (`\"2000\"`) or `\"" + vr.HomeDisk +
			"\"` for the home folder. Data source `vsla_replication_vm` returns the keys. " +
			"All disks are replicated, listed or not, unless `enabled` is false.",
		Optional:   true,
		Validators: []validator.Map{mapvalidator.KeysAre(isDiskKey), mapvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"enabled": managed.Flag("Whether the disk is replicated. Default true; always true for the home folder.", true),
			"target_datastore_id": managed.Optional("Id of the datastore for this disk. Default: that of the replication.",
				attribute.IsDatastore),
			"storage_policy_id": managed.Optional("Id of the storage policy for this disk. Default: that of the replication.",
				stringvalidator.LengthAtLeast(1)),
			"disk_format": managed.Optional("Format of this disk's replica. Default: that of the replication.", isFormat),
			"seed_path": managed.Optional("Path of a disk at the target that already has most of the data. Changing this for "+
				"a replicated disk forces a new resource. Not for the home folder.", stringvalidator.LengthAtLeast(1)),
		}},
	}
}

func settings() map[string]schema.Attribute {
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
			MarkdownDescription: "Recovery point objective in minutes, 1 to 1,440. Below 5 needs `enhanced_replication = " +
				"true`. The smallest possible value depends on " +
				"VM and release and is checked during plan: for each of the first five new replications of a plan, " +
				"and for all others too where one of them allows less than usual, a longer RPO than 15 minutes or no " +
				"new disks. Otherwise a VM that allows less is refused during apply, before anything of it is " +
				"configured.",
			Required:   true,
			Validators: []validator.Int64{attribute.WholeInRange(planreplication.RangeRPOMinutes)},
		},
		"disk_format": managed.Default("Format of the replica's disks. Default `"+defaultFormat+"`. A change applies to "+
			"disks that are added later; the API does not report the format of existing replicas.", defaultFormat, isFormat),
		"network_compression": managed.Flag("Whether traffic is compressed. Default false.", false),
		"quiesce_guest": managed.Flag("Whether the guest is quiesced for each sync. Default false. Not possible below an "+
			"RPO of 15 minutes in many releases.", false),
		"network_encryption": chosen("Whether traffic is encrypted. Default: as vSphere Replication has it, which is " +
			"true for an encrypted VM and false for a new replication of another one. An encrypted VM is always " +
			"replicated encrypted, so false is refused for it."),
		"enhanced_replication": chosen("Whether this is an enhanced replication, which an RPO below 5 minutes " +
			"needs. Default: as vSphere Replication has it; null where the release does not report it."),
		"auto_replicate_new_disks": managed.Flag("Whether disks added to the VM are replicated. Default true; "+
			"otherwise a new disk stops the replication.", true),
		"replicate_vm_data_sets": managed.Flag("Whether the VM's data sets are replicated. Default false.", false),
		"point_in_time": schema.SingleNestedAttribute{
			MarkdownDescription: "Point in time instances to keep. Default: none.", Optional: true,
			Attributes: map[string]schema.Attribute{
				"instances_per_day": schema.Int64Attribute{
					CustomType: wholenumber.Type{},
					MarkdownDescription: "Instances per day, 1 or more; the total number of instances to keep if `days = 0`, " +
						"whatever their age.",
					Required:   true,
					Validators: []validator.Int64{int64validator.Between(1, 1440)},
				},
				"days": schema.Int64Attribute{
					CustomType: wholenumber.Type{},
					MarkdownDescription: "Days to keep them; 0 keeps a number of instances, without a limit of days. " +
						"At most 24 instances in all in most releases.",
					Required:   true,
					Validators: []validator.Int64{int64validator.Between(0, 3650)},
				},
			},
		},
		"paused": managed.OptionalFlag("Whether the replication is paused. Default: not managed. Use either this or the " +
			"actions `vsla_replication_pause` and `vsla_replication_resume`."),
	}
}

// switches returns the arguments that change only the behavior of the provider.
func switches(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"retain_replica_disks_on_destroy": managed.Off("Whether destroy keeps the disks of the replica at the target, for " +
			"example as seeds."),
		"force_local_destroy": managed.Off("Whether to destroy the replication on the gateway's own site only, when the " +
			"remote site is down or cannot be logged in to. The other site then keeps its half, to be cleaned up by hand. A " +
			"refresh needs both sites, so run `terraform destroy -refresh=false`."),
		"destroy_when_managed_by_recovery": managed.Off("Whether to destroy a replication that a recovery solution " +
			"manages, or whose recovery has begun."),
		"wait_for_initial_sync": managed.Off("Whether creating waits for the initial sync. A timeout of that wait is a " +
			"warning; the replication stays in state and continues."),
		"skip_capability_check": managed.Off("Whether the plan skips the check of what replication can do with the VM."),
		"timeouts": managed.Timeouts(ctx, "Time limits. When a timeout expires the appliance continues the task; "+
			"state records its progress.", timeouts.Opts{
			Create: true, Read: true, Update: true, Delete: true,
			CreateDescription: "Time limit of creating, as in `1h30m`. Default 30 minutes, and 24 hours with " +
				"`wait_for_initial_sync`.",
			ReadDescription:   "Time limit of a refresh. Default 5 minutes.",
			UpdateDescription: "Time limit of a change. Default 30 minutes.",
			DeleteDescription: "Time limit of destroying. Default 30 minutes.",
		}),
	}
}

func computed() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  managed.Kept("`<pairing_id>/<replication_id>`."),
		"replication_id":      managed.Kept("Id of the replication in vSphere Replication."),
		"target_vcenter_id":   managed.Kept("Instance UUID of the target's vCenter: the other one of the pairing."),
		"source_vcenter_id":   managed.Kept("Instance UUID of the VM's vCenter."),
		"source_site_name":    managed.Kept("Name of the VM's site."),
		"target_site_name":    managed.Kept("Name of the target's site."),
		"replication_type":    managed.Kept("`VC_TO_VC`, or what a later release adds."),
		"name":                managed.Kept("Name of the replication, which is the VM name."),
		"configuration_state": managed.Text("`OK`, `IN_PROGRESS`, `ERROR` or `UNKNOWN`."),
		"recovery_solution": managed.Text("Solution that manages the recovery of the VM, for example Site Recovery; null " +
			"when none does. To destroy such a replication needs `destroy_when_managed_by_recovery`."),
		"replicated_disks": schema.ListNestedAttribute{
			MarkdownDescription: "The VM's disks and their replicas, the home folder among them, sorted by key. Read when " +
				"the replication is created, imported or changed in what concerns disks, and at each refresh where `disks` is set.",
			Computed:      true,
			PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":                 managed.Text("Device key, or `" + vr.HomeDisk + "`."),
				"label":               managed.Text("Label of the disk."),
				"capacity_bytes":      schema.Int64Attribute{MarkdownDescription: "Capacity in bytes.", Computed: true},
				"replicated":          schema.BoolAttribute{MarkdownDescription: "Whether the disk is replicated.", Computed: true},
				"datastore_id":        managed.Text("Id of the replica's datastore."),
				"datastore_name":      managed.Text("Name of the replica's datastore."),
				"path":                managed.Text("Path of the replica in its datastore."),
				"storage_policy_id":   managed.Text("Id of the replica's storage policy."),
				"storage_policy_name": managed.Text("Name of the replica's storage policy."),
			}},
		},
	}
}
