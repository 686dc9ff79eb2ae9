package group

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
)

type model struct {
	membership.Rules

	ClusterID        types.String   `tfsdk:"cluster_id"`
	Name             types.String   `tfsdk:"name"`
	Replication      types.Object   `tfsdk:"replication"`
	Snapshots        types.Map      `tfsdk:"snapshot_policies"`
	Paused           types.Bool     `tfsdk:"paused"`
	Locked           types.Bool     `tfsdk:"locked"`
	LockConfirmation types.String   `tfsdk:"lock_confirmation"`
	DeleteSnapshots  types.Bool     `tfsdk:"delete_snapshots_on_destroy"`
	MaxRemoves       types.Int64    `tfsdk:"max_removes"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`
	ID               types.String   `tfsdk:"id"`
	GroupID          types.String   `tfsdk:"protection_group_id"`
	GUID             types.String   `tfsdk:"guid"`
	Status           types.String   `tfsdk:"status"`
	MemberVMIDs      types.List     `tfsdk:"member_vm_ids"`
	Removes          types.List     `tfsdk:"removes"`
	Summary          types.String   `tfsdk:"summary"`
}

type identityModel struct {
	ClusterID types.String `tfsdk:"cluster_id"`
	GroupID   types.String `tfsdk:"protection_group_id"`
}

func (m model) identity() identityModel { return identityModel{m.ClusterID, m.GroupID} }

// spec converts the model, which must be fully known, to an API request.
func (m model) spec(ctx context.Context) snapservice.Spec {
	targets, _ := m.Targets()
	return snapservice.Spec{
		Name: m.Name.ValueString(), Targets: targets, Snapshots: m.snapshotPolicies(ctx),
		Replication: m.replication(ctx).policy(), Locked: m.Locked.ValueBool(),
	}
}

func (m model) change(ctx context.Context, state model) snapservice.Change {
	var change snapservice.Change
	now, before := m.spec(ctx), state.spec(ctx)
	was := snapservice.Group{
		Name: before.Name, Targets: before.Targets, Snapshots: before.Snapshots, Replication: before.Replication,
	}
	if now.Name != before.Name {
		change.Name = &now.Name
	}
	if !now.Targets.Equal(before.Targets) {
		change.Targets = &now.Targets
	}
	if snapshots := (snapservice.Change{Snapshots: &now.Snapshots}); !snapshots.Matches(was) {
		change.Snapshots = &now.Snapshots
	}
	if replication := (snapservice.Change{Replication: &now.Replication}); !replication.Matches(was) {
		change.Replication = &now.Replication
	}
	if now.Locked && !before.Locked {
		change.Locked = &now.Locked
	}
	return change
}

func newImported(cluster, id string) model {
	return model{
		Rules:     membership.FromTargets(snapservice.Targets{}),
		ClusterID: types.StringValue(cluster), GroupID: types.StringValue(id),
		Replication: types.ObjectNull(replicationType.AttrTypes), Snapshots: types.MapNull(snapshotsType.ElemType),
		Timeouts: timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{
			"create": types.StringType, "read": types.StringType, "update": types.StringType, "delete": types.StringType,
		})},
	}
}

// withComputed returns the state after a write. It contains the planned values and the computed attributes.
func (m model) withComputed(g snapservice.Group) model {
	m.ID = types.StringValue(m.ClusterID.ValueString() + "/" + g.ID)
	m.GroupID, m.GUID = types.StringValue(g.ID), types.StringValue(g.GUID)
	m.Status, m.MemberVMIDs = types.StringValue(g.Status), stringset.ListValue(g.Members)
	if m.Removes.IsUnknown() || m.Removes.IsNull() {
		m.Removes = stringset.ListValue(nil)
	}
	m.Summary = types.StringValue(summary(m.ClusterID.ValueString(), g))
	return m
}

func summary(cluster string, g snapservice.Group) string {
	s := fmt.Sprintf(
		"Protection group %s of cluster %s: %s", snapservice.Printable(g.Name), cluster, count(len(g.Members), "member"),
	)
	if len(g.Replication) > 0 {
		rpo := g.Replication[0].RPO
		s += fmt.Sprintf(", replicated with an RPO of %s", count(int(rpo.Duration), strings.ToLower(rpo.Unit)))
	}
	if len(g.Snapshots) > 0 {
		s += fmt.Sprintf(", snapshot policies: %d", len(g.Snapshots))
	}
	return s + "."
}

func count(n int, noun string) string { return plan.Count(float64(n), noun) }

// refreshed returns the state after a read. It keeps configured values that are equivalent to the values read.
func (m model) refreshed(ctx context.Context, g snapservice.Group, diags *diag.Diagnostics) model {
	before := m.spec(ctx)
	m.Rules = m.Refreshed(g.Targets)
	if replication := (snapservice.Change{Replication: &before.Replication}); !replication.Matches(g) {
		var unsupported bool
		if m.Replication, unsupported = replicationFrom(ctx, g); unsupported {
			warnUnsupported(path.Root("replication"), g, diags)
		}
	}
	if snapshots := (snapservice.Change{Snapshots: &before.Snapshots}); !snapshots.Matches(g) {
		var unsupported bool
		if m.Snapshots, unsupported = snapshotsFrom(ctx, g); unsupported {
			warnUnsupported(path.Root("snapshot_policies"), g, diags)
		}
	}
	m.Name, m.Locked = types.StringValue(g.Name), types.BoolValue(g.Locked)
	m.DeleteSnapshots = types.BoolValue(m.DeleteSnapshots.ValueBool())
	if !m.Paused.IsNull() {
		m.Paused = types.BoolValue(g.Status == snapservice.Paused)
	}
	return m.withComputed(g)
}

func warnUnsupported(at path.Path, g snapservice.Group, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(at, "Unsupported Settings", fmt.Sprintf(
		"Group %q has a period in a unit that this version of vsla does not support, or several replication policies. "+
			"These settings are not shown, and changes to the group are rejected.", snapservice.Printable(g.Name)))
}

func (p *planner) preview(ctx context.Context) {
	if !p.rulesKnown {
		if p.state != nil {
			p.plan.Removes = types.ListUnknown(types.StringType)
		}
		p.warn("Members Unknown Until Apply", "Some rules are unknown until apply, so the members cannot be previewed.")
		return
	}
	group := ""
	if p.state != nil {
		group = p.state.GroupID.ValueString()
	}
	if n := connection.State[previewCount](p.r.Clients).Add(1); n == previewWarnLimit+1 {
		p.warn("Many Previews", fmt.Sprintf(
			"More than %d rule changes are planned. Each change requests a preview from the appliance.", previewWarnLimit))
	}
	found, err := p.client.Preview(ctx, p.plan.ClusterID.ValueString(), group, p.targets)
	if err != nil {
		failure("Preview", *p.plan, err).AddTo(p.diags)
		return
	}
	if p.state != nil {
		p.planRemoves(found)
	}
	p.warnMembers(ctx, found, group)
}

// planRemoves sets the removes attribute by comparing the preview with the members in state. It does not use the
// current members, because Terraform plans again during apply and requires the same list. It skips VMs whose tags this
// run has changed. If the plan changes which objects have a tag that the rules use, the removes attribute is unknown.
func (p *planner) planRemoves(found snapservice.Preview) {
	ledger := assignment.LedgerOf(p.r.Clients)
	before, _ := p.state.Targets()
	var tags []string
	for _, rule := range slices.Concat(before.Rules, p.targets.Rules) {
		tags = append(tags, rule.Tags...)
	}
	if slices.ContainsFunc(tags, ledger.HasPlannedMove) {
		p.plan.Removes = types.ListUnknown(types.StringType)
		return
	}
	removes := stringset.Without(stringset.Strings(p.state.MemberVMIDs), snapservice.CandidateIDs(found.Included))
	removes = slices.DeleteFunc(removes, func(vm string) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return ledger.HasWritten(tag, vm) })
	})
	slices.Sort(removes)
	p.plan.Removes = stringset.ListValue(removes)
	maxRemoves := p.plan.MaxRemoves
	if !maxRemoves.IsNull() && !maxRemoves.IsUnknown() && int64(len(removes)) > maxRemoves.ValueInt64() {
		p.diags.AddAttributeError(path.Root("max_removes"), "Too Many Members Would Be Removed", fmt.Sprintf(
			"The rule change removes %d members, but max_removes is %d: %s.",
			len(removes), maxRemoves.ValueInt64(), membership.Names(withChange(found.Excluded, "REMOVE"))))
	}
}

func withChange(list []snapservice.Candidate, change string) []snapservice.Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(v snapservice.Candidate) bool { return v.Change != change })
}

func (p *planner) warnMembers(ctx context.Context, found snapservice.Preview, group string) {
	for _, list := range []struct {
		vms           []snapservice.Candidate
		title, detail string
	}{
		{
			withChange(found.Excluded, "REMOVE"), "Protection by Group %q Ends for %s",
			"These members do not match the new rules. Members that the account cannot read are not listed.",
		}, {
			withChange(found.Excluded, "EXCLUDE"), "Group %q Excludes %s",
			"These VMs match the rules, but the appliance excludes them. VMs that the account cannot read are not listed.",
		},
	} {
		if len(list.vms) > 0 {
			p.warn(fmt.Sprintf(list.title, p.name(), count(len(list.vms), "VM")),
				list.detail+"\n\n"+membership.Names(list.vms)+".")
		}
	}
	p.warnSharedMembers(ctx, found, group)
	added, present := len(withChange(found.Included, "ADD")), len(withChange(found.Included, "EXISTING"))
	if p.state != nil && added*5 > present {
		p.warn(fmt.Sprintf("Group %q Gains %s", p.name(), count(added, "Member")),
			fmt.Sprintf("Existing members that remain: %d. Each new member starts with an initial sync.", present))
	}
}

func (p *planner) warnSharedMembers(ctx context.Context, found snapservice.Preview, group string) {
	var otherGroups []string
	shared := slices.DeleteFunc(slices.Clone(found.Included), func(v snapservice.Candidate) bool {
		ids := membership.OtherGroups(v, group)
		otherGroups = stringset.Union(otherGroups, ids)
		return len(ids) == 0
	})
	if len(shared) == 0 {
		return
	}
	groups, err := p.client.Groups(ctx, p.plan.ClusterID.ValueString(), snapservice.Shared)
	if err != nil {
		failure("Read", *p.plan, err).AddTo(p.diags)
		return
	}
	var names []string
	for _, g := range groups {
		if slices.Contains(otherGroups, g.ID) {
			names = append(names, strings.TrimSuffix(summary(p.plan.ClusterID.ValueString(), g), "."))
		}
	}
	p.warn(fmt.Sprintf("Group %q Shares %s With Other Groups", p.name(), count(len(shared), "Member")),
		"The API does not document which RPO applies to them. "+
			strings.Join(names, "; ")+".\n\n"+membership.Names(shared)+".")
}

// NewListResource returns the list resource vsla_protection_group.
func NewListResource() list.ListResource { return &groupResource{base.Resource{TypeName: typeName}} }

// ListResourceConfigSchema sets the schema of the list block.
func (r *groupResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists the active and paused protection groups of a cluster, for `terraform query`. Other " +
			"groups cannot be imported. Requires Terraform 1.14 or later. Returns at most 100 results unless the list block " +
			"sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"cluster_id": listschema.StringAttribute{
				MarkdownDescription: "Managed object ID of the cluster.", Required: true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List streams the groups.
func (r *groupResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config struct {
		ClusterID types.String `tfsdk:"cluster_id"`
	}
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []snapservice.Group {
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.Protection(diags)
		if diags.HasError() {
			return nil
		}
		all, err := c.Groups(ctx, config.ClusterID.ValueString(), snapservice.Shared)
		if err != nil {
			explain.AddError(diags, "Unable to List Protection Groups", "", err)
		}
		return slices.DeleteFunc(slices.Clone(all), func(g snapservice.Group) bool { return !g.IsWritable() })
	}, func(g snapservice.Group) identity.Listed {
		m := newImported(config.ClusterID.ValueString(), g.ID)
		return identity.Listed{
			Name: snapservice.Printable(g.Name), Identity: m.identity(), Resource: m.refreshed(ctx, g, new(diag.Diagnostics)),
		}
	})
}
