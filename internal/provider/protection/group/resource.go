// Package group implements vsla_protection_group as a resource and a list resource. It manages vSAN Data Protection
// groups.
//
// Tag associations can change the members of a group without changing the group itself, so a plan requests a preview of
// the members. The create request returns a task ID instead of the group. A locked group can never be changed or
// deleted.
package group

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

var (
	_ resource.ResourceWithIdentity       = (*groupResource)(nil)
	_ resource.ResourceWithImportState    = (*groupResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*groupResource)(nil)
	_ resource.ResourceWithValidateConfig = (*groupResource)(nil)
)

const (
	typeName = "vsla_protection_group"

	readTimeout   = 5 * time.Minute
	changeTimeout = 30 * time.Minute
)

type groupResource struct{ base.Resource }

// NewResource returns the resource vsla_protection_group.
func NewResource() resource.Resource { return &groupResource{base.Resource{TypeName: typeName}} }

// patience returns how long a change of the group waits. Its progress is logged.
func patience(ctx context.Context, m model, limit time.Duration, diags *diag.Diagnostics) snapservice.WaitOptions {
	read, found := m.Timeouts.Read(ctx, readTimeout)
	diags.Append(found...)
	return snapservice.WaitOptions{
		TaskTimeout: limit,
		ReadTimeout: read,
		Progress: func(status string) {
			tflog.Info(ctx, "Data protection task", map[string]any{"group": m.Name.ValueString(), "status": status})
		},
	}
}

// failure describes the failure of an operation on the group.
func failure(verb string, m model, err error) explain.Failure {
	name := m.Name.ValueString()
	if name == "" {
		name = m.GroupID.ValueString()
	}
	return explain.Failure{Summary: fmt.Sprintf("Unable to %s Protection Group %q", verb, name), Err: err}
}

// workKey identifies the group across the runs that create and delete it.
func (m model) workKey() string {
	return typeName + "/" + m.ClusterID.ValueString() + "/" + m.Name.ValueString()
}

// Create creates the group. The group is saved to state even if a later step fails.
func (r *groupResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.Protection(&resp.Diagnostics)
	limit, found := plan.Timeouts.Create(ctx, changeTimeout)
	resp.Diagnostics.Append(found...)
	if resp.Diagnostics.HasError() {
		return
	}
	patience := patience(ctx, plan, limit, &resp.Diagnostics)
	ctx = transport.WithStartupWait(ctx)
	g, err := r.create(ctx, c, plan, patience, &resp.Diagnostics)
	if g.ID == "" {
		id := nameTaken(ctx, c, plan, err)
		if id != "" && plan.AdoptExisting.ValueBool() {
			explain.ExistsSincePlan(&resp.Diagnostics, path.Root("name"),
				fmt.Sprintf("Protection Group %q", plan.Name.ValueString()))
			return
		}
		if id != "" {
			f := failure("Create", plan, err)
			f.Alternative = explain.AdoptAdvice("group", false)
			f.AlreadyExists(&resp.Diagnostics, path.Root("name"), typeName, id)
			return
		}
		failure("Create", plan, err).AddTo(&resp.Diagnostics)
		return
	}
	if err == nil && plan.Paused.ValueBool() {
		var paused snapservice.Group
		paused, err = c.Pause(ctx, plan.ClusterID.ValueString(), g.ID, patience)
		if err == nil {
			g = paused
		}
	}
	state := plan.withComputed(g)
	identity.Save(ctx, &resp.State, resp.Identity, state, state.identity(), &resp.Diagnostics)
	if err != nil {
		failure("Create", plan, err).AddTo(&resp.Diagnostics)
	}
}

// nameTaken returns the import ID of an existing group with the planned name. It returns "" if there is none, or if err
// cannot have been caused by a name conflict. Another run may have created the group after the plan and then been
// killed.
func nameTaken(ctx context.Context, c *snapservice.Client, plan model, err error) string {
	if !errors.Is(err, snapservice.ErrInvalid) && !errors.Is(err, snapservice.ErrConflict) {
		return ""
	}
	cluster := plan.ClusterID.ValueString()
	groups, listErr := c.Groups(ctx, cluster, snapservice.Fresh)
	at := slices.IndexFunc(groups, func(g snapservice.Group) bool {
		return g.Name == plan.Name.ValueString() && g.Status != snapservice.Deleted
	})
	if listErr != nil || at < 0 {
		return ""
	}
	return cluster + "/" + groups[at].ID
}

// create continues an unfinished create, adopts the planned group, or creates a new one. The returned group has an ID
// if it exists.
func (r *groupResource) create(
	ctx context.Context, c *snapservice.Client, plan model, p snapservice.WaitOptions, diags *diag.Diagnostics,
) (snapservice.Group, error) {
	cluster := plan.ClusterID.ValueString()
	spec := plan.spec(ctx)
	anyGroup := func(string) bool { return true }
	for _, id := range connection.State[resume.Store](r.Clients).Take(plan.workKey(), anyGroup) {
		change := snapservice.Change{
			Name:        &spec.Name,
			Targets:     &spec.Targets,
			Snapshots:   &spec.Snapshots,
			Replication: &spec.Replication,
		}
		if spec.Locked {
			change.Locked = &spec.Locked
		}
		g, err := c.Update(ctx, cluster, id, change, p, nil)
		if !errors.Is(err, snapservice.ErrNotFound) {
			g.ID = id
			return g, err
		}
	}
	if !plan.Adopts.IsNull() && !plan.Adopts.IsUnknown() {
		return r.adopt(ctx, c, plan, p, diags)
	}
	return c.Create(ctx, cluster, spec, p)
}

// Read refreshes the group from the shared list of its cluster's groups. It removes the group from state if the group
// is known not to exist or if only its snapshots remain.
func (r *groupResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.Clients.Protection(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	connection.State[groupsInState](r.Clients).Store(state.workKey(), true)
	g, err := c.Group(ctx, state.ClusterID.ValueString(), state.GroupID.ValueString())
	switch {
	case errors.Is(err, snapservice.ErrNotFound):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		failure("Read", state, err).AddTo(&resp.Diagnostics)
		return
	case g.Status == snapservice.Deleted:
		resp.Diagnostics.AddWarning("Protection Group Was Deleted", fmt.Sprintf(
			"Group %q is marked for deletion and was removed from state. "+
				"%s", snapservice.Printable(g.Name), remainingText(g)))
		resp.State.RemoveResource(ctx)
		return
	}
	state = state.refreshed(ctx, g, &resp.Diagnostics)
	identity.Save(ctx, &resp.State, resp.Identity, state, state.identity(), &resp.Diagnostics)
}

// remainingText says what remains of a deleted group.
func remainingText(g snapservice.Group) string {
	return fmt.Sprintf("Its %d snapshots remain until they expire. Manual snapshots without retention never expire.",
		len(g.SnapshotIDs))
}

// driftError reports that another client has changed the group since the refresh.
type driftError struct{ field string }

// Error returns a message that names the changed part.
func (e *driftError) Error() string {
	return "another client has changed " + e.field + " of the group since the refresh"
}

// Advice returns a hint for the user.
func (*driftError) Advice() string {
	return "Nothing was sent, because the update would have overwritten the change of the other client. Plan again " +
		"to see both changes."
}

// Update updates changed attributes.
func (r *groupResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.Clients.Protection(&resp.Diagnostics)
	limit, found := plan.Timeouts.Update(ctx, changeTimeout)
	resp.Diagnostics.Append(found...)
	if resp.Diagnostics.HasError() {
		return
	}
	wait := patience(ctx, plan, limit, &resp.Diagnostics)
	g, err := update(transport.WithStartupWait(ctx), c, plan, state, wait)
	if err != nil {
		failure("Update", plan, err).AddTo(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan.withComputed(g))...)
}

// update sends the difference between the plan and the state, and then pauses or resumes the group if necessary.
func update(
	ctx context.Context, c *snapservice.Client, plan, state model, p snapservice.WaitOptions,
) (g snapservice.Group, err error) {
	cluster := state.ClusterID.ValueString()
	id := state.GroupID.ValueString()
	change := plan.change(ctx, state)
	before := state.spec(ctx)
	if change != (snapservice.Change{}) {
		g, err = c.Update(ctx, cluster, id, change, p, func(now snapservice.Group) error {
			if field := driftedField(change, before, now); field != "" {
				return &driftError{field}
			}
			return nil
		})
	} else {
		g, err = c.Group(ctx, cluster, id)
	}
	switch {
	case err != nil || plan.Paused.IsNull():
		return g, err
	case plan.Paused.ValueBool() && g.Status == snapservice.Active:
		return c.Pause(ctx, cluster, id, p)
	case !plan.Paused.ValueBool() && g.Status == snapservice.Paused:
		return c.Resume(ctx, cluster, id, p)
	}
	return g, nil
}

// driftedField returns the name of a field that the change replaces although another client has changed it, or "".
func driftedField(change snapservice.Change, before snapservice.Spec, now snapservice.Group) string {
	for _, field := range []struct {
		name     string
		replaced bool
		was      snapservice.Change
	}{
		{"the name", change.Name != nil, snapservice.Change{Name: &before.Name}},
		{"the rules", change.Targets != nil, snapservice.Change{Targets: &before.Targets}},
		{"the snapshot policies", change.Snapshots != nil, snapservice.Change{Snapshots: &before.Snapshots}},
		{"the replication", change.Replication != nil, snapservice.Change{Replication: &before.Replication}},
	} {
		if field.replaced && !field.was.Matches(now) {
			return field.name
		}
	}
	return ""
}

// Delete deletes the group. Its snapshots remain until they expire, unless delete_snapshots_on_destroy is set.
func (r *groupResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	willResume := resume.WillResume(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.Protection(&resp.Diagnostics)
	limit, found := state.Timeouts.Delete(ctx, changeTimeout)
	resp.Diagnostics.Append(found...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.GroupID.ValueString()
	if willResume {
		connection.State[resume.Store](r.Clients).Put(state.workKey(), map[string]string{id: id})
		return
	}
	if !r.claimDeleted(state, &resp.Diagnostics) {
		return
	}
	patience := patience(ctx, state, limit, &resp.Diagnostics)
	ctx = transport.WithStartupWait(ctx)
	g, err := c.Delete(ctx, state.ClusterID.ValueString(), id, state.DeleteSnapshots.ValueBool(), patience)
	if err != nil {
		failure("Delete", state, err).AddTo(&resp.Diagnostics)
		return
	}
	var texts []string
	if len(g.SnapshotIDs) > 0 {
		texts = append(texts, remainingText(g))
	}
	if !state.Replication.IsNull() {
		texts = append(texts, "The API does not document what happens to the replicas. Check the target site.")
	}
	if len(texts) > 0 {
		resp.Diagnostics.AddWarning(
			fmt.Sprintf("Data of Protection Group %q May Remain", state.Name.ValueString()), strings.Join(texts, " "))
	}
}

// ImportState imports "<cluster id>/<group id>", "<cluster id>/name:<name>" or an identity. Groups in recovery are
// rejected.
func (r *groupResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var id identityModel
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	}
	cluster := id.ClusterID.ValueString()
	wanted := id.GroupID.ValueString()
	if req.ID != "" {
		cluster, wanted, _ = strings.Cut(req.ID, "/")
	}
	c := r.Clients.Protection(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if cluster == "" || wanted == "" {
		resp.Diagnostics.AddError("Invalid Import ID", fmt.Sprintf(
			"The ID must be <cluster ID>/<group ID> or <cluster ID>/name:<group name>, got %q.", req.ID))
		return
	}
	g, err := findGroup(ctx, c, cluster, wanted)
	if err == nil && !g.IsWritable() {
		err = fmt.Errorf("%w: the status of the group is %s", snapservice.ErrState, snapservice.Printable(g.Status))
	}
	if err != nil {
		failure("Import", model{Name: types.StringValue(wanted)}, err).AddTo(&resp.Diagnostics)
		return
	}
	m := newImported(cluster, g.ID)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster_id"), cluster)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("protection_group_id"), g.ID)...)
	identity.Set(ctx, resp.Identity, m.identity(), &resp.Diagnostics)
}

// findGroup returns the group with the wanted ID or, after the prefix "name:", the wanted name.
func findGroup(ctx context.Context, c *snapservice.Client, cluster, wanted string) (snapservice.Group, error) {
	name, byName := strings.CutPrefix(wanted, "name:")
	if !byName {
		return c.Group(ctx, cluster, wanted)
	}
	groups, err := c.Groups(ctx, cluster, snapservice.Shared)
	if err != nil {
		return snapservice.Group{}, err
	}
	var found []snapservice.Group
	names := []string{}
	for _, g := range groups {
		if g.Status == snapservice.Deleted {
			continue
		}
		names = append(names, g.Name)
		if g.Name == name {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return snapservice.Group{}, fmt.Errorf("cluster %s: %w", cluster,
			&transport.NameError{What: "group", Name: name, Names: names, Err: snapservice.ErrNotFound})
	case 1:
		return found[0], nil
	}
	return snapservice.Group{}, fmt.Errorf("group %q in cluster %s: %w: use one of the IDs %s and %s",
		name, cluster, snapservice.ErrAmbiguous, found[0].ID, found[1].ID)
}
