package group

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
)

// IdentitySchema sets the identity schema.
func (r *groupResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.Schema(map[string]string{
		"cluster_id":          "Managed object ID of the cluster.",
		"protection_group_id": "ID of the protection group in the cluster.",
	})
}

// Schema sets the schema.
func (r *groupResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a protection group of vSAN Data Protection 9.0 or later. A protection group " +
			"contains VMs of one cluster, selected by tag, name or ID. It can replicate them to a paired cluster and " +
			"take local snapshots. A tier that spans three clusters needs three groups.\n\n" +
			"Membership follows the tags: a VM that gets the tag becomes a member even if the group does not change. " +
			"If a plan changes the rules, the provider requests a preview from the appliance. `removes` lists the " +
			"VMs that the change removes from the group. Previews require release 9.1.\n\n" +
			"Destroy keeps the snapshots of the group until they expire, unless `delete_snapshots_on_destroy` is " +
			"`true`. A locked group cannot be changed, paused or deleted. To remove it from the state, use a " +
			"`removed` block with `lifecycle { destroy = false }`.\n\n" +
			"Before an update, the provider checks whether another client has changed the settings that it is about " +
			"to overwrite. The API has no versioning, so a change in the seconds between this check and the update " +
			"is not detected.\n\n" +
			"This resource has not been tested against a real appliance. The guide \"Protection by tag\" lists the " +
			"open questions.\n\n" +
			"Requires the privileges `Host.Config.Storage` and `System.Read` on the cluster, and `Site.View` of the " +
			"snapshot service.",
		Attributes: map[string]schema.Attribute{},
	}
	for _, attributes := range []map[string]schema.Attribute{
		ruleAttributes(),
		policyAttributes(),
		toggleAttributes(ctx),
		computedAttributes(),
		adoptAttributes(),
	} {
		maps.Copy(resp.Schema.Attributes, attributes)
	}
}

func ruleAttributes() map[string]schema.Attribute {
	texts := func(doc string) schema.ListAttribute {
		return schema.ListAttribute{
			MarkdownDescription: doc,
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          membership.NonEmptyStrings,
			PlanModifiers:       []planmodifier.List{stringset.PlanModifier()},
		}
	}
	return map[string]schema.Attribute{
		"cluster_id": managed.ForceNewString("Managed object ID of the cluster, such as `domain-c8`.",
			stringvalidator.LengthAtLeast(1)),
		"name": managed.RequiredString("Name of the protection group, unique in the cluster. Can be changed in place.",
			stringvalidator.LengthAtLeast(1)),
		"vm_ids":           texts(membership.VMsDoc),
		"vm_name_patterns": texts(membership.PatternsDoc),
		"tag_rules": schema.ListNestedAttribute{
			MarkdownDescription: membership.RulesDoc + " At least one of `tag_rules`, `vm_ids` and " +
				"`vm_name_patterns` is required.",
			Optional:   true,
			Validators: membership.OneRule,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"tag_ids": managed.RequiredStringList(membership.TagsDoc, membership.NonEmptyStrings...),
				"match":   managed.RequiredString(membership.MatchDoc, membership.MatchValues...),
			}},
		},
	}
}

func periodAttributes(units []periodAttribute, doc string) map[string]schema.Attribute {
	all := make(map[string]schema.Attribute, len(units))
	for _, u := range units {
		all[u.name] = schema.Int64Attribute{
			MarkdownDescription: doc + " " + u.noun() + ". Exactly one of " + attributeNames(units) + " is required.",
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AtLeast(1)},
		}
	}
	return all
}

func attributeNames(units []periodAttribute) string {
	quoted := make([]string, 0, len(units))
	for _, u := range units {
		quoted = append(quoted, "`"+u.name+"`")
	}
	return strings.Join(quoted, ", ")
}

var weekdays = []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}

func policyAttributes() map[string]schema.Attribute {
	merge := func(attributes, more map[string]schema.Attribute) map[string]schema.Attribute {
		maps.Copy(attributes, more)
		return attributes
	}
	whole := func(doc string, from, to int64) schema.Int64Attribute {
		return managed.RequiredInt64(doc, int64validator.Between(from, to))
	}
	retention := periodAttributes((&retentionModel{}).units(), "Retention, in")
	retentionPolicy := func(doc string, at map[string]schema.Attribute) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{MarkdownDescription: doc, Optional: true, Attributes: merge(at, retention)}
	}
	hour := "Hour of the day. Must be between 0 and 23. The API does not document the time zone."
	return map[string]schema.Attribute{
		"replication": schema.SingleNestedAttribute{
			MarkdownDescription: "Replication to a paired cluster. If not set, the members are not replicated. " +
				"Removing this argument ends their replication.",
			Optional: true,
			Attributes: map[string]schema.Attribute{
				"cluster_pair_id": managed.RequiredString("ID of the cluster pair, from the data source "+
					"`vsla_cluster_pairs`. Cannot be changed. To use another pair, add a second group, wait for its "+
					"initial sync, and then remove this group.", stringvalidator.LengthAtLeast(1)),
				"rpo_minutes": whole("Recovery point objective, in minutes. Must be between 1 and 1,440.", 1, 1440),
				"keep_last": schema.Int64Attribute{
					MarkdownDescription: "Number of most recent replicas that the target keeps. Must be at least 1. " +
						"Defaults to `1`.",
					Optional:   true,
					Computed:   true,
					Default:    int64default.StaticInt64(1),
					Validators: []validator.Int64{int64validator.AtLeast(1)},
				},
				"target_datastore_id": managed.OptionalString("ID of the datastore for the replicas of new members. "+
					"Existing replicas are not moved. By default, the appliance selects a "+
					"datastore.", stringvalidator.LengthAtLeast(1)),
				"use_replica_seeds": managed.OptionalBool("Whether the initial sync of new members uses seeds. " +
					"Defaults to `false`."),
				"long_term": schema.SingleNestedAttribute{
					MarkdownDescription: "Long-term retention of replicas. Requires release 9.1 or later. At least " +
						"one of `hourly`, `daily`, `weekly` and `monthly` is required.",
					Optional: true,
					Attributes: map[string]schema.Attribute{
						"hourly": retentionPolicy("Keeps one replica per hour.", map[string]schema.Attribute{}),
						"daily": retentionPolicy("Keeps one replica per day.", map[string]schema.Attribute{
							"hour": whole(hour, 0, 23),
						}),
						"weekly": retentionPolicy("Keeps one replica per week.", map[string]schema.Attribute{
							"hour": whole(hour, 0, 23),
							"day_of_week": managed.RequiredString("Day of the week, from `MONDAY` to `SUNDAY`.",
								stringvalidator.OneOf(weekdays...)),
						}),
						"monthly": retentionPolicy("Keeps one replica per month.", map[string]schema.Attribute{
							"hour": whole(hour, 0, 23),
							"day_of_month": whole("Day of the month. Must be between 1 and 31. The API does not "+
								"document what 31 means in shorter months.", 1, 31),
						}),
					},
				},
			},
		},
		"snapshot_policies": schema.MapNestedAttribute{
			MarkdownDescription: "Schedules of local snapshots, by name. Local snapshots do not count toward the RPO " +
				"of the replication.",
			Optional:   true,
			Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
			NestedObject: schema.NestedAttributeObject{Attributes: merge(
				periodAttributes((&intervalModel{}).units(), "Interval between snapshots, in"), retention,
			)},
		},
	}
}

func toggleAttributes(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"paused": managed.OptionalBool("Whether the group is paused. A paused group takes no scheduled snapshots and " +
			"does not delete expired ones. The API does not document whether replication stops as well, so vsla " +
			"treats a paused group as unprotected. If not set, the provider does not manage the pause state. Do not " +
			"set this argument if you use the actions `vsla_protection_group_pause` or " +
			"`vsla_protection_group_resume`."),
		"locked": managed.DefaultFalse("Whether the group is locked. **Locking cannot be undone.** Members, RPO and " +
			"policies of a locked group cannot be changed, the group cannot be deleted, and each snapshot is kept " +
			"until its retention expires. Requires `lock_confirmation`."),
		"lock_confirmation": managed.OptionalString("Name of the group. Required to confirm `locked = true`."),
		"delete_snapshots_on_destroy": managed.DefaultFalse("Whether destroy deletes the snapshots of the group " +
			"immediately."),
		"max_removes": managed.OptionalInt64("Maximum number of members that a change of the rules may remove. If it "+
			"would remove more, the plan fails. By default, there is no limit.", int64validator.AtLeast(0)),
		"timeouts": managed.Timeouts(ctx, "Timeouts, such as `1h30m`. If a timeout expires, the appliance continues "+
			"the task.", timeouts.Opts{
			Create: true,
			Read:   true,
			Update: true,
			Delete: true,
			CreateDescription: "Timeout for create. Does not include the time spent waiting for other operations of " +
				"the appliance. Defaults to `30m`.",
			ReadDescription:   "Time within which a change must become visible in the API. Defaults to `5m`.",
			UpdateDescription: "Timeout for update, measured as for create. Defaults to `30m`.",
			DeleteDescription: "Timeout for destroy, measured as for create. Defaults to `30m`.",
		}),
	}
}

func computedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": managed.StableString("ID of the resource, in the form " +
			"`<cluster_id>/<protection_group_id>`."),
		"protection_group_id": managed.StableString("ID of the protection group in the cluster."),
		"guid":                managed.StableString("ID that the group has at both sites."),
		"status": managed.String("Status of the group: `ACTIVE`, `PAUSED`, or the state of a recovery. During a " +
			"recovery, changes are rejected."),
		"member_vm_ids": managed.StringList("IDs of the member VMs at the last refresh, sorted. Unknown in a plan " +
			"that changes any setting of the group, not only its rules, because members can change until the apply."),
		"removes": managed.StringList("IDs of the member VMs that the planned or last change of the rules removes, " +
			"sorted. Unknown until apply if the rules are unknown, if the same plan attaches or detaches a tag of " +
			"the rules, or with release 9.0. The apply fails if the actual list differs from the planned one."),
		"summary": managed.String("Summary of the group."),
	}
}
