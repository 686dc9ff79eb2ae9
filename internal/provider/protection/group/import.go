package group

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

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
