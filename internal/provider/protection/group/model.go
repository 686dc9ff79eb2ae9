package group

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
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
	AdoptExisting    types.Bool     `tfsdk:"adopt_existing"`
	Adopts           types.Object   `tfsdk:"adopts"`
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
		Name:        m.Name.ValueString(),
		Targets:     targets,
		Snapshots:   m.snapshotPolicies(ctx),
		Replication: m.replication(ctx).policy(),
		Locked:      m.Locked.ValueBool(),
	}
}

func (m model) change(ctx context.Context, state model) snapservice.Change {
	var change snapservice.Change
	now := m.spec(ctx)
	before := state.spec(ctx)
	was := snapservice.Group{
		Name:        before.Name,
		Targets:     before.Targets,
		Snapshots:   before.Snapshots,
		Replication: before.Replication,
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

// newImported returns the state of an import before the first read.
func newImported(cluster, id string) model {
	return model{
		AdoptExisting: types.BoolValue(false),
		Adopts:        types.ObjectNull(adoptedType.AttrTypes),

		Rules:       membership.FromTargets(snapservice.Targets{}),
		ClusterID:   types.StringValue(cluster),
		GroupID:     types.StringValue(id),
		Replication: types.ObjectNull(replicationType.AttrTypes),
		Snapshots:   types.MapNull(snapshotsType.ElemType),
		Timeouts: timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{
			"create": types.StringType,
			"read":   types.StringType,
			"update": types.StringType,
			"delete": types.StringType,
		})},
	}
}

// withComputed returns the state after a write. It contains the planned values and the computed attributes.
func (m model) withComputed(g snapservice.Group) model {
	m.ID = types.StringValue(m.ClusterID.ValueString() + "/" + g.ID)
	m.GroupID = types.StringValue(g.ID)
	m.GUID = types.StringValue(g.GUID)
	m.Status = types.StringValue(g.Status)
	m.MemberVMIDs = stringset.ListValue(g.Members)
	if m.Removes.IsUnknown() || m.Removes.IsNull() {
		m.Removes = stringset.ListValue(nil)
	}
	if m.Adopts.IsUnknown() {
		m.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	}
	m.Summary = types.StringValue(summary(m.ClusterID.ValueString(), g))
	return m
}

// summary describes a group in one sentence.
func summary(cluster string, g snapservice.Group) string {
	s := fmt.Sprintf(
		"Protection group %s of cluster %s: %s",
		snapservice.Printable(g.Name),
		cluster,
		count(len(g.Members), "member"),
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
	sameReplication := snapservice.Change{Replication: &before.Replication}
	if !sameReplication.Matches(g) {
		var unsupported bool
		m.Replication, unsupported = replicationFrom(ctx, g)
		if unsupported {
			warnUnsupported(path.Root("replication"), g, diags)
		}
	}
	if snapshots := (snapservice.Change{Snapshots: &before.Snapshots}); !snapshots.Matches(g) {
		var unsupported bool
		m.Snapshots, unsupported = snapshotsFrom(ctx, g)
		if unsupported {
			warnUnsupported(path.Root("snapshot_policies"), g, diags)
		}
	}
	m.Name = types.StringValue(g.Name)
	m.Locked = types.BoolValue(g.Locked)
	m.DeleteSnapshots = types.BoolValue(m.DeleteSnapshots.ValueBool())
	m.AdoptExisting = types.BoolValue(m.AdoptExisting.ValueBool())
	m.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	if !m.Paused.IsNull() {
		m.Paused = types.BoolValue(g.Status == snapservice.Paused)
	}
	return m.withComputed(g)
}

// warnUnsupported warns about settings that the model cannot represent.
func warnUnsupported(at path.Path, g snapservice.Group, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(at, "Unsupported Settings", fmt.Sprintf(
		"Group %q has a period in a unit that this version of vsla does not support, or several replication policies. "+
			"These settings are not shown, and changes to the group are rejected.", snapservice.Printable(g.Name)))
}
