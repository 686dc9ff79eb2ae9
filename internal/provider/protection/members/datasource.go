// Package members implements the data source vsla_protection_members, which previews the members of a protection group
// without changing it.
package members

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

type model struct {
	membership.Rules

	ClusterID     types.String             `tfsdk:"cluster_id"`
	GroupID       types.String             `tfsdk:"protection_group_id"`
	VMIDsOut      []string                 `tfsdk:"member_vm_ids"`
	Added         []string                 `tfsdk:"added_vm_ids"`
	Existing      []string                 `tfsdk:"existing_vm_ids"`
	Removed       []string                 `tfsdk:"removed_vm_ids"`
	Excluded      map[string]excludedModel `tfsdk:"excluded"`
	InOtherGroups map[string][]string      `tfsdk:"in_other_groups"`
	VMCount       types.Int64              `tfsdk:"vm_count"`
	Summary       types.String             `tfsdk:"summary"`
}

type excludedModel struct {
	Name    string `tfsdk:"name"`
	Reasons string `tfsdk:"reasons"`
}

// NewDataSource returns the data source vsla_protection_members.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_protection_members", describe, (*connection.Set).Protection, read, (*model).validate)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A preview by vSAN Data Protection 9.1 or later: the VMs that a protection group would have, " +
			"before it exists, or after a change of its rules. It changes nothing. VMs that the user may not read may be " +
			"missing from it. Needs `System.Read`.",
		Attributes: map[string]schema.Attribute{
			"cluster_id": attribute.RequiredText("Managed object id of the cluster. VMs of other clusters are no members.",
				stringvalidator.LengthAtLeast(1)),
			"vm_ids":           attribute.OptionalTexts(membership.VMsDoc, membership.Some...),
			"vm_name_patterns": attribute.OptionalTexts(membership.PatternsDoc, membership.Some...),
			"tag_rules": schema.ListNestedAttribute{
				MarkdownDescription: membership.RulesDoc, Optional: true, Validators: membership.OneRule,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"tag_ids": attribute.RequiredTexts(membership.TagsDoc, membership.Some...),
					"match":   attribute.RequiredText(membership.MatchDoc, membership.IsMatch...),
				}},
			},
			"protection_group_id": attribute.OptionalText("Id of the group in the cluster whose rules would change; left out "+
				"for a new group.", stringvalidator.LengthAtLeast(1)),
			"member_vm_ids":   attribute.Texts("Ids of all members, sorted, for `vm_ids` of `vsla_virtual_machines`."),
			"added_vm_ids":    attribute.Texts("Ids of the new members, sorted."),
			"existing_vm_ids": attribute.Texts("Ids of those that are members already, sorted."),
			"removed_vm_ids":  attribute.Texts("Ids of the members that would not be members any more, sorted."),
			"excluded": attribute.Objects("The VMs that the rules name and the appliance excludes, by id.",
				map[string]schema.Attribute{
					"name":    attribute.Text("Name of the VM."),
					"reasons": attribute.Text("The appliance's reasons."),
				}),
			"in_other_groups": schema.MapAttribute{
				MarkdownDescription: "Ids of the other groups that members are in, by VM. Which RPO counts for them is not " +
					"documented.",
				ElementType: types.ListType{ElemType: types.StringType}, Computed: true,
			},
			"vm_count": attribute.Whole("Number of members."),
			"summary":  attribute.Text("The result in one sentence."),
		},
	}
}

func (m *model) validate(diags *diag.Diagnostics) { m.CheckEmpty(diags) }

func read(ctx context.Context, c *snapservice.Client, config *model, diags *diag.Diagnostics) {
	targets, _ := config.Targets()
	group := config.GroupID.ValueString()
	p, err := c.Preview(ctx, config.ClusterID.ValueString(), group, targets)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("cluster_id"), "Unable to Preview Members", "", err)
		return
	}
	membership.Warn(ctx, c, diags)
	config.fill(p, group)
}

func (m *model) fill(p snapservice.Preview, group string) {
	m.VMIDsOut = snapservice.IDs(p.Included)
	m.Added, m.Existing = snapservice.IDs(p.Included, "ADD"), snapservice.IDs(p.Included, "EXISTING")
	m.Removed = snapservice.IDs(p.Excluded, "REMOVE")
	m.Excluded, m.InOtherGroups = make(map[string]excludedModel), make(map[string][]string)
	for _, v := range p.Excluded {
		if v.Change == "EXCLUDE" {
			m.Excluded[v.ID] = excludedModel{snapservice.Printable(v.Name), membership.Reasons(v)}
		}
	}
	for _, v := range p.Included {
		if others := membership.Others(v, group); len(others) > 0 {
			m.InOtherGroups[v.ID] = others
		}
	}
	m.VMCount = types.Int64Value(int64(len(m.VMIDsOut)))
	m.Summary = types.StringValue(fmt.Sprintf(
		"VMs that would be members: %d. Added: %d; removed: %d; excluded: %d; in other groups: %d.",
		len(m.VMIDsOut), len(m.Added), len(m.Removed), len(m.Excluded), len(m.InOtherGroups)))
}
