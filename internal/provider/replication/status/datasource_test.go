package status_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestAccReplicationDataSources reads pairing, VM, targets and status of a replication.
func TestAccReplicationDataSources(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{SelfPairing: true})
	vm := s.Protected.VMStates()[0]
	config := s.Provider() + fmt.Sprintf(`
data "vsla_replication_pairing" "sites" {}
data "vsla_replication_pairing" "by_name" {
  remote_vcenter_name = data.vsla_replication_pairing.sites.remote.vcenter_name
}
data "vsla_replication_vm" "named" {
  pairing_id = data.vsla_replication_pairing.by_name.id
  name       = %q
}
data "vsla_replication_vm" "numbered" {
  pairing_id = data.vsla_replication_pairing.sites.id
  moid       = %q
}
data "vsla_replication_datastores" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
}
data "vsla_replication_datastores" "one" {
  pairing_id = data.vsla_replication_pairing.sites.id
  name       = data.vsla_replication_datastores.all.datastores[1].name
}
data "vsla_replication_datastores" "none" {
  pairing_id = data.vsla_replication_pairing.sites.id
  name       = "none"
}
data "vsla_replication_storage_policies" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
}
data "vsla_replication_servers" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
}
resource "vsla_replication" "vm" {
  pairing_id          = data.vsla_replication_pairing.sites.id
  vm_id               = data.vsla_replication_vm.named.id
  target_datastore_id = data.vsla_replication_datastores.one.datastores[0].id
  rpo_minutes         = 15
}
data "vsla_replication_status" "by_vm" {
  pairing_id = vsla_replication.vm.pairing_id
  vm_id      = vsla_replication.vm.vm_id
}
data "vsla_replication_status" "by_id" {
  pairing_id     = vsla_replication.vm.pairing_id
  replication_id = vsla_replication.vm.replication_id
}
data "vsla_replications" "all" {
  pairing_id = vsla_replication.vm.pairing_id
  direction  = "outgoing"
}
data "vsla_replications" "none" {
  pairing_id = vsla_replication.vm.pairing_id
  direction  = "incoming"
}
`, vm.Name, vm.ID)
	is := func(address string, check knownvalue.Check, steps ...string) statecheck.StateCheck {
		at := tfjsonpath.New(steps[0])
		for _, step := range steps[1:] {
			at = at.AtMapKey(step)
		}
		return statecheck.ExpectKnownValue(address, at, check)
	}
	s.Run(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				is("data.vsla_replication_pairing.sites", knownvalue.StringExact(s.PairingID()), "id"),
				is("data.vsla_replication_pairing.sites", knownvalue.StringExact(s.RemoteVCenterID()), "remote", "vcenter_id"),
				is("data.vsla_replication_vm.named", knownvalue.StringExact(s.VM(0)), "id"),
				is("data.vsla_replication_vm.numbered", knownvalue.StringExact(s.VM(0)), "id"),
				is("data.vsla_replication_vm.named", knownvalue.ListSizeExact(len(vm.Disks)+1), "disks"),
				is("data.vsla_replication_vm.named", knownvalue.Int64Exact(5), "capability", "min_rpo_minutes"),
				is("data.vsla_replication_datastores.all", knownvalue.ListSizeExact(2), "datastores"),
				is("data.vsla_replication_datastores.none", knownvalue.ListSizeExact(0), "datastores"),
				is("data.vsla_replication_datastores.one", knownvalue.ListSizeExact(1), "datastores"),
				is("data.vsla_replication_storage_policies.all", knownvalue.ListSizeExact(3), "storage_policies"),
				is("data.vsla_replication_servers.all", knownvalue.ListSizeExact(2), "servers"),
				is("data.vsla_replication_status.by_vm", knownvalue.StringExact("INITIAL_FULL_SYNC"), "status"),
				is("data.vsla_replication_status.by_vm", knownvalue.Null(), "last_sync_time"),
				is("data.vsla_replication_status.by_id", knownvalue.NotNull(), "sync_progress"),
				is("data.vsla_replications.all", knownvalue.Int64Exact(1), "replication_count"),
				is("data.vsla_replications.none", knownvalue.ListSizeExact(0), "replications"),
			},
		},
		acctest.Fails(s.Provider()+`data "vsla_replication_pairing" "x" { remote_vcenter_name = "elsewhere" }`,
			`no pairing with "elsewhere"; there are:`),
		acctest.Fails(s.Provider()+fmt.Sprintf(
			"data \"vsla_replication_vm\" \"x\" {\n  pairing_id = %q\n  name = \"nobody\"\n}",
			s.PairingID(),
		), `no such VM`),
		acctest.Fails(s.Provider()+fmt.Sprintf("data \"vsla_replication_status\" \"x\" {\n  pairing_id = %q\n  vm_id = %q\n}",
			s.PairingID(), s.VM(1)), `VM has no replication`),
	)
}
