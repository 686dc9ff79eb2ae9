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
	MemberVMIDs   []string                 `tfsdk:"member_vm_ids"`
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
	return base.NewDataSource(
		"vsla_protection_members",
		describe,
		(*connection.Set).Protection,
		read,
		(*model).validate,
	)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the VMs that would be members of a protection group, before the group is " +
			"created or its rules are changed. Makes no changes. Requires vSAN Data Protection 9.1 or later and the " +
			"privilege `System.Read`. VMs that the account cannot read may be missing.",
		Attributes: map[string]schema.Attribute{
			"cluster_id": attribute.RequiredString("Managed object ID of the cluster. A group contains only VMs of "+
				"its own cluster.",
				stringvalidator.LengthAtLeast(1)),
			"vm_ids":           attribute.OptionalStringList(membership.VMsDoc, membership.NonEmptyStrings...),
			"vm_name_patterns": attribute.OptionalStringList(membership.PatternsDoc, membership.NonEmptyStrings...),
			"tag_rules": schema.ListNestedAttribute{
				MarkdownDescription: membership.RulesDoc,
				Optional:            true,
				Validators:          membership.OneRule,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"tag_ids": attribute.RequiredStringList(membership.TagsDoc, membership.NonEmptyStrings...),
					"match":   attribute.RequiredString(membership.MatchDoc, membership.MatchValues...),
				}},
			},
			"protection_group_id": attribute.OptionalString("ID of the existing protection group whose rules would "+
				"change. Leave it unset to preview a new group.", stringvalidator.LengthAtLeast(1)),
			"member_vm_ids": attribute.StringList("IDs of all VMs that would be members, sorted. Can be used as " +
				"`vm_ids` of `vsla_virtual_machines`."),
			"added_vm_ids":    attribute.StringList("IDs of the VMs that would become members, sorted."),
			"existing_vm_ids": attribute.StringList("IDs of the existing members that would remain members, sorted."),
			"removed_vm_ids":  attribute.StringList("IDs of the existing members that would be removed, sorted."),
			"excluded": attribute.Objects("VMs that match the rules but that the appliance excludes, by ID.",
				map[string]schema.Attribute{
					"name":    attribute.String("Name of the VM."),
					"reasons": attribute.String("Reasons for the exclusion, as reported by the appliance."),
				}),
			"in_other_groups": schema.MapAttribute{
				MarkdownDescription: "IDs of the other protection groups of VMs that would be in several groups, by " +
					"VM ID. The API does not document which RPO applies to such VMs.",
				ElementType: types.ListType{ElemType: types.StringType},
				Computed:    true,
			},
			"vm_count": attribute.Int64("Number of VMs that would be members."),
			"summary":  attribute.String("Summary of the preview."),
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
	membership.WarnConnection(ctx, c, diags)
	config.fill(p, group)
}

func (m *model) fill(p snapservice.Preview, group string) {
	m.MemberVMIDs = snapservice.CandidateIDs(p.Included)
	m.Added = snapservice.CandidateIDs(p.Included, "ADD")
	m.Existing = snapservice.CandidateIDs(p.Included, "EXISTING")
	m.Removed = snapservice.CandidateIDs(p.Excluded, "REMOVE")
	m.Excluded = make(map[string]excludedModel)
	m.InOtherGroups = make(map[string][]string)
	for _, v := range p.Excluded {
		if v.Change == "EXCLUDE" {
			m.Excluded[v.ID] = excludedModel{snapservice.Printable(v.Name), membership.Reasons(v)}
		}
	}
	for _, v := range p.Included {
		if others := membership.OtherGroups(v, group); len(others) > 0 {
			m.InOtherGroups[v.ID] = others
		}
	}
	m.VMCount = types.Int64Value(int64(len(m.MemberVMIDs)))
	m.Summary = types.StringValue(fmt.Sprintf(
		"VMs that would be members: %d. Added: %d; removed: %d; excluded: %d; in other groups: %d.",
		len(m.MemberVMIDs), len(m.Added), len(m.Removed), len(m.Excluded), len(m.InOtherGroups)))
}
