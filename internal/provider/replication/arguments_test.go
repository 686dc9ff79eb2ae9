package replication_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestAccReplication_disks(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	second := s.Datastore(1)
	place := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			for _, d := range only(t, s).Disks {
				if !d.Home {
					assert.Equal(t, want, d.DatastoreID)
				}
				if d.Home {
					assert.Equal(t, s.Datastore(0), d.DatastoreID)
				}
			}
			return nil
		}
	}
	moved := fmt.Sprintf(`disks = { %q = { target_datastore_id = %q } }`, key, second)
	s.Run(
		t,
		acctest.FailingStep(config(s, 15, `disks = { "9999" = {} }`),
			`\d: disks =.*no disk with this key.*`+key+", home"),
		resource.TestStep{Config: config(s, 15, moved), Check: place(second)},
		resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: server,
		},
		resource.TestStep{ // the disk returns to the datastore of the replication
			Config:           config(s, 15, fmt.Sprintf(`disks = { %q = {} }`, key)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            place(s.Datastore(0)),
		}, resource.TestStep{
			Config:           config(s, 15, fmt.Sprintf(`disks = { %q = { enabled = false } }`, key)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				for _, d := range only(t, s).Disks {
					assert.Equal(t, d.Home, d.Replicated)
				}
				return nil
			},
		},
		resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: server,
		},
		resource.TestStep{ // without the disks argument, all disks are replicated
			Config:           config(s, 15, fmt.Sprintf("target_storage_policy_id = %q", s.RemotePolicies()[1])),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{value("replicated_disks",
				knownvalue.SetPartial([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"key":                 knownvalue.StringExact(key),
						"label":               knownvalue.StringExact("Hard disk 1"),
						"capacity_bytes":      knownvalue.Int64Exact(20 << 30), // disk of VM 0; see vmAt in the lab
						"replicated":          knownvalue.Bool(true),
						"datastore_id":        knownvalue.StringExact(s.Datastore(0)),
						"datastore_name":      knownvalue.StringExact(s.Recovery.Datastores()[0].Name),
						"path":                knownvalue.StringExact(s.Protected.VMs()[0].Name + "/disk1.vmdk"),
						"storage_policy_id":   knownvalue.StringExact(s.RemotePolicies()[1]),
						"storage_policy_name": knownvalue.StringExact("Replica Policy"),
						"disk_format":         knownvalue.Null(),
					}),
				}))},
			Check: func(*terraform.State) error {
				for _, d := range only(t, s).Disks {
					assert.True(t, d.Replicated, "got %+v, want every disk replicated", d)
				}
				return nil
			},
		},
	)
}

func TestAccReplication_seed(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	seeded := func(path string) string { return fmt.Sprintf(`disks = { %q = { seed_path = %q } }`, key, path) }
	for _, path := range []string{"seeds/one.vmdk", "seeds/two.vmdk"} {
		s.AddFile(s.Datastore(0), path)
	}
	s.Run(
		t,
		resource.TestStep{
			Config: config(s, 15, seeded("seeds/one.vmdk")),
			Check: func(*terraform.State) error {
				for _, d := range only(t, s).Disks {
					assert.NotEqual(t, d.Home, d.Seeded)
				}
				return nil
			},
		},
		resource.TestStep{
			Config:           config(s, 30, seeded("seeds/one.vmdk")),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
		}, resource.TestStep{
			Config:           config(s, 30, seeded("seeds/two.vmdk")),
			ConfigPlanChecks: action(plancheck.ResourceActionReplace),
		},
	)
}

func TestAccReplication_paused(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	paused := func(want bool) resource.TestCheckFunc {
		return holds(t, s, "paused", func(r gateway.Replication) bool { return r.Paused == want })
	}
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15, "paused = true"), Check: paused(true)},
		resource.TestStep{ // resume a replication that was paused by another client
			PreConfig:        func() { s.PauseReplication(s.VM(0), true) },
			Config:           config(s, 15, "paused = false"),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            paused(false),
		},
		resource.TestStep{Config: config(s, 30, "paused = true"), Check: paused(true)}, // change the RPO and pause
		resource.TestStep{
			Config: config(s, 30),
			Check:  paused(true),
		}, // stop managing the paused state
	)
}

// Transferring 10 GiB at 12.5 MB/s takes 859 seconds of virtual time.
func TestAccReplication_initialSync(t *testing.T) {
	t.Parallel()
	const wait = "wait_for_initial_sync = true"
	t.Run("done", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 1, gateway.Switches{})
		s.Run(t, resource.TestStep{
			Config: config(s, 15, wait),
			Check: func(*terraform.State) error {
				assert.NotEqual(t, 0, only(t, s).SyncCount)
				return nil
			},
		})
	})
	t.Run("too slow", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 1, gateway.Switches{SessionTTL: -1, SessionIdle: -1, ChangeRate: 1})
		s.SetUsed(s.VM(0), 1<<41) // takes two days at 12.5 MB/s
		s.SetDatastore(s.Datastore(0), true, "GREEN", 1<<50)
		slow := config(s, 15, wait, `timeouts = { create = "3s" }`)
		s.Run(
			t,
			resource.TestStep{
				Config:            slow,
				ConfigStateChecks: []statecheck.StateCheck{value("replication_id", knownvalue.NotNull())},
			},
			resource.TestStep{Config: slow, PlanOnly: true}, // the resource is not tainted
		)
	})
	t.Run("VM is off", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 1, gateway.Switches{})
		require.NoError(t, s.Protected.SetPower(s.Protected.VMs()[0].ID, types.VirtualMachinePowerStatePoweredOff))
		s.Run(t,
			resource.TestStep{
				Config:      config(s, 15, wait),
				ExpectError: says("Initial Sync Does Not Start.*not running"),
			},
			resource.TestStep{Config: config(s, 15)}, // without waiting, there is no error
		)
	})
	t.Run("fails", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 1, gateway.Switches{})
		s.Traffic().Break(fault.Rule{
			Kind:   "getReplicatedVmDisks",
			Times:  1,
			Before: func(*http.Request) { s.FailReplication(s.VM(0), "The target is full.", "ds") },
		})
		s.Run(
			t,
			resource.TestStep{
				Config:      config(s, 15, wait),
				ExpectError: says("initial sync.*failed.*The target is full"),
			},
		)
	})
}

func TestAccReplication_retain(t *testing.T) {
	t.Parallel()
	for _, retain := range []bool{true, false} {
		t.Run(strconv.FormatBool(retain), func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, gateway.Switches{})
			s.Run(t,
				resource.TestStep{Config: config(s, 15, fmt.Sprintf("retain_replica_disks_on_destroy = %v", retain))})
			assert.Equal(t, retain, len(s.Files(s.Datastore(0))) > 0)
		})
	}
}

func TestAccReplication_server(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	named := func(n int) string {
		return s.Provider() + fmt.Sprintf(`
data "vsla_replication_site" "all" {
  pairing_id = %q
  read       = ["servers"]
}
resource "vsla_replication" "vm" {
  pairing_id                   = %q
  vm_id                        = %q
  target_datastore_id          = %q
  rpo_minutes                  = 15
  target_replication_server_id = data.vsla_replication_site.all.servers[%d].id
}
`, s.PairingID(), s.PairingID(), s.VM(0), s.Datastore(0), n)
	}
	s.Run(t,
		resource.TestStep{Config: config(s, 15)},
		resource.TestStep{Config: named(0)}, // vSphere Replication has chosen one of the two servers
		resource.TestStep{
			Config: named(1),
			Check: func(*terraform.State) error {
				r := only(t, s)
				require.NotEmpty(t, r.AskedServerID)
				assert.Equal(t, r.AskedServerID, r.ServerID)
				return nil
			},
		},
		resource.TestStep{Config: config(s, 30), ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
	)
}
