package gateway

import (
	"cmp"
	"errors"
	"fmt"
)

// AddReplications replicates VMs to the target's first datastore, as if configured by another client. vms are full IDs
// or managed object IDs. The configuration completes only when the virtual clock advances.
func (g *Gateway) AddReplications(rpoMinutes int64, vms ...string) error {
	defer g.lock()()
	g.tick()
	for _, vm := range vms {
		if err := g.add(ReplicationOptions{VM: vm, RPOMinutes: rpoMinutes}); err != nil {
			return err
		}
	}
	return nil
}

// AddReplication configures a replication as another client would. The configuration completes only when the virtual
// clock advances.
func (g *Gateway) AddReplication(r ReplicationOptions) error {
	defer g.lock()()
	g.tick()
	return g.add(r)
}

func (g *Gateway) add(r ReplicationOptions) error {
	stores := g.datastores(g.remote)
	if len(stores) <= max(r.Datastore, r.LastDisk.Datastore) {
		return errors.New("there is no such datastore at the target")
	}
	spec := replicationSpec{
		VMID: g.fullVMID(r.VM), TargetVCID: g.remote.vcID, RPO: r.RPOMinutes, AutoReplicate: !r.NoAutoReplicate,
		NetworkCompression: r.Compression, Encryption: r.Encryption, Quiesce: r.Quiesce, VMDataSets: r.DataSets,
		MPIT: r.Instances > 0, MPITInstances: r.Instances, MPITDays: r.Days,
	}
	m, _ := g.local.vc.VMState(moid(spec.VMID))
	sources := g.disksOf(g.local, m)
	for i, source := range sources {
		want := diskSpec{Enabled: true, DatastoreID: stores[r.Datastore].ID, Format: "THIN"}
		want.Disk.VMID, want.Disk.DeviceKey, want.Disk.IsVMHome = spec.VMID, source.DeviceKey, source.IsVMHome
		if r.Policy > 0 {
			want.PolicyID = &g.remote.policies[r.Policy].ID
		}
		if i == len(sources)-1 && !source.IsVMHome {
			want.Enabled = !r.LastDisk.Excluded
			if r.LastDisk.Datastore > 0 {
				want.DatastoreID = stores[r.LastDisk.Datastore].ID
			}
			want.Format = cmp.Or(r.LastDisk.Format, want.Format)
		}
		spec.Disks = append(spec.Disks, want)
	}
	if f := g.validate(g.pairing, spec, nil); f != nil {
		return fmt.Errorf("%s: %s", r.VM, f.message)
	}
	g.configureOne(g.pairing, spec)
	return nil
}
