// Package groups implements the data source vsla_protection_groups, which returns the protection groups of a cluster
// and the status of their VMs.
package groups

import (
	"context"
	"regexp"
	"slices"

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
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

type model struct {
	ClusterID types.String          `tfsdk:"cluster_id"`
	NameRegex types.String          `tfsdk:"name_regex"`
	States    types.List            `tfsdk:"states"`
	ReadVMs   types.Bool            `tfsdk:"read_virtual_machines"`
	Groups    map[string]groupModel `tfsdk:"groups"`
	VMs       map[string]vmModel    `tfsdk:"virtual_machines"`
}

type groupModel struct {
	Name       string       `tfsdk:"name"`
	Status     string       `tfsdk:"status"`
	Locked     bool         `tfsdk:"locked"`
	GUID       string       `tfsdk:"guid"`
	TagIDs     []string     `tfsdk:"tag_ids"`
	Patterns   []string     `tfsdk:"vm_name_patterns"`
	RPOMinutes types.Int64  `tfsdk:"rpo_minutes"`
	PairID     types.String `tfsdk:"cluster_pair_id"`
	KeepLast   types.Int64  `tfsdk:"keep_last"`
	VMIDs      []string     `tfsdk:"vm_ids"`
	Snapshots  types.Int64  `tfsdk:"snapshot_count"`
}

type vmModel struct {
	Name        string       `tfsdk:"name"`
	GroupIDs    []string     `tfsdk:"group_ids"`
	Status      types.String `tfsdk:"status"`
	RPOViolated types.Bool   `tfsdk:"rpo_violated"`
	ErrorType   types.String `tfsdk:"error_type"`
	Reasons     []string     `tfsdk:"reasons"`
	Datastores  []string     `tfsdk:"replica_datastore_ids"`
}

// NewDataSource returns the data source vsla_protection_groups.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_protection_groups", describe, (*connection.Set).Protection, read)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the vSAN Data Protection groups of a cluster. With `read_virtual_machines = " +
			"true`, also returns the replication status of their VMs, which takes one more request. Requires the " +
			"privilege `System.Read`.",
		Attributes: map[string]schema.Attribute{
			"cluster_id": attribute.RequiredString("Managed object ID of the cluster, such as `domain-c8`.",
				stringvalidator.LengthAtLeast(1)),
			"name_regex": attribute.OptionalString("Only return groups whose name matches this regular "+
				"expression (Go syntax). The expression is not anchored.", attribute.Regex()),
			"states": schema.ListAttribute{
				MarkdownDescription: "Only return groups in one of these states, such as `ACTIVE`.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          membership.NonEmptyStrings,
			},
			"read_virtual_machines": attribute.OptionalBool("Whether to read the VMs of the groups. Defaults to " +
				"`false`."),
			"groups": attribute.Objects("Protection groups, by ID.", map[string]schema.Attribute{
				"name": attribute.String("Name of the group."),
				"status": attribute.String("Status of the group: `ACTIVE`, `PAUSED`, `MARKED_FOR_DELETE`, or the " +
					"state of a recovery."),
				"locked": attribute.Bool("Whether the group is locked. A locked group cannot be changed or " +
					"deleted."),
				"guid":             attribute.String("ID that the group has at both sites."),
				"tag_ids":          attribute.StringList("IDs of the tags in the rules of the group, sorted."),
				"vm_name_patterns": attribute.StringList("Patterns of VM names in the rules of the group."),
				"rpo_minutes": attribute.Int64("RPO of the replication, in minutes. Null if the group does not " +
					"replicate."),
				"cluster_pair_id": attribute.String("ID of the cluster pair of the replication. Null if the group " +
					"does not replicate."),
				"keep_last": attribute.Int64("Number of most recent replicas that the target keeps. Null if the " +
					"group does not replicate."),
				"vm_ids":         attribute.StringList("IDs of the member VMs, sorted."),
				"snapshot_count": attribute.Int64("Number of snapshots of the group."),
			}),
			"virtual_machines": attribute.Objects("VMs that are members of the returned groups, by ID. Null unless "+
				"`read_virtual_machines` is `true`.", map[string]schema.Attribute{
				"name":      attribute.String("Name of the VM."),
				"group_ids": attribute.StringList("IDs of the groups of the VM."),
				"status": attribute.String("Replication status, such as `OK` or `INITIAL_FULL_SYNC`. Null if the VM " +
					"has no outgoing replication."),
				"rpo_violated": attribute.Bool("Whether the RPO is currently violated. Null if the VM has no " +
					"outgoing replication, or if the appliance has release 9.0, which does not report violations."),
				"error_type": attribute.String("Type of the replication error, such as `INSUFFICIENT_LICENSE`. Null " +
					"if there is none."),
				"reasons": attribute.StringList("Error messages of the replication, as reported by the " +
					"appliance."),
				"replica_datastore_ids": attribute.StringList("IDs of the datastores of the replica."),
			}),
		},
	}
}

func read(ctx context.Context, c *snapservice.Client, config *model, diags *diag.Diagnostics) {
	err := config.read(ctx, c)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("cluster_id"), "Unable to List Protection Groups", "", err)
		return
	}
	membership.WarnConnection(ctx, c, diags)
}

func (m *model) read(ctx context.Context, c *snapservice.Client) error {
	cluster := m.ClusterID.ValueString()
	all, err := c.Groups(ctx, cluster, snapservice.Shared)
	if err != nil {
		return err
	}
	name, err := regexp.Compile(m.NameRegex.ValueString())
	if err != nil {
		return err
	}
	states := stringset.Strings(m.States)
	m.Groups = make(map[string]groupModel)
	for _, g := range all {
		hasState := len(states) == 0 || slices.Contains(states, g.Status)
		if hasState && name.MatchString(g.Name) {
			m.Groups[g.ID] = newGroup(g)
		}
	}
	if !m.ReadVMs.ValueBool() {
		return nil
	}
	is90, err := c.IsRelease90(ctx)
	if err != nil {
		return err
	}
	vms, err := c.VMs(ctx, cluster)
	m.VMs = make(map[string]vmModel)
	for _, vm := range vms {
		if slices.ContainsFunc(vm.GroupIDs, func(id string) bool {
			_, shown := m.Groups[id]
			return shown
		}) {
			m.VMs[vm.ID] = newVM(vm, is90)
		}
	}
	return err
}

func newGroup(g snapservice.Group) groupModel {
	m := groupModel{
		Name:      snapservice.Printable(g.Name),
		Status:    snapservice.Printable(g.Status),
		Locked:    g.Locked,
		GUID:      g.GUID,
		TagIDs:    []string{},
		Patterns:  append([]string{}, g.Targets.Patterns...),
		VMIDs:     append([]string{}, g.Members...),
		Snapshots: types.Int64Value(int64(len(g.SnapshotIDs))),
	}
	for _, rule := range g.Targets.Rules {
		m.TagIDs = append(m.TagIDs, rule.Tags...)
	}
	slices.Sort(m.TagIDs)
	m.TagIDs = slices.Compact(m.TagIDs)
	if len(g.Replication) > 0 {
		r := g.Replication[0]
		if n, ok := r.RPO.Minutes(); ok {
			m.RPOMinutes = types.Int64Value(n)
		}
		m.PairID = types.StringValue(r.PairID)
		m.KeepLast = types.Int64Value(r.Retention.ShortTerm.KeepLast)
	}
	return m
}

func newVM(vm snapservice.VM, is90 bool) vmModel {
	m := vmModel{
		Name:       snapservice.Printable(vm.Name),
		GroupIDs:   vm.GroupIDs,
		Reasons:    []string{},
		Datastores: []string{},
	}
	for _, r := range vm.Outgoing() { // a VM has at most one outgoing replication
		m.Status = types.StringValue(snapservice.Printable(r.Status))
		if !is90 {
			m.RPOViolated = types.BoolValue(r.Violation != nil || m.RPOViolated.ValueBool())
		}
		if r.ErrorType != "" {
			m.ErrorType = types.StringValue(snapservice.Printable(r.ErrorType))
		}
		m.Reasons = append(m.Reasons, snapservice.Texts(r.Errors)...)
		m.Datastores = append(m.Datastores, r.Datastores...)
	}
	return m
}
