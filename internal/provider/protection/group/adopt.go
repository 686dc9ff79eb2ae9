package group

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

// adopted contains the settings of an existing group that a create takes over, before the create changes them.
type adopted struct {
	membership.Rules

	GroupID     types.String `tfsdk:"protection_group_id"`
	Replication types.Object `tfsdk:"replication"`
	Snapshots   types.Map    `tfsdk:"snapshot_policies"`
	Locked      types.Bool   `tfsdk:"locked"`
}

var adoptedType = func() types.ObjectType {
	t := types.ObjectType{AttrTypes: map[string]attr.Type{
		"protection_group_id": types.StringType,
		"replication":         replicationType,
		"snapshot_policies":   snapshotsType,
		"locked":              types.BoolType,
	}}
	for name, attribute := range ruleAttributes() {
		if name != "cluster_id" && name != "name" {
			t.AttrTypes[name] = attribute.GetType()
		}
	}
	return t
}()

func adoptAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"adopt_existing": managed.DefaultFalse("Whether to adopt an existing group with the same name instead of " +
			"returning an error. The plan shows its settings in `adopts`, and the apply changes those that differ " +
			"from the configuration. Also use this after an apply that was killed before it saved the state. The " +
			"group must not be managed by another configuration, because destroying this resource deletes it."),
		"adopts": schema.ObjectAttribute{
			MarkdownDescription: "Existing group that the planned create adopts: its `protection_group_id`, and its " +
				"rules, `replication`, `snapshot_policies` and `locked` before the create, in the form of the " +
				"arguments. Null if there is none, and after a refresh. If another client changes them after the " +
				"plan, Terraform or the provider stops the apply.",
			Computed:       true,
			AttributeTypes: adoptedType.AttrTypes,
		},
	}
}

// importedOf returns the state that an import of the group would create.
func importedOf(ctx context.Context, cluster string, g snapservice.Group, diags *diag.Diagnostics) model {
	return newImported(cluster, g.ID).refreshed(ctx, g, diags)
}

func adoptedOf(ctx context.Context, m model, diags *diag.Diagnostics) types.Object {
	object, found := types.ObjectValueFrom(ctx, adoptedType.AttrTypes, adopted{
		Rules:       m.Rules,
		GroupID:     m.GroupID,
		Replication: m.Replication,
		Snapshots:   m.Snapshots,
		Locked:      m.Locked,
	})
	diags.Append(found...)
	return object
}

// planAdoption looks for a group with the planned name that is to be adopted. From then on, the create is planned like
// an update of this group.
func (p *planner) planAdoption(ctx context.Context) {
	if p.plan.AdoptExisting.IsUnknown() || p.plan.Name.IsUnknown() {
		return // adopts stays unknown
	}
	p.plan.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	if !p.plan.AdoptExisting.ValueBool() {
		return
	}
	if p.inState() { // unknown whether the apply removes it first
		p.plan.Adopts = types.ObjectUnknown(adoptedType.AttrTypes)
		p.plan.Removes = types.ListUnknown(types.StringType)
		return
	}
	groups, err := p.client.Groups(ctx, p.plan.ClusterID.ValueString(), snapservice.Shared)
	if err != nil {
		return // checkName reports it
	}
	for _, g := range groups {
		if g.Name == p.name() && g.Status != snapservice.Deleted {
			existing := importedOf(ctx, p.plan.ClusterID.ValueString(), g, p.diags)
			p.plan.Adopts = adoptedOf(ctx, existing, p.diags)
			p.state = &existing
		}
	}
}

// adopt changes the group that the plan shows to the planned settings.
func (r *groupResource) adopt(
	ctx context.Context, c *snapservice.Client, plan model, p snapservice.WaitOptions, diags *diag.Diagnostics,
) (snapservice.Group, error) {
	id, _ := plan.Adopts.Attributes()["protection_group_id"].(basetypes.StringValue)
	cluster := plan.ClusterID.ValueString()
	g, err := c.Group(ctx, cluster, id.ValueString())
	if err != nil {
		return snapservice.Group{}, err
	}
	existing := importedOf(ctx, cluster, g, diags)
	if !adoptedOf(ctx, existing, diags).Equal(plan.Adopts) {
		return snapservice.Group{}, &driftError{"the settings"}
	}
	if !connection.State[resume.Store](r.Clients).Claim(g.ID, true) {
		return snapservice.Group{}, resume.ErrRemoved
	}
	g, err = update(ctx, c, plan, existing, p)
	if err != nil {
		return snapservice.Group{}, err // do not save the group, or the failed create would own it
	}
	return g, nil
}

// claimDeleted reports whether a delete may remove the group. If a create of the same run has adopted it, it adds a
// warning and returns false.
func (r *groupResource) claimDeleted(state model, diags *diag.Diagnostics) bool {
	if connection.State[resume.Store](r.Clients).Claim(state.GroupID.ValueString(), false) {
		return true
	}
	diags.AddWarning("Protection Group Not Deleted", fmt.Sprintf(
		"A create of this apply has adopted group %q (adopt_existing = true), so it is "+
			"kept.", state.Name.ValueString()))
	return false
}
