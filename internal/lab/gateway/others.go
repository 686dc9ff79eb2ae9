// What other clients of the gateway set up, for tests that do not go through the API.

package gateway

import (
	"errors"
	"fmt"
)

// AddReplication configures the replication of a machine, by its full id or moid, to the first datastore of the target, as
// another client would. The configuration is finished when time has passed.
func (g *Gateway) AddReplication(vm string, rpoMinutes int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	spec := replicationSpec{VMID: g.full(vm), TargetVCID: g.remote.vcID, RPO: rpoMinutes, AutoReplicate: true}
	m, ok := g.local.vc.Machine(moid(spec.VMID))
	stores := g.datastores(g.remote)
	if !ok || len(stores) == 0 {
		return fmt.Errorf("there is no machine %s, or no datastore at the target", vm)
	}
	for _, source := range g.disksOf(g.local, m) {
		want := diskSpec{Enabled: true, DatastoreID: stores[0].ID, Format: "THIN"}
		want.Disk.VMID, want.Disk.DeviceKey, want.Disk.IsVMHome = spec.VMID, source.DeviceKey, source.IsVMHome
		spec.Disks = append(spec.Disks, want)
	}
	if f := g.judge(g.pairing, spec, nil); f != nil {
		return errors.New(f.message)
	}
	g.configureOne(g.pairing, spec)
	return nil
}
