package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/vr"
)

// resolveSites returns the two sites of a pairing. source is the VM's site.
func resolveSites(
	ctx context.Context, c *vr.Client, m model, diags *diag.Diagnostics,
) (source, target vr.Site, ok bool) {
	p, err := c.Pairing(ctx, m.PairingID.ValueString())
	if err != nil {
		f := failure("Create", m, err)
		if errors.Is(err, vr.ErrPairing) {
			at := path.Root("pairing_id")
			f.Attribute = &at
		}
		f.AddTo(diags)
		return source, target, false
	}
	source, target, ok = p.Sides(m.VMID.ValueString())
	if !ok {
		diags.AddAttributeError(path.Root("vm_id"), "VM of Another vCenter",
			fmt.Sprintf("The VM does not belong to a vCenter of the pairing. The vCenters are %s (%s) and %s (%s).",
				p.Local.VCenterName, p.Local.VCenterID, p.Remote.VCenterName, p.Remote.VCenterID))
	}
	return source, target, ok
}
