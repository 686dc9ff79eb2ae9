package gateway

import (
	"cmp"
	"errors"
	"fmt"
)

// ReplicationOptions contains the settings of a replication configured by another client.
type ReplicationOptions struct {
	// VM is the full ID or the managed object ID.
	VM         string
	RPOMinutes int64

	Compression     bool
	Encryption      bool
	Quiesce         bool
	DataSets        bool
	NoAutoReplicate bool
	// Instances and Days configure point in time instances. If Instances is 0, they are disabled.
	Instances int32
	Days      int32
	// Datastore and Policy are indexes into the target's datastores and storage policies. If Policy is 0, the
	// replication has no policy.
	Datastore int
	Policy    int
	// LastDisk overrides the settings of the VM's last disk.
	LastDisk DiskOptions
}

// DiskOptions contains the settings of a disk that differ from those of the VM's other disks.
type DiskOptions struct {
	Excluded bool
	// Datastore is an index into the target's datastores. 0 means the replication's datastore.
	Datastore int
	// Format is the format of the replica. If empty, it does not change, and is THIN at first.
	Format string
}

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
		VMID:               g.fullVMID(r.VM),
		TargetVCID:         g.remote.vcID,
		RPO:                r.RPOMinutes,
		AutoReplicate:      !r.NoAutoReplicate,
		NetworkCompression: r.Compression,
		Encryption:         r.Encryption,
		Quiesce:            r.Quiesce,
		VMDataSets:         r.DataSets,
		MPIT:               r.Instances > 0,
		MPITInstances:      r.Instances,
		MPITDays:           r.Days,
	}
	m, _ := g.local.vc.VMState(moidOf(spec.VMID))
	sources := g.disksOf(g.local, m)
	for i, source := range sources {
		want := diskSpec{Enabled: true, DatastoreID: stores[r.Datastore].ID, Format: "THIN"}
		want.Disk.VMID = spec.VMID
		want.Disk.DeviceKey = source.DeviceKey
		want.Disk.IsVMHome = source.IsVMHome
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

// ChangeDisk reconfigures the disk with the given device key, as another client would. It returns false if the VM is
// not replicated.
func (g *Gateway) ChangeDisk(vm string, key int32, other DiskOptions) bool {
	return g.withReplication(vm, func(r *replication) {
		spec := r.spec
		spec.Disks = nil
		for _, d := range r.disks {
			want := d.spec
			if d.source.key() == key {
				want.Enabled = !other.Excluded
				if other.Datastore > 0 {
					want.DatastoreID = g.datastores(g.remote)[other.Datastore].ID
				}
				want.Format = cmp.Or(other.Format, want.Format)
			}
			spec.Disks = append(spec.Disks, want)
		}
		g.change(r, spec)
		g.updateHost(r)
	})
}
