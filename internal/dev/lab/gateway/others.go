// What other clients of the gateway set up, for tests that do not go through the API.

package gateway

import (
	"errors"
	"fmt"
)

// AddReplications configures the replications of VMs, by their full ids or moids, to the first datastore of the target,
// as another client would. The configurations are finished when time has passed.
func (g *Gateway) AddReplications(rpoMinutes int64, vms ...string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	stores := g.datastores(g.remote)
	if len(stores) == 0 {
		return errors.New("there is no datastore at the target")
	}
	for _, vm := range vms {
		spec := replicationSpec{VMID: g.full(vm), TargetVCID: g.remote.vcID, RPO: rpoMinutes, AutoReplicate: true}
		m, _ := g.local.vc.VMState(moid(spec.VMID))
		for _, source := range g.disksOf(g.local, m) {
			want := diskSpec{Enabled: true, DatastoreID: stores[0].ID, Format: "THIN"}
			want.Disk.VMID, want.Disk.DeviceKey, want.Disk.IsVMHome = spec.VMID, source.DeviceKey, source.IsVMHome
			spec.Disks = append(spec.Disks, want)
		}
		if f := g.judge(g.pairing, spec, nil); f != nil {
			return fmt.Errorf("%s: %s", vm, f.message)
		}
		g.configureOne(g.pairing, spec)
	}
	return nil
}
