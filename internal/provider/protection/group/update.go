package group

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

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
