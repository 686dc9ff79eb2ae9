// What other clients of the gateway set up, for tests that do not go through the API.

package gateway

import (
	"errors"
	"fmt"
)

// Replicated are the settings of a replication that another client configures.
type Replicated struct {
	// VM is its full id or moid.
	VM         string
	RPOMinutes int64

	Compression, Encryption, Quiesce, DataSets, KeepsNewDisksOut bool
	// Instances and Days are the point in time instances; none without Instances.
	Instances, Days int32
	// Datastore and Policy are positions among those of the target; Policy 0 stands for none.
	Datastore, Policy int
	// LastDisk changes the last disk of the VM.
	LastDisk Other
}

// Other is how a disk differs from the others of its VM.
type Other struct {
	LeftOut bool
	// Datastore is a position among those of the target; 0 stands for that of the replication.
	Datastore int
}

// AddReplications configures the replications of VMs, by their full ids or moids, to the first datastore of the target,
// as another client would. The configurations are finished when time has passed.
func (g *Gateway) AddReplications(rpoMinutes int64, vms ...string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	for _, vm := range vms {
		if err := g.add(Replicated{VM: vm, RPOMinutes: rpoMinutes}); err != nil {
			return err
		}
	}
	return nil
}

// AddReplication configures one replication, as another client would. The configuration is finished when time has
// passed.
func (g *Gateway) AddReplication(r Replicated) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	return g.add(r)
}

func (g *Gateway) add(r Replicated) error {
	stores := g.datastores(g.remote)
	if len(stores) <= max(r.Datastore, r.LastDisk.Datastore) {
		return errors.New("there is no such datastore at the target")
	}
	spec := replicationSpec{
		VMID: g.full(r.VM), TargetVCID: g.remote.vcID, RPO: r.RPOMinutes, AutoReplicate: !r.KeepsNewDisksOut,
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
			want.Enabled = !r.LastDisk.LeftOut
			if r.LastDisk.Datastore > 0 {
				want.DatastoreID = stores[r.LastDisk.Datastore].ID
			}
		}
		spec.Disks = append(spec.Disks, want)
	}
	if f := g.judge(g.pairing, spec, nil); f != nil {
		return fmt.Errorf("%s: %s", r.VM, f.message)
	}
	g.configureOne(g.pairing, spec)
	return nil
}

// ChangeDisk reconfigures a disk of a replication by its device key, as another client would.
func (g *Gateway) ChangeDisk(vm string, key int32, other Other) bool {
	return g.on(vm, func(r *replication) {
		spec := r.spec
		spec.Disks = nil
		for _, d := range r.disks {
			want := d.spec
			if d.source.key() == key {
				want.Enabled = !other.LeftOut
				if other.Datastore > 0 {
					want.DatastoreID = g.datastores(g.remote)[other.Datastore].ID
				}
			}
			spec.Disks = append(spec.Disks, want)
		}
		g.change(r, spec)
		g.tellHost(r)
	})
}
