package virtualmachines_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccVirtualMachines_diskUse(t *testing.T) {
	t.Parallel()
	s := acctest.StartSitesWith(t, vcsim.Config{VMs: 3}, gateway.Switches{})
	// VM 1 uses 6 of 20 GiB. VM 2 has disks of 30 and 40 GiB that are 35% full (24.5 GiB in total). VM 3 has disks of
	// 40, 50 and 60 GiB that are 40% full (16, 20 and 24 GiB).
	vms := s.Protected.VMs()
	config := func(more string) string {
		return s.ProviderAt(s.Protected) + fmt.Sprintf(`
resource "vsla_replication" "vm" {
  pairing_id          = %q
  vm_id               = %q
  target_datastore_id = %q
  rpo_minutes         = 60
  disks               = { "2001" = { enabled = false } }
}
data "vsla_virtual_machines" "x" {
  depends_on = [vsla_replication.vm]
  %s
}
`, s.PairingID(), s.VM(2), s.Datastore(0), more)
	}
	s.SetDatastore(s.Datastore(0), true, "GREEN", 1<<50)
	at := "virtual_machines." + vms[2].ID + "."
	absent := func(attributes ...string) resource.TestCheckFunc {
		var checks []resource.TestCheckFunc
		for _, a := range attributes {
			checks = append(checks, resource.TestCheckNoResourceAttr(address, a))
		}
		return resource.ComposeAggregateTestCheckFunc(checks...)
	}
	s.Run(
		t,
		acctest.FailingStep(config("read_disk_use = true\n  read_disks = false"),
			`Conflicting Arguments.*\d: read_disk_use =`),
		resource.TestStep{
			Config: config("read_disk_use = true"),
			Check: resource.ComposeAggregateTestCheckFunc(number("total_used_gib", 6+24.5+60),
				number("total_replicated_used_gib", 6+24.5+40), number("mean_replicated_used_gib", 70.5/3),
				number(at+"used_gib", 60), number(at+"replicated_used_gib", 40), number(at+"disk_gib", 150),
				resource.TestCheckResourceAttr(address, at+"disks.%", "3"),
				resource.TestCheckResourceAttr(address, at+"disks.2000.label", "Hard disk 1"),
				number(at+"disks.2001.capacity_gib", 50), number(at+"disks.2001.used_gib", 20),
				resource.TestCheckResourceAttr(address, at+"disks.2000.excluded_from_replication", "false"),
				resource.TestCheckResourceAttr(address, at+"disks.2001.excluded_from_replication", "true"),
				number("virtual_machines."+vms[1].ID+".replicated_used_gib", 24.5)),
		}, resource.TestStep{
			Config: config("read_disk_use = true\n  summary_only = true"),
			Check: resource.ComposeAggregateTestCheckFunc(number("total_replicated_used_gib", 70.5),
				number("total_disk_gib", 20+70+150), absent("virtual_machines.%")),
		}, resource.TestStep{
			Config: config(""),
			Check: absent("total_replicated_used_gib", "mean_replicated_used_gib", at+"replicated_used_gib",
				at+"disks.%"),
		},
	)
}
