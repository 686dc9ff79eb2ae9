package vm_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccReplicationVM(t *testing.T) {
	t.Parallel()
	s := acctest.StartSitesWith(t, vcsim.Config{VMs: 2, Templates: 1}, gateway.Switches{})
	vm := s.Protected.VMStates()[0]
	other := s.Protected.VMStates()[1]
	s.SetCapability(other.ID, gateway.Capability{
		Status:           "OK",
		Quiescing:        true,
		Encryption:       true,
		AutoReplicate:    true,
		ReconfigureDisks: true,
		MinRPOMinutes:    9,
		Reasons:          []string{"Old hardware."},
	})
	config := s.Provider() + fmt.Sprintf(`
data "vsla_replication_vm" "named" {
  pairing_id = %[1]q
  name       = %[2]q
}
data "vsla_replication_vm" "numbered" {
  pairing_id = %[1]q
  moid       = %[3]q
}
data "vsla_replication_vm" "template" {
  pairing_id = %[1]q
  moid       = %[4]q
}
data "vsla_replication_vm" "remote" {
  pairing_id = %[1]q
  vcenter_id = %[5]q
  moid       = %[6]q
}
`, s.PairingID(), vm.Name, other.ID, s.Protected.VMs()[2].ID, s.RemoteVCenterID(), s.Recovery.VMs()[0].ID)
	is := func(name, at string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.vsla_replication_vm."+name, tfjsonpath.New(at), check)
	}
	text := knownvalue.StringExact
	yes := knownvalue.Bool(true)
	no := knownvalue.Bool(false)
	s.Run(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				is("named", "id", text(s.VM(0))),
				is("named", "moid", text(vm.ID)),
				is("named", "vcenter_id", text(s.LocalVCenterID())),
				is("named", "disks", knownvalue.ListSizeExact(len(vm.Disks)+1)),
				is("named", "capability", knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"min_rpo_minutes": knownvalue.Int64Exact(5),
				})),
				is("numbered", "id", text(s.VM(1))),
				is("numbered", "name", text(other.Name)),
				is("numbered", "power_state", text("POWERED_ON")),
				is("numbered", "connection_state", text("CONNECTED")),
				is("numbered", "template", no),
				is("numbered", "disks", knownvalue.ListPartial(map[int]knownvalue.Check{
					1: knownvalue.ObjectExact(map[string]knownvalue.Check{
						"key":            text("2000"),
						"label":          text("Hard disk 1"),
						"supported":      yes,
						"capacity_bytes": knownvalue.Int64Exact(30 << 30), // disk 0 of VM 1; see vmAt in the lab
						"format":         text("THIN"),
						"path":           text(other.Name + "/disk1.vmdk"),
						"datastore_id":   text("Datastore:" + other.DatastoreID + ":" + s.LocalVCenterID()),
					}),
				})),
				is("numbered", "capability", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"status":                      text("OK"),
					"reasons":                     knownvalue.ListExact([]knownvalue.Check{text("Old hardware.")}),
					"min_rpo_minutes":             knownvalue.Int64Exact(9),
					"quiescing":                   yes,
					"network_compression":         no,
					"network_encryption":          yes,
					"point_in_time":               no,
					"auto_replicate_new_disks":    yes,
					"datastore_cluster_as_target": no,
					"move_replicas":               yes,
				})),
				is("template", "template", yes),
				is("remote", "name", text(s.Recovery.VMs()[0].Name)),
			},
		},
		acctest.FailingStep(s.Provider()+fmt.Sprintf(
			"data \"vsla_replication_vm\" \"x\" {\n  pairing_id = %q\n  name = \"nobody\"\n}", s.PairingID(),
		), `Find the VM in vCenter.*not found`),
	)
}
