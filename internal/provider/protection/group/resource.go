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
