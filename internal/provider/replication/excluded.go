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

// replicatedDiskCache caches the device keys of replicated disks by pairing. It reads them from vCenter, because the
// gateway would need one request per replication.
type replicatedDiskCache struct {
	pairings reading.Shared[replicatedKeys]
	warned   sync.Once
}

// replicatedKeys maps managed object IDs of VMs to the keys of their replicated disks. err is set if they could not be
// read.
type replicatedKeys struct {
	vcenter string
	keys    map[string][]int32
	err     error
}

// disksDiffer reports whether a disk that is replicated according to state is no longer replicated according to
// vCenter. It returns false if the VM's vCenter is not configured.
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
	shared := connection.State[replicatedDiskCache](r.Clients)
	pairing := state.PairingID.ValueString()
	now, err := shared.pairings.Get(ctx, pairing, func(ctx context.Context) (replicatedKeys, error) {
		return readReplicatedKeys(ctx, c, vcenter, pairing), ctx.Err()
	})
	if err == nil {
		err = now.err
	}
	if err != nil {
		shared.warned.Do(func() {
			diags.AddWarning(
				"Excluded Disks Not Detected",
				"If another client excludes disks from a replication without the disks argument, the change is not "+
					"detected, because the settings of the VMs cannot be read from vCenter.\n\n"+explain.Detail(err),
			)
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

// readReplicatedKeys reads the VMs of the pairing that belong to the vCenter.
func readReplicatedKeys(ctx context.Context, c *vr.Client, vcenter *vsphere.Client, pairing string) replicatedKeys {
	here, err := vcenter.InstanceUUID(ctx)
	if err != nil {
		return replicatedKeys{err: err}
	}
	all, _, err := c.AllReplications(ctx, pairing)
	if err != nil {
		return replicatedKeys{err: err}
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
	return replicatedKeys{vcenter: here, keys: keys, err: err}
}

// replicatedNames returns the device keys of the disks that are replicated according to the model.
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
