package group

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
		"cluster_id":          "Managed object id of the cluster.",
		"protection_group_id": "Id of the group in the cluster.",
	})
}

// Schema sets the schema.
func (r *groupResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A protection group of vSAN Data Protection (9.0 or later): VMs of one cluster, by tag, name " +
			"or id, with replication to a paired cluster and local snapshots.\n\n" +
			"Members follow the tags without a change of the group. A plan that changes the rules asks the appliance for a " +
			"preview and lists in `removes` the members that would lose their protection. VMs of other clusters are no " +
			"members: a tier over three clusters is three groups.\n\n" +
			"Without `delete_snapshots_on_destroy`, destroy leaves the group's snapshots until they expire. A locked group " +
			"can never be changed, paused or deleted by any operation; `removed { lifecycle { destroy = false } }` removes it " +
			"from state.\n\n" +
			"Only a window of seconds remains between the check for changes of other clients and a change, because the API " +
			"has no versions. No real appliance has been asked; the guide \"Protection by tag\" lists what is not known.\n\n" +
			"Privileges: `Host.Config.Storage` and `System.Read` on the cluster; `Site.View` of the snapshot service for the " +
			"check of capabilities.",
		Attributes: map[string]schema.Attribute{},
	}
	for _, part := range []map[string]schema.Attribute{rules(), policies(), switches(ctx), computed()} {
		maps.Copy(resp.Schema.Attributes, part)
	}
}

func rules() map[string]schema.Attribute {
	texts := func(doc string) schema.ListAttribute {
		return schema.ListAttribute{
			MarkdownDescription: doc, ElementType: types.StringType, Optional: true, Validators: membership.Some,
			PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
		}
	}
	return map[string]schema.Attribute{
		"cluster_id": managed.Fixed("Managed object id of the cluster, such as `domain-c8`.",
			stringvalidator.LengthAtLeast(1)),
		"name": managed.Required("Name, unique in the cluster. A change renames the group in place.",
			stringvalidator.LengthAtLeast(1)),
		"vm_ids":           texts(membership.VMsDoc),
		"vm_name_patterns": texts(membership.PatternsDoc),
		"tag_rules": schema.ListNestedAttribute{
			MarkdownDescription: membership.RulesDoc + " At least one of `tag_rules`, `vm_ids` and `vm_name_patterns` is " +
				"required.",
			Optional: true, Validators: membership.OneRule,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"tag_ids": managed.RequiredTexts(membership.TagsDoc, membership.Some...),
				"match":   managed.Required(membership.MatchDoc, membership.IsMatch...),
			}},
		},
	}
}

func periods(units []unit, doc string) map[string]schema.Attribute {
	all := make(map[string]schema.Attribute, len(units))
	for _, u := range units {
		all[u.name] = schema.Int64Attribute{
			MarkdownDescription: doc + " " + u.noun() + ". Exactly one of " + names(units) + " is required.",
			Optional:            true, Validators: []validator.Int64{int64validator.AtLeast(1)},
		}
	}
	return all
}

func names(units []unit) string {
	quoted := make([]string, 0, len(units))
	for _, u := range units {
		quoted = append(quoted, "`"+u.name+"`")
	}
	return strings.Join(quoted, ", ")
}

func policies() map[string]schema.Attribute {
	with := func(own map[string]schema.Attribute, more map[string]schema.Attribute) map[string]schema.Attribute {
		maps.Copy(own, more)
		return own
	}
	whole := func(doc string, from, to int64) schema.Int64Attribute {
		return managed.RequiredWhole(doc, int64validator.Between(from, to))
	}
	retention := periods((&keep{}).units(), "How long it is kept, in")
	kept := func(doc string, at map[string]schema.Attribute) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{MarkdownDescription: doc, Optional: true, Attributes: with(at, retention)}
	}
	hour := "Hour of the day, 0 to 23. Its time zone is not documented."
	return map[string]schema.Attribute{
		"replication": schema.SingleNestedAttribute{
			MarkdownDescription: "Replication to a paired cluster. Without it the group has local snapshots only. Removing it " +
				"ends the replication of the members.",
			Optional: true,
			Attributes: map[string]schema.Attribute{
				"cluster_pair_id": managed.Required("Id of the cluster pair, as data source `vsla_cluster_pairs` returns. A "+
					"change is refused: add a second group first.", stringvalidator.LengthAtLeast(1)),
				"rpo_minutes": whole("How old the newest recovery point may be, in minutes, 1 to 1,440.", 1, 1440),
				"keep_last": schema.Int64Attribute{
					MarkdownDescription: "How many of the latest replicas the target keeps, 1 or more. Default 1.",
					Optional:            true, Computed: true, Default: int64default.StaticInt64(1),
					Validators: []validator.Int64{int64validator.AtLeast(1)},
				},
				"target_datastore_id": managed.Optional("Datastore for replicas of new members; replicas that exist stay where "+
					"they are. Default: the appliance chooses.", stringvalidator.LengthAtLeast(1)),
				"use_replica_seeds": managed.OptionalFlag("Whether the initial sync of new members starts from seeds. Default " +
					"false."),
				"long_term": schema.SingleNestedAttribute{
					MarkdownDescription: "Replicas that are kept by the calendar, since release 9.1; at least one of `hourly`, " +
						"`daily`, `weekly` and `monthly`.",
					Optional: true,
					Attributes: map[string]schema.Attribute{
						"hourly": kept("One of each hour.", map[string]schema.Attribute{}),
						"daily":  kept("One of each day.", map[string]schema.Attribute{"hour": whole(hour, 0, 23)}),
						"weekly": kept("One of each week.", map[string]schema.Attribute{
							"hour": whole(hour, 0, 23),
							"day_of_week": managed.Required("`MONDAY` to `SUNDAY`.",
								stringvalidator.OneOf("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")),
						}),
						"monthly": kept("One of each month.", map[string]schema.Attribute{
							"hour":         whole(hour, 0, 23),
							"day_of_month": whole("Day of the month, 1 to 31. What 31 means in short months is not documented.", 1, 31),
						}),
					},
				},
			},
		},
		"snapshot_policies": schema.MapNestedAttribute{
			MarkdownDescription: "Local snapshots by schedule, by name. They are no replication and keep no RPO.",
			Optional:            true, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
			NestedObject: schema.NestedAttributeObject{Attributes: with(
				periods((&every{}).units(), "How often a snapshot is made, in"), retention,
			)},
		},
	}
}

func switches(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"paused": managed.OptionalFlag("Whether the group is paused: it makes no scheduled snapshots, and expired ones are " +
			"not deleted. Whether replication stops as well is not documented; vsla takes it as no protection. Default: not " +
			"managed. Use either this or the actions."),
		"locked": managed.Off("Whether the group is locked. **This is final**: members, RPO and policies can never be " +
			"changed again, the group cannot be deleted, and each snapshot stays for its retention. Needs `lock_confirmation`."),
		"lock_confirmation":           managed.Optional("The name of the group, to confirm that `locked` is set to true."),
		"delete_snapshots_on_destroy": managed.Off("Whether destroy deletes the group's snapshots at once."),
		"max_removes": managed.OptionalWhole("Most members that a change of the rules may remove; more are an error. "+
			"Default: no limit.", int64validator.AtLeast(0)),
		"timeouts": managed.Timeouts(ctx, "Time limits, as in `1h30m`. When one has passed the appliance continues the "+
			"task.", timeouts.Opts{
			Create: true, Read: true, Update: true, Delete: true,
			CreateDescription: "Default 30m. The time in which other operations of the appliance are in progress does not " +
				"count.",
			ReadDescription:   "How long a change may take to become visible. Default 5m.",
			UpdateDescription: "Default 30m, as for create.",
			DeleteDescription: "Default 30m, as for create.",
		}),
	}
}

func computed() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  managed.Kept("`<cluster_id>/<protection_group_id>`."),
		"protection_group_id": managed.Kept("Id of the group in the cluster."),
		"guid":                managed.Kept("Id that both sites' halves of the group have in common."),
		"status":              managed.Text("`ACTIVE`, `PAUSED`, or a state of a recovery, in which changes are refused."),
		"member_vm_ids": managed.Texts("Ids of the members at the last refresh, sorted. Unknown in a plan that changes the " +
			"rules."),
		"removes": managed.Texts("Ids of the members that the last change of the rules removes, sorted: known in the plan, " +
			"unless a tag of the rules moves in the same plan. Terraform stops if it differs when the change is applied."),
		"summary": managed.Text("The group in one sentence."),
	}
}

// ValidateConfig rejects empty rules and periods without exactly one unit.
func (r *groupResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.CheckEmpty(&resp.Diagnostics)
	snapshots := config.snapshots(ctx)
	for _, name := range slices.Sorted(maps.Keys(snapshots)) {
		at, policy := path.Root("snapshot_policies").AtMapKey(name), snapshots[name]
		checkPeriod(policy.every.units(), at, &resp.Diagnostics)
		checkPeriod(policy.keep.units(), at, &resp.Diagnostics)
	}
	config.checkLongTerm(ctx, path.Root("replication").AtName("long_term"), &resp.Diagnostics)
	if config.Replication.IsNull() && config.Snapshots.IsNull() {
		resp.Diagnostics.AddWarning("Protection Group Without Protection",
			"The group has neither replication nor snapshot_policies, so it protects nothing.")
	}
}

// checkLongTerm rejects a retention without a calendar and periods without exactly one unit.
func (m model) checkLongTerm(ctx context.Context, at path.Path, diags *diag.Diagnostics) {
	r := m.replication(ctx)
	if r == nil || r.LongTerm == nil {
		return
	}
	known, _ := m.Replication.Attributes()["long_term"].(types.Object)
	some := false
	for _, v := range known.Attributes() {
		some = some || !v.IsNull()
	}
	if !some {
		diags.AddAttributeError(at, "Empty Retention", "At least one of hourly, daily, weekly and monthly is required.")
	}
	if l := r.LongTerm; l.Daily != nil {
		checkPeriod(l.Daily.units(), at.AtName("daily"), diags)
	}
	if l := r.LongTerm; l.Hourly != nil {
		checkPeriod(l.Hourly.units(), at.AtName("hourly"), diags)
	}
	if l := r.LongTerm; l.Monthly != nil {
		checkPeriod(l.Monthly.units(), at.AtName("monthly"), diags)
	}
	if l := r.LongTerm; l.Weekly != nil {
		checkPeriod(l.Weekly.units(), at.AtName("weekly"), diags)
	}
}

// checkPeriod rejects a period without exactly one unit.
func checkPeriod(units []unit, at path.Path, diags *diag.Diagnostics) {
	set := 0
	for _, u := range units {
		if !u.value.IsNull() {
			set++
		}
	}
	if set != 1 {
		diags.AddAttributeError(at, "Invalid Period",
			fmt.Sprintf("Exactly one of %s is required, got %d.", names(units), set))
	}
}
