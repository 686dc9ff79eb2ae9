package slacompliance

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/wholenumber"
)

const description = "Compares the RPOs of tiers with the current state of vSphere Replication and vSAN Data " +
	"Protection. A tag assigns VMs to a tier. The data source checks whether every tagged VM is replicated, whether " +
	"its configured RPO is at most the RPO of the tier, and whether the RPO is currently met. It makes no changes. " +
	"It requires a connection to vCenter and the `replication` or `data_protection` argument of the provider.\n\n" +
	"The check fails closed. Only a running replication with a complete copy protects a VM. The VM is in " +
	"`unprotected` if its replication is paused, failed, inactive, being configured, in its initial sync, recovered, " +
	"or in an unknown state. This includes the time directly after a replication is created. `verdict` contains the " +
	"reason. Incomplete responses, missing tags, and a pairing without the connected vCenter cause an error.\n\n" +
	"The check covers tags of the connected vCenter and its outgoing replications. It ignores incoming replications, " +
	"which belong to the other site, and tags on objects other than VMs.\n\n" +
	"VMs without a tier are listed in `uncovered`. To predict compliance instead of measuring it, use " +
	"`vsla_sla_plan`.\n\n" +
	"A read takes the following requests: one for all tags, one per tag without objects, three for the VMs, one per " +
	"1,000 VMs, one per 1,000 powered-on VMs without tier and replication, and one per 200 replications. It shares " +
	"the list of replications with `vsla_replication` and `vsla_replications`. With `folder` or `cluster`, it takes " +
	"one more request per 1,000 tagged VMs elsewhere.\n\n" +
	"Requires read-only access to the root object of vCenter, and the privilege to view replications at both sites."

var verdicts = []struct{ code, meaning string }{
	{
		compliance.NotFound,
		"the VM is tagged, but vCenter does not return it because it was removed or the user cannot read it, and it " +
			"is not replicated",
	},
	{compliance.Unprotected, "the VM is not replicated"},
	{compliance.Failed, "the replication or its configuration has an error"},
	{compliance.Recovered, "a recovery has started or is complete, so the recovered VM is not protected"},
	{compliance.Paused, "the replication is paused and sends no data"},
	{compliance.Configuring, "the replication is being configured"},
	{compliance.NotActive, "the replication sends no data, because the VM is powered off or unreachable"},
	{compliance.UnknownStatus, "the state is unknown, or was added by a later release"},
	{compliance.InitialSync, "the initial sync is not complete"},
	{compliance.ViolationUnknown, "the replication is running, but the release does not report whether the RPO is met"},
	{compliance.InViolation, "the replica is older than the configured RPO"},
	{compliance.WeakerThanPromised, "the configured RPO is longer than the promise of the tier allows"},
	{compliance.SeveralTiers, "the RPO is met, but the VM has the tags of several tiers"},
	{compliance.Compliant, "the RPO of the tier is met"},
	{compliance.Untagged, "the VM is replicated, but has no tag of a tier"},
}

func verdictDoc() string {
	lines := make([]string, 0, len(verdicts))
	for _, v := range verdicts {
		lines = append(lines, "`"+v.code+"` ("+v.meaning+")")
	}
	return "Verdict on the VM. The first of these that applies: " + strings.Join(
		lines,
		", ",
	) + ". VMs with one of the first ten verdicts are in `unprotected`. A VM with several problems is in several lists."
}

// Schema sets the schema.
func (d *complianceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ids := attribute.StringList
	attributes := map[string]schema.Attribute{
		"tiers": tiersAttribute(),
		"pairing_id": attribute.OptionalString("UUID of the vSphere Replication pairing, from the data source "+
			"`vsla_replication_pairing`. At least one of this and `protection_clusters` is required.",
			stringvalidator.LengthAtLeast(1),
			stringvalidator.AtLeastOneOf(path.MatchRoot("pairing_id"), path.MatchRoot("protection_clusters"))),
		"protection_clusters": attribute.OptionalStringList("Managed object IDs of the clusters whose vSAN Data "+
			"Protection groups are included. Requires the `data_protection` argument of the provider. A VM in "+
			"another cluster is protected only by vSphere Replication. The configured RPO is the RPO of the "+
			"protection group, or the longest RPO if the VM is in several groups. Local snapshots do not count. "+
			"Release 9.0 does not report violations, so its VMs have the verdict `violation_unknown`. In `periods`, "+
			"VMs of protection groups are "+
			"unknown.", listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
		"lookback_hours": attribute.OptionalFloat64(
			history.RangeLookbackHours,
			"Length of the period to evaluate, in hours. Required for `periods`. vCenter keeps events for 720 hours "+
				"by default.",
		),
		"read_minutes_max": attribute.OptionalFloat64(
			eventlog.RangeReadMinutes,
			"Maximum estimated time to read the event log, in minutes. Defaults to `30`.",
		),
		"periods": periodsAttribute(),
		"compliant": attribute.Bool("Whether all tiers are compliant. This is `true` if `unprotected`, " +
			"`weaker_than_promised`, `in_violation` and `several_tiers` are empty and, with `lookback_hours`, no " +
			"tier has the verdict `broken` or `unknown` in `periods`. This is also the case if no VM is tagged, so " +
			"check `vm_count` too. Null if no problem was found but the user cannot read all VMs, so other VMs may " +
			"be unprotected. A warning contains the reason."),
		"vm_count": attribute.Int64("Number of VMs with a tag of a tier, excluding templates."),
		"tier_vm_counts": schema.MapAttribute{
			MarkdownDescription: "Number of VMs with the tag of each tier, by tier, excluding templates. A VM with " +
				"the tags of several tiers is counted for only one tier, as described for `several_tiers`.",
			ElementType: types.Int64Type,
			Computed:    true,
		},
		"verdict_counts": schema.MapAttribute{
			MarkdownDescription: "Number of VMs in `virtual_machines` with each verdict, by verdict. For example, " +
				"VMs that are not replicated (`unprotected`) are counted apart from those in their initial sync " +
				"(`initial_sync`).",
			ElementType: types.Int64Type,
			Computed:    true,
		},
		"virtual_machines": vmsAttribute(),
		"unprotected": ids("Managed object IDs of the tagged VMs that are currently not protected by a replication, " +
			"sorted."),
		"weaker_than_promised": ids("Managed object IDs of the VMs whose configured RPO is longer than the tier's " +
			"`configured_rpo_minutes`, or than its `rpo_minutes`, sorted."),
		"in_violation": ids("Managed object IDs of the VMs whose replica is currently older than the configured RPO " +
			"according to the status of the replication, sorted. A VM in `weaker_than_promised` may exceed the RPO " +
			"of the tier without being listed here."),
		"several_tiers": ids("Managed object IDs of the VMs with the tags of several tiers, sorted. For these VMs, " +
			"the shortest RPO applies. If RPOs are equal, the first tier by name applies."),
		"untagged_but_replicated": ids("Managed object IDs of the VMs that are replicated but have no tag of a tier. " +
			"They do not affect `compliant`."),
		"templates": ids("Managed object IDs of the templates with a tag of a tier. Templates cannot be " +
			"replicated and are not checked."),
		"orphaned_replication_ids": ids("IDs of the replications whose VM no longer exists."),
		"summary":                  attribute.String("Summary of the result, for example for an `error_message`."),
	}
	maps.Copy(attributes, uncoveredAttributes())
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: attributes}
}

func tiersAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "Tiers, by name.",
		Required:            true,
		Validators:          []validator.Map{mapvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"tag_id": attribute.RequiredString(
				"ID of the tag that assigns VMs to the tier. Each tier requires its own tag.",
				stringvalidator.LengthAtLeast(1),
			),
			"rpo_minutes": schema.Int64Attribute{
				MarkdownDescription: "RPO of the tier, in whole minutes. Must be between 1 and 1,440.",
				Required:            true,
				CustomType:          wholenumber.Type{},
				Validators:          []validator.Int64{attribute.Int64InRange(replication.RangeRPOMinutes)},
			},
			"configured_rpo_minutes": schema.Int64Attribute{
				MarkdownDescription: "Longest RPO that a replication of the tier may be configured with, such as " +
					"`suggested_rpo_minutes` of `vsla_sla_plan`. Defaults to `rpo_minutes`.",
				Optional:   true,
				CustomType: wholenumber.Type{},
				Validators: []validator.Int64{attribute.Int64InRange(replication.RangeRPOMinutes)},
			},
			"compliance_percent": attribute.OptionalFloat64(
				promise.RangeTargetCompliancePercent,
				"Promised share of time within the RPO for each VM of the tier, in percent. Evaluated in `periods`. "+
					"Requires `lookback_hours`.",
			),
		}},
	}
}

func vmsAttribute() schema.MapNestedAttribute {
	return attribute.Objects("VMs with a tag of a tier and replicated VMs without a tier, by managed object "+
		"ID.", map[string]schema.Attribute{
		"name": attribute.String("Name of the VM in vCenter. If vCenter does not return the VM, the name of its " +
			"replication. Null if both are unknown."),
		"tier":                 attribute.String("Name of the tier of the VM. Null if it has none."),
		"promised_rpo_minutes": attribute.Int64("RPO of the tier of the VM, in minutes. Null if it has no tier."),
		"configured_rpo_minutes": attribute.Int64("Configured RPO of the replication, in minutes. Null without a " +
			"replication."),
		"status": attribute.String("Status of the replication as reported by vSphere Replication. Null without a " +
			"replication."),
		"protected_by": attribute.String("Mechanism that protects the VM: `vsphere_replication`, `protection_group`, " +
			"or `both`. With `both`, the better result applies. Null without a replication."),
		"verdict": attribute.String(verdictDoc()),
	})
}
