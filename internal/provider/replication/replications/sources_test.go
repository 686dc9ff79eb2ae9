package replications_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

func TestAccReplicationDataSources(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{SelfPairing: true})
	vm, other, store := s.Protected.VMStates()[0], s.Protected.VMStates()[1], s.Recovery.Datastores()[0]
	s.SetDatastore(s.Datastore(0), false, "RED", 7)
	s.SetCapability(other.ID, gateway.Capability{
		Status: "OK", Quiescing: true, Encryption: true, AutoReplicate: true, ReconfigureDisks: true, MinRPOMinutes: 9,
		Reasons: []string{"Old hardware."},
	})
	s.ChangeAnswers("getAllVrServersInPairing", 0, func(answer map[string]any) {
		for i, row := range gateway.Rows(answer) {
			maps.Copy(row, map[string]any{
				"id": fmt.Sprint("s", i), "uuid": "u", "name": "n", "hostname": "h", "replication_count": 3,
				"connected": true, "decommissioned": true, "internally_managed": false, "fault": "f",
			})
		}
	})
	config := s.Provider() + fmt.Sprintf(`
data "vsla_replication_pairing" "sites" {}
data "vsla_replication_pairing" "by_name" {
  remote_vcenter_name = data.vsla_replication_pairing.sites.remote.vcenter_name
}
data "vsla_replication_pairing" "by_id" {
  remote_vcenter_id = data.vsla_replication_pairing.sites.remote.vcenter_id
}
data "vsla_replication_vm" "named" {
  pairing_id = data.vsla_replication_pairing.by_name.id
  name       = %q
}
data "vsla_replication_vm" "numbered" {
  pairing_id = data.vsla_replication_pairing.sites.id
  moid       = %q
}
data "vsla_replication_site" "all" {
  pairing_id = data.vsla_replication_pairing.sites.id
  read       = ["datastores", "servers", "storage_policies"]
}
data "vsla_replication_site" "one" {
  pairing_id = data.vsla_replication_pairing.sites.id
  datastore_name = data.vsla_replication_site.all.datastores[1].name
}
data "vsla_replication_site" "accessible" {
  pairing_id      = data.vsla_replication_pairing.sites.id
  accessible_only = true
}
data "vsla_replication_site" "none" {
  pairing_id = data.vsla_replication_pairing.sites.id
  datastore_name = "none"
}
resource "vsla_replication" "vm" {
  pairing_id          = data.vsla_replication_pairing.sites.id
  vm_id               = data.vsla_replication_vm.named.id
  target_datastore_id = data.vsla_replication_site.one.datastores[0].id
  rpo_minutes         = 15
}
data "vsla_replications" "by_vm" {
  pairing_id  = vsla_replication.vm.pairing_id
  vm_id       = vsla_replication.vm.vm_id
  read_issues = true
}
data "vsla_replications" "other_vm" {
  pairing_id = vsla_replication.vm.pairing_id
  vm_id      = data.vsla_replication_vm.numbered.id
}
data "vsla_replications" "all" {
  pairing_id = vsla_replication.vm.pairing_id
  direction  = "outgoing"
}
data "vsla_replications" "none" {
  pairing_id = vsla_replication.vm.pairing_id
  direction  = "incoming"
}
`, vm.Name, other.ID)
	is := func(address string, check knownvalue.Check, steps ...string) statecheck.StateCheck {
		at := tfjsonpath.New(steps[0])
		for _, step := range steps[1:] {
			at = at.AtMapKey(step)
		}
		return statecheck.ExpectKnownValue(address, at, check)
	}
	text := knownvalue.StringExact
	objects := func(n int, element func(int) map[string]knownvalue.Check) knownvalue.Check {
		all := make([]knownvalue.Check, n)
		for i := range all {
			all[i] = knownvalue.ObjectExact(element(i))
		}
		return knownvalue.SetExact(all)
	}
	site := func(name, id string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"vcenter_id": text(id), "vcenter_name": text("vc." + name + ".lab"),
			"vcenter_url": text("https://vc." + name + ".lab:443/sdk"), "status": text("OK"),
			"vrms_id": knownvalue.StringRegexp(attribute.UUID), "vrms_version": text("8.8.0.0"),
		})
	}
	s.Run(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				is("data.vsla_replication_pairing.sites", knownvalue.StringExact(s.PairingID()), "id"),
				is("data.vsla_replication_pairing.by_id", knownvalue.StringExact(s.PairingID()), "id"),
				is("data.vsla_replication_pairing.sites", site("protected", s.LocalVCenterID()), "local"),
				is("data.vsla_replication_pairing.sites", site("recovery", s.RemoteVCenterID()), "remote"),
				is("data.vsla_replication_pairing.sites", knownvalue.Bool(false), "single_vcenter"),
				is("data.vsla_replication_vm.named", text(s.VM(0)), "id"),
				is("data.vsla_replication_vm.numbered", text(s.VM(1)), "id"),
				is("data.vsla_replication_vm.numbered", text("CONNECTED"), "connection_state"),
				is("data.vsla_replication_vm.numbered", knownvalue.ListPartial(map[int]knownvalue.Check{
					1: knownvalue.ObjectExact(map[string]knownvalue.Check{
						"key": text("2000"), "label": text("Hard disk 1"), "supported": knownvalue.Bool(true),
						"capacity_bytes": knownvalue.Int64Exact(30 << 30), // disk 0 of VM 1; see vmAt in the lab
						"format":         text("THIN"), "path": text(other.Name + "/disk1.vmdk"),
						"datastore_id": text("Datastore:" + other.DatastoreID + ":" + s.LocalVCenterID()),
					}),
				}), "disks"),
				is("data.vsla_replication_vm.numbered", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"status": text("OK"), "reasons": knownvalue.ListExact([]knownvalue.Check{text("Old hardware.")}),
					"min_rpo_minutes": knownvalue.Int64Exact(9), "quiescing": knownvalue.Bool(true),
					"network_compression": knownvalue.Bool(false), "network_encryption": knownvalue.Bool(true),
					"point_in_time": knownvalue.Bool(false), "auto_replicate_new_disks": knownvalue.Bool(true),
					"datastore_cluster_as_target": knownvalue.Bool(false), "move_replicas": knownvalue.Bool(true),
				}), "capability"),
				is("data.vsla_replication_vm.named", knownvalue.ListSizeExact(len(vm.Disks)+1), "disks"),
				is("data.vsla_replication_vm.named", knownvalue.Int64Exact(5), "capability", "min_rpo_minutes"),
				is("data.vsla_replication_site.all", knownvalue.ListSizeExact(2), "datastores"),
				is("data.vsla_replication_site.all", knownvalue.ListPartial(map[int]knownvalue.Check{
					0: knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": text(s.Datastore(0)), "name": text(store.Name), "type": text("DATASTORE"),
						"parent_id":        text(store.ParentID + ":" + s.RemoteVCenterID()),
						"parent_name":      text(store.ParentName),
						"capacity_bytes":   knownvalue.Int64Exact(store.CapacityBytes),
						"free_bytes":       knownvalue.Int64Exact(7),
						"file_system_type": text(store.Type),
						"overall_status":   text("RED"),
						"maintenance_mode": text("normal"),
						"accessible":       knownvalue.Bool(false), "nkp_supported": knownvalue.Bool(true),
					}),
				}), "datastores"),
				is("data.vsla_replication_site.accessible", knownvalue.ListSizeExact(1), "datastores"),
				is("data.vsla_replication_site.none", knownvalue.ListSizeExact(0), "datastores"),
				is("data.vsla_replication_site.one", knownvalue.ListSizeExact(1), "datastores"),
				is("data.vsla_replication_site.all", objects(3, func(i int) map[string]knownvalue.Check {
					return map[string]knownvalue.Check{
						"id": text(s.RemotePolicies()[i]),
						"name": text([]string{
							"Datastore Default", "Replica Policy", "Encryption Policy",
						}[i]),
						"vm_encryption_supported": knownvalue.Bool(i == 2),
					}
				}), "storage_policies"),
				is("data.vsla_replication_site.all", objects(2, func(i int) map[string]knownvalue.Check {
					return map[string]knownvalue.Check{
						"id": text(fmt.Sprint("s", i)), "uuid": text("u"), "name": text("n"), "hostname": text("h"),
						"replication_count": knownvalue.Int64Exact(3), "connected": knownvalue.Bool(true),
						"decommissioned":     knownvalue.Bool(true),
						"internally_managed": knownvalue.Bool(false),
						"fault":              text("f"),
					}
				}), "servers"),
				is("data.vsla_replications.by_vm", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"vm_id": text(s.VM(0)), "status": text("INITIAL_FULL_SYNC"), "last_sync_time": knownvalue.Null(),
						"sync_progress": knownvalue.NotNull(), "issues": knownvalue.ListSizeExact(0),
					}),
				}), "replications"),
				is("data.vsla_replications.other_vm", knownvalue.ListSizeExact(0), "replications"),
				is("data.vsla_replications.all", knownvalue.Int64Exact(1), "replication_count"),
				is("data.vsla_replications.none", knownvalue.ListSizeExact(0), "replications"),
			},
		},
		acctest.FailingStep(s.Provider()+`data "vsla_replication_pairing" "x" { remote_vcenter_name = "elsewhere" }`,
			`no pairing with "elsewhere"; existing pairings:`),
		acctest.FailingStep(s.Provider()+fmt.Sprintf(
			"data \"vsla_replication_vm\" \"x\" {\n  pairing_id = %q\n  name = \"nobody\"\n}",
			s.PairingID(),
		), `Find the VM in vCenter.*not found`),
	)
}
