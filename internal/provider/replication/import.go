package replication

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

// ImportState imports "<pairing>/<replication>", "<pairing>/VirtualMachine:…" or an identity.
func (r *replicationResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var id identity
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	}
	pairing := id.PairingID.ValueString()
	replication := id.ReplicationID.ValueString()
	ok := true
	if req.ID != "" {
		pairing, replication, ok = splitID(req.ID)
	}
	c := r.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !ok || !attribute.UUID.MatchString(pairing) || replication == "" {
		resp.Diagnostics.AddError("Invalid Import ID", fmt.Sprintf(
			"The ID must be <pairing UUID>/<replication ID> or <pairing UUID>/VirtualMachine:<managed object "+
				"ID>:<vCenter UUID>, got %q.",
			req.ID,
		))
		return
	}
	if strings.HasPrefix(replication, "VirtualMachine:") {
		found, err := c.Replications(ctx, pairing, replication, vr.Shared)
		switch {
		case err == nil && len(found) == 0:
			err = fmt.Errorf("VM %s has no replication in this pairing: %w", replication, vr.ErrNotFound)
		case err == nil && len(found) > 1:
			err = fmt.Errorf(
				"VM %s has %d replications; import one by its ID: %w",
				replication,
				len(found),
				vr.ErrAmbiguous,
			)
		}
		if err != nil {
			failure("Import", newImported(pairing, replication), err).AddTo(&resp.Diagnostics)
			return
		}
		replication = found[0].ID
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("pairing_id"), pairing)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("replication_id"), replication)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, newImported(pairing, replication).identity())...)
}

func splitID(id string) (pairing, rest string, ok bool) {
	pairing, rest, ok = strings.Cut(id, "/")
	return pairing, rest, ok && attribute.UUID.MatchString(pairing) && rest != ""
}
