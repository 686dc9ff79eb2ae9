package replication

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// replicated caches the device keys of replicated disks by pairing. It reads them from vCenter, because the gateway
// needs one request per replication.
type replicated struct {
	pairings reading.Shared[keysOfVMs]
	warned   sync.Once
}

// keysOfVMs maps managed object ids of VMs to the keys of their replicated disks. err is set if they cannot be read.
type keysOfVMs struct {
	vcenter string
	keys    map[string][]int32
	err     error
}

// disksDiffer reports whether a replicated disk in state has been excluded in vCenter. It returns false if the VM's
// vCenter is not configured.
func (r *replicationResource) disksDiffer(
	ctx context.Context, c *vr.Client, state model, diags *diag.Diagnostics,
) bool {
	names := state.replicatedNames(ctx, diags)
	if !r.Clients.HasVSphere() || !state.Disks.IsNull() || len(names) == 0 {
		return false
	}
	vcenter := r.Clients.VSphere(diags)
	if vcenter == nil {
		return false
	}
	shared, pairing := connection.State[replicated](r.Clients), state.PairingID.ValueString()
	now, err := shared.pairings.Get(ctx, pairing, func(ctx context.Context) (keysOfVMs, error) {
		return replicatedKeys(ctx, c, vcenter, pairing), ctx.Err()
	})
	if err == nil {
		err = now.err
	}
	if err != nil {
		shared.warned.Do(func() {
			diags.AddWarning("Excluded Disks Are Not Known",
				"For replications without the argument disks, disks excluded by another client are not detected, because "+
					"the settings of the VMs cannot be read from vCenter.\n\n"+explain.Detail(err))
		})
		return false
	}
	id := state.VMID.ValueString()
	keys := now.keys[vr.MOIDOf(id)]
	return keys != nil && strings.EqualFold(vr.VCenterOf(id), now.vcenter) &&
		slices.ContainsFunc(names, func(name string) bool {
			key, err := strconv.ParseInt(name, 10, 32)
			return err == nil && !slices.Contains(keys, int32(key))
		})
}

// replicatedKeys reads the keys of replicated VMs in vCenter that belong to the pairing.
func replicatedKeys(ctx context.Context, c *vr.Client, vcenter *vsphere.Client, pairing string) keysOfVMs {
	here, err := vcenter.InstanceUUID(ctx)
	if err != nil {
		return keysOfVMs{err: err}
	}
	all, _, err := c.Judgeable(ctx, pairing)
	if err != nil {
		return keysOfVMs{err: err}
	}
	var ids []string
	for _, r := range all {
		if strings.EqualFold(vr.VCenterOf(r.VMID), here) {
			ids = append(ids, vr.MOIDOf(r.VMID))
		}
	}
	found, err := vcenter.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{})
	keys := make(map[string][]int32, len(found.VMs))
	for _, vm := range found.VMs {
		keys[vm.ID] = vm.ReplicatedDisks
	}
	return keysOfVMs{here, keys, err}
}

// replicatedNames returns the names of the replicated disks in state.
func (m model) replicatedNames(ctx context.Context, diags *diag.Diagnostics) []string {
	var replicas []replicatedDisk
	if !m.ReplicatedDisks.IsUnknown() {
		diags.Append(m.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	var names []string
	for _, d := range replicas {
		if d.Replicated.ValueBool() {
			names = append(names, d.Key.ValueString())
		}
	}
	return names
}
