package targets_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestAccReplicationSeeds(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	config := func(datastore string, vms ...string) string {
		return s.Provider() + fmt.Sprintf(`
data "vsla_replication_seeds" "found" {
  pairing_id   = %q
  datastore_id = %q
  vm_ids       = %s
}
`, s.PairingID(), datastore, `["`+strings.Join(vms, `", "`)+`"]`)
	}
	datastore := s.Datastore(0)
	s.AddFile(datastore, "copied/disk1.vmdk")
	found := knownvalue.MapExact(map[string]knownvalue.Check{
		"2000": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("copied/disk1.vmdk")}),
	})
	s.Run(t,
		resource.TestStep{
			Config: config(datastore, s.VM(0)) + fmt.Sprintf(`
resource "vsla_replication" "vm" {
  pairing_id          = %q
  vm_id               = %q
  target_datastore_id = %q
  rpo_minutes         = 15
  disks = {
    for key, paths in data.vsla_replication_seeds.found.seeds[%[2]q] : key => { seed_path = one(paths) }
  }
}
`, s.PairingID(), s.VM(0), datastore),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.vsla_replication_seeds.found", tfjsonpath.New("seeds"),
					knownvalue.MapExact(map[string]knownvalue.Check{s.VM(0): found})),
				statecheck.ExpectKnownValue("data.vsla_replication_seeds.found", tfjsonpath.New("vcenter_id"),
					knownvalue.StringExact(s.RemoteVCenterID())),
			},
			Check: func(*terraform.State) error {
				require.Len(t, s.Replications(), 1)
				assert.True(t, s.Replications()[0].Disks[1].Seeded)
				return nil
			},
		},
		acctest.FailingStep(config("datastore-1", s.VM(0)), `datastore_id must be Datastore:<managed object`),
		acctest.FailingStep(config(datastore, "vm-1"), `must be VirtualMachine:<managed object`),
		acctest.FailingStep(config(datastore, "VirtualMachine:vm-none:"+s.LocalVCenterID()),
			`Unable to Find Seeds.*vm_ids.*Read the disks of VirtualMachine:vm-none`),
		acctest.After(func() { s.Traffic().Break(fault.Rule{Kind: "getSeedsForDisks", Status: http.StatusForbidden}) },
			acctest.FailingStep(config(datastore, s.VM(0)), `Unable to Find Seeds.*datastore_id`)),
		acctest.After(func() {
			s.Traffic().Mend()
			s.AddFile(datastore, "copied/disk1.vmdk")
			s.AddFile(datastore, "other/disk1.vmdk")
		}, resource.TestStep{
			Config: config(datastore, s.VM(0), s.VM(1)) + fmt.Sprintf(`
data "vsla_replication_seeds" "in_folder" {
  pairing_id   = %q
  datastore_id = %q
  folder       = "copied"
  vm_ids       = [%q]
}
`, s.PairingID(), datastore, s.VM(0)),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.vsla_replication_seeds.found", tfjsonpath.New("seeds"),
					knownvalue.MapSizeExact(2)),
				statecheck.ExpectKnownValue("data.vsla_replication_seeds.found",
					tfjsonpath.New("seeds").AtMapKey(s.VM(0)).AtMapKey("2000"), knownvalue.ListSizeExact(2)),
				statecheck.ExpectKnownValue("data.vsla_replication_seeds.in_folder", tfjsonpath.New("seeds"),
					knownvalue.MapExact(map[string]knownvalue.Check{s.VM(0): found})),
			},
		}),
	)
}
