package replication_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

const address = "vsla_replication.vm"

// server lists the only attribute that imports do not set. They omit it because generated configuration must not pin
// the server.
var server = []string{"target_replication_server_id"}

// config returns a configuration with a replication of the first VM, and more lines in its body.
func config(s *acctest.Sites, rpo int, lines ...string) string {
	return s.Provider() + fmt.Sprintf(`
resource "vsla_replication" "vm" {
  pairing_id          = %q
  vm_id               = %q
  target_datastore_id = %q
  rpo_minutes         = %d
  %s
}
`, s.PairingID(), s.VM(0), s.Datastore(0), rpo, strings.Join(lines, "\n  "))
}

// only returns the only replication of the gateway.
func only(t *testing.T, s *acctest.Sites) gateway.Replication {
	t.Helper()
	all := s.Replications()
	require.Len(t, all, 1)
	return all[0]
}

// action checks which action the plan takes.
func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

// value checks an attribute of the replication in state.
func value(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check)
}

// TestAccReplication_life creates a replication, and sets, changes and removes its optional settings.
func TestAccReplication_life(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Run(
		t,
		resource.TestStep{
			Config:           config(s, 15),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				value("rpo_minutes", knownvalue.Int64Exact(15)),
				value("auto_replicate_new_disks", knownvalue.Bool(true)),
				value("target_vcenter_id", knownvalue.StringExact(s.RemoteVCenterID())),
				value("configuration_state", knownvalue.StringExact("OK")),
				value("source_vcenter_id", knownvalue.StringExact(s.LocalVCenterID())),
				value("source_site_name", knownvalue.StringExact("protected")),
				value("target_site_name", knownvalue.StringExact("recovery")),
				value("replication_type", knownvalue.StringExact("VC_TO_VC")),
				value("replicated_disks", knownvalue.ListSizeExact(2)),
				value("target_replication_server_id", knownvalue.NotNull()),
			},
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.EqualValues(t, 15, r.RPOMinutes)
				assert.Equal(t, "OK", r.ConfigurationState)
				assert.Equal(t, 1, r.Configured)
				return nil
			},
		},
		resource.TestStep{
			Config: config(s, 60, "network_compression = true", "quiesce_guest = true",
				"point_in_time = { instances_per_day = 3, days = 5 }"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("replication_id"), knownvalue.NotNull()),
			}},
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.EqualValues(t, 60, r.RPOMinutes)
				assert.True(t, r.Compression)
				assert.True(t, r.Quiesce)
				assert.True(t, r.MPIT)
				assert.EqualValues(t, 3, r.MPITInstances)
				assert.EqualValues(t, 5, r.MPITDays)
				assert.Equal(t, 2, r.Configured)
				assert.Len(t, r.Disks, 2)
				return nil
			},
		},
		resource.TestStep{
			Config: config(
				s,
				60,
				"replicate_vm_data_sets = true",
				"point_in_time = { instances_per_day = 5, days = 0 }",
			),
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.True(t, r.MPIT)
				assert.EqualValues(t, 5, r.MPITInstances)
				assert.Zero(t, r.MPITDays)
				assert.True(t, r.DataSets)
				assert.False(t, r.Compression)
				assert.False(t, r.Quiesce)
				return nil
			},
		},
		resource.TestStep{
			Config:           config(s, 60),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.False(t, r.Compression)
				assert.False(t, r.Quiesce)
				assert.False(t, r.MPIT)
				assert.Zero(t, r.MPITInstances)
				assert.False(t, r.DataSets)
				return nil
			},
		},
	)
}

func TestAccReplication_import(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Run(
		t,
		resource.TestStep{Config: config(s, 60)},
		resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: server,
		},
		resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: server,
			ImportStateId:           s.PairingID() + "/" + s.VM(0),
		},
	)
}

// TestAccReplication_drift changes and removes a replication in another client.
func TestAccReplication_drift(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Run(
		t,
		resource.TestStep{Config: config(s, 60)},
		acctest.After(func() { s.ChangeRPO(s.VM(0), 240) }, resource.TestStep{
			Config:           config(s, 60),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				assert.EqualValues(t, 60, only(t, s).RPOMinutes)
				return nil
			},
		}),
		acctest.After(func() { s.RemoveReplication(s.VM(0)) }, resource.TestStep{
			Config:           config(s, 60),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
		}),
	)
}

func TestAccReplication_recoverySolution(t *testing.T) {
	t.Parallel()
	const solution = "com.vmware.vcDr"
	s := acctest.StartSites(t, 4, gateway.Switches{})
	managed := empty(s)
	managed.PreConfig = func() { s.SetRecoverySolution(s.VM(0), solution) }
	managed.ConfigStateChecks = []statecheck.StateCheck{value("recovery_solution", knownvalue.StringExact(solution))}
	left := empty(s)
	left.PreConfig = func() { s.SetRecoverySolution(s.VM(0), "") }
	left.ConfigStateChecks = []statecheck.StateCheck{value("recovery_solution", knownvalue.Null())}
	s.Run(
		t,
		resource.TestStep{
			Config:            config(s, 15),
			ConfigStateChecks: []statecheck.StateCheck{value("recovery_solution", knownvalue.Null())},
		},
		managed,
		resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: server,
		},
		resource.TestStep{
			Config:            config(s, 30),
			ConfigPlanChecks:  action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{value("recovery_solution", knownvalue.StringExact(solution))},
		},
		resource.TestStep{Config: config(s, 15)},
		left,
	)
}

// TestAccReplication_capitals writes the UUIDs of both vCenters in capitals. They are still the two vCenters of the
// pairing, and the replication is not a reversed one.
func TestAccReplication_capitals(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	capitals := config(s, 15)
	for _, id := range []string{s.LocalVCenterID(), s.RemoteVCenterID()} {
		capitals = strings.ReplaceAll(capitals, id, strings.ToUpper(id))
	}
	s.Run(
		t,
		resource.TestStep{Config: capitals},
		resource.TestStep{
			Config:           strings.Replace(capitals, "= 15", "= 30", 1),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				assert.EqualValues(t, 30, only(t, s).RPOMinutes)
				return nil
			},
		},
	)
}
