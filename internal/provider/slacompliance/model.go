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
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

type model struct {
	Tiers          map[string]tierModel `tfsdk:"tiers"`
	PairingID      types.String         `tfsdk:"pairing_id"`
	Clusters       types.List           `tfsdk:"protection_clusters"`
	Folder         types.String         `tfsdk:"folder"`
	Cluster        types.String         `tfsdk:"cluster"`
	LookbackHours  types.Float64        `tfsdk:"lookback_hours"`
	ReadMinutesMax types.Float64        `tfsdk:"read_minutes_max"`

	Compliant             types.Bool             `tfsdk:"compliant"`
	VMCount               types.Int64            `tfsdk:"vm_count"`
	TierVMCounts          map[string]types.Int64 `tfsdk:"tier_vm_counts"`
	VirtualMachines       map[string]vmModel     `tfsdk:"virtual_machines"`
	Unprotected           types.List             `tfsdk:"unprotected"`
	WeakerThanPromised    types.List             `tfsdk:"weaker_than_promised"`
	InViolation           types.List             `tfsdk:"in_violation"`
	SeveralTiers          types.List             `tfsdk:"several_tiers"`
	UntaggedButReplicated types.List             `tfsdk:"untagged_but_replicated"`
	Templates             types.List             `tfsdk:"templates"`
	Orphans               types.List             `tfsdk:"orphaned_replication_ids"`
	Uncovered             types.List             `tfsdk:"uncovered"`
	UncoveredUnknown      types.List             `tfsdk:"uncovered_unknown"`
	ReplicatedElsewhere   types.List             `tfsdk:"replicated_elsewhere"`
	Periods               map[string]periodModel `tfsdk:"periods"`
	Summary               types.String           `tfsdk:"summary"`
}

type tierModel struct {
	TagID             types.String  `tfsdk:"tag_id"`
	RPOMinutes        types.Int64   `tfsdk:"rpo_minutes"`
	CompliancePercent types.Float64 `tfsdk:"compliance_percent"`
}

type periodModel struct {
	VMCount           types.Int64   `tfsdk:"vm_count"`
	UnknownVMCount    types.Int64   `tfsdk:"unknown_vm_count"`
	PromisedPercent   types.Float64 `tfsdk:"promised_compliance_percent"`
	CompliancePercent types.Float64 `tfsdk:"compliance_percent"`
	Violations        types.Int64   `tfsdk:"violations"`
	ViolationMinutes  types.Float64 `tfsdk:"violation_minutes"`
	KnownMinutes      types.Float64 `tfsdk:"known_minutes"`
	UnknownMinutes    types.Float64 `tfsdk:"unknown_minutes"`
	Verdict           types.String  `tfsdk:"verdict"`

	Days []period.Day `tfsdk:"days"`
}

type vmModel struct {
	Name          types.String `tfsdk:"name"`
	Tier          types.String `tfsdk:"tier"`
	PromisedRPO   types.Int64  `tfsdk:"promised_rpo_minutes"`
	ConfiguredRPO types.Int64  `tfsdk:"configured_rpo_minutes"`
	Status        types.String `tfsdk:"status"`
	ProtectedBy   types.String `tfsdk:"protected_by"`
	Verdict       types.String `tfsdk:"verdict"`
}

func (m *model) promises() map[string]compliance.Tier {
	tiers := make(map[string]compliance.Tier, len(m.Tiers))
	for name, tier := range m.Tiers {
		tiers[name] = compliance.Tier{
			RPOMinutes: tier.RPOMinutes.ValueInt64(), CompliancePercent: tier.CompliancePercent.ValueFloat64Pointer(),
		}
	}
	return tiers
}

func (m *model) fill(r compliance.Result) {
	m.Compliant, m.Summary = types.BoolValue(r.Compliant), types.StringValue(r.Summary)
	for list, ids := range map[*types.List][]string{
		&m.Unprotected: r.Unprotected, &m.WeakerThanPromised: r.WeakerThanPromised,
		&m.InViolation: r.InViolation, &m.SeveralTiers: r.SeveralTiers,
		&m.UntaggedButReplicated: r.UntaggedButReplicated, &m.Templates: r.Templates, &m.Orphans: r.Orphans,
	} {
		*list = attribute.Strings(ids)
	}
	if r.Periods != nil {
		m.Periods = make(map[string]periodModel, len(r.Periods))
	}
	for name, p := range r.Periods {
		m.Periods[name] = periodModel{
			VMCount:           types.Int64Value(int64(len(p.Each))),
			UnknownVMCount:    types.Int64Value(p.UnknownVMs),
			PromisedPercent:   types.Float64PointerValue(p.PromisedPercent),
			CompliancePercent: types.Float64PointerValue(p.CompliancePercent),
			Violations:        types.Int64Value(p.Violations),
			ViolationMinutes:  types.Float64Value(p.Violation),
			KnownMinutes:      types.Float64Value(p.Known),
			UnknownMinutes:    types.Float64Value(p.Unknown),
			Verdict:           types.StringValue(p.Verdict),
			Days:              period.Days(p.Days),
		}
	}
	total := int64(0)
	m.TierVMCounts = make(map[string]types.Int64, len(r.Tagged))
	for name, n := range r.Tagged {
		total += n
		m.TierVMCounts[name] = types.Int64Value(n)
	}
	m.VMCount = types.Int64Value(total)
	m.VirtualMachines = make(map[string]vmModel, len(r.VMs))
	for id, v := range r.VMs {
		m.VirtualMachines[id] = vmModel{
			Name:          attribute.OrNull(v.Name),
			Tier:          attribute.OrNull(v.Tier),
			PromisedRPO:   minutes(v.PromisedRPOMinutes),
			ConfiguredRPO: minutes(v.ConfiguredRPOMinutes),
			Status:        attribute.OrNull(v.Status),
			ProtectedBy:   attribute.OrNull(v.ProtectedBy),
			Verdict:       types.StringValue(v.Verdict),
		}
	}
}

func minutes(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

const description = "Compares what tiers promise by their tags with what vSphere Replication and vSAN Data " +
	"Protection do now: is every VM that carries a tier's tag replicated, with the RPO that the tier promises or a " +
	"shorter one, and is it within that RPO? It changes nothing, and needs the connection to vCenter and the " +
	"argument `replication` or `data_protection` of the provider.\n\n" +
	"It fails closed. Only a replication that runs and has a complete copy protects a VM. One that is paused, in " +
	"error, not active, being configured, in its first sync, taken over by a recovery, or in a state that is not " +
	"known here leaves its VM in `unprotected`, and `verdict` shows why; so for a while after a replication was " +
	"made. An answer that is not complete, a tag that does not exist, or a pairing that the vCenter is no part of is " +
	"an error, never compliance.\n\n" +
	"Only tags of the connected vCenter count, and the replications that leave it, whichever side of the pairing it " +
	"is; those that arrive are the other site's promises. A tag on a folder, a host or " +
	"anything else but a VM is no promise.\n\n" +
	"It also lists what no tier covers: `uncovered`. It measures; `vsla_sla_plan` predicts.\n\n" +
	"It takes one request for all tags and one more for each tag that nothing carries, three for the VMs and one for " +
	"each 1,000, one for each 1,000 powered-on VMs without tier and replication, and one for each 200 replications; " +
	"the listing of replications is shared with `vsla_replication` and `vsla_replications`. With `folder` or " +
	"`cluster`, tagged VMs elsewhere take one for each 1,000 more.\n\n" +
	"Privileges: Read-only on vCenter's root object, and to see replications at both sites."

var verdicts = []struct{ word, meaning string }{
	{
		compliance.NotFound,
		"the tag is on a VM that vCenter does not show (removed meanwhile, or hidden from the user) and nothing replicates",
	},
	{compliance.Unprotected, "there is no replication"},
	{compliance.Failed, "the replication or its configuration is in error"},
	{compliance.Recovered, "a recovery has begun or is done, so that what runs at the target is not protected"},
	{compliance.Paused, "nothing is sent until it is resumed: a paused replication is no protection"},
	{compliance.Configuring, "its configuration is not finished"},
	{compliance.InitialSync, "the initial sync is not complete, so there is nothing to recover"},
	{compliance.NotActive, "nothing is sent, because the VM is off or cannot be reached"},
	{compliance.UnknownStatus, "the state is not known, or is a word of a later release"},
	{compliance.ViolationUnknown, "it runs, and the release does not report whether it keeps its RPO"},
	{compliance.InViolation, "the replica is older now than the configured RPO allows"},
	{compliance.WeakerThanPromised, "the configured RPO is longer than the promised one"},
	{compliance.SeveralTiers, "all is kept, but the VM carries the tags of several tiers"},
	{compliance.Compliant, "what the tier promises is kept"},
	{compliance.Untagged, "the VM is replicated and carries no tier's tag"},
}

func verdictDoc() string {
	lines := make([]string, 0, len(verdicts))
	for _, v := range verdicts {
		lines = append(lines, "`"+v.word+"` ("+v.meaning+")")
	}
	return "The first of these that holds: " + strings.Join(
		lines,
		", ",
	) + ". The first ten are in `unprotected`. A VM that has several faults is in several lists."
}

// Schema describes the data source.
func (d *complianceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ids := attribute.Texts
	all := map[string]schema.Attribute{
		"tiers": tiersAttribute(),
		"pairing_id": attribute.OptionalText("UUID of the pairing of vSphere Replication, as data source "+
			"`vsla_replication_pairing` returns. This or `protection_clusters` is required; both can be set.",
			stringvalidator.LengthAtLeast(1),
			stringvalidator.AtLeastOneOf(path.MatchRoot("pairing_id"), path.MatchRoot("protection_clusters"))),
		"protection_clusters": attribute.OptionalTexts("Managed object ids of the clusters whose protection groups of vSAN "+
			"Data Protection count; needs the argument `data_protection` of the provider. A VM in another cluster is "+
			"unprotected unless vSphere Replication protects it. The RPO is that of the VM's group, the longest of several; "+
			"local snapshots never count. Release 9.0 does not report violations: `violation_unknown`. In `periods` these VMs "+
			"are unknown.", listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
		"lookback_hours": attribute.Optional(
			history.RangeLookbackHours,
			"Asks for `periods`: how far back vCenter's event log is read, in hours. vCenter keeps 720 unless it is set "+
				"otherwise.",
		),
		"read_minutes_max": attribute.Optional(
			eventlog.RangeReadMinutes,
			"How long reading the event log may take, in minutes, by the estimate from its first page. Default 30.",
		),
		"periods": periodsAttribute(),
		"compliant": attribute.Truth("Whether `unprotected`, `weaker_than_promised`, `in_violation` and `several_tiers` " +
			"are empty, and with `lookback_hours` no tier's period is `broken` or `unknown`. Also true where no VM carries a " +
			"tag: see `vm_count`. Null where all of this holds but the account may not read every VM, so that whether others " +
			"are unprotected is not known: a warning has the reason."),
		"vm_count": attribute.Whole("Number of VMs that carry a tier's tag, templates not among them."),
		"tier_vm_counts": schema.MapAttribute{
			MarkdownDescription: "Number of VMs that carry each tier's tag, by tier, templates not among them. " +
				"A VM with the tags of several tiers counts for one of them only: see `several_tiers`.",
			ElementType: types.Int64Type,
			Computed:    true,
		},
		"virtual_machines": vmsAttribute(),
		"unprotected": ids("Managed object ids of the VMs that carry a tier's tag and that no replication protects now, " +
			"sorted."),
		"weaker_than_promised": ids("Managed object ids of the VMs that are replicated with a longer RPO than promised, " +
			"sorted."),
		"in_violation": ids("Managed object ids of the VMs whose replica is older now than even the configured RPO allows, " +
			"by the status of the replication, sorted. A VM with a longer RPO than promised may be missing here, and is in " +
			"`weaker_than_promised`."),
		"several_tiers": ids("Managed object ids of the VMs that carry the tags of several tiers, sorted. The shortest RPO " +
			"counts, and the first tier by name among equals."),
		"untagged_but_replicated":  ids("VMs that are replicated and carry no tier's tag. This breaks no promise."),
		"templates":                ids("Templates that carry a tier's tag. They cannot be replicated, and are not judged."),
		"orphaned_replication_ids": ids("Ids of replications whose VM is not known any more. They protect nobody."),
		"summary":                  attribute.Text("The result in words, for error messages."),
	}
	maps.Copy(all, uncoveredAttributes())
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: all}
}

func tiersAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: "The tiers, by name.", Required: true, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"tag_id": attribute.RequiredText("Id of the tag whose carriers belong to the tier. Each tier has its own.",
				stringvalidator.LengthAtLeast(1)),
			"rpo_minutes": schema.Int64Attribute{
				MarkdownDescription: "What the tier promises: how old the newest recovery point may be, in whole minutes, 1 to " +
					"1,440.",
				Required:   true,
				Validators: []validator.Int64{attribute.WholeInRange(replication.RangeRPOMinutes)},
			},
			"compliance_percent": attribute.Optional(
				replication.RangeTargetCompliancePercent,
				"What the tier promises for a period: the share of its VMs' time within the RPO, in percent. It is compared "+
					"in `periods`, and needs `lookback_hours`.",
			),
		}},
	}
}

func vmsAttribute() schema.MapNestedAttribute {
	return attribute.Objects("The VMs that carry a tier's tag, and those that are replicated without one, by managed "+
		"object id.", map[string]schema.Attribute{
		"name": attribute.Text("Name of the VM: vCenter's, or that of its replication where vCenter does not show it; null " +
			"where neither knows it."),
		"tier":                   attribute.Text("Name of its tier; null without one."),
		"promised_rpo_minutes":   attribute.Whole("RPO of its tier, in minutes; null without one."),
		"configured_rpo_minutes": attribute.Whole("RPO of its replication, in minutes; null without one."),
		"status": attribute.Text("Status of its replication, in vSphere Replication's " +
			"words; null without one."),
		"protected_by": attribute.Text("`vsphere_replication`, `protection_group`, or `both`, where the better one counts; " +
			"null without a replication."),
		"verdict": attribute.Text(verdictDoc()),
	})
}
