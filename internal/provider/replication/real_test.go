package replication_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func holds(t *testing.T, s *acctest.Sites, what string, check func(gateway.Replication) bool) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		if r := only(t, s); !check(r) {
			return fmt.Errorf("%s: %+v", what, r)
		}
		return nil
	}
}

// TestAccReplication_enhanced verifies that an RPO below 5 minutes requires enhanced replication, and that updates keep
// enhanced replication even if the gateway disables omitted settings. A plan that changes the RPO must not show the
// name as known after apply.
func TestAccReplication_enhanced(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Enhanced: true})
	s.Run(
		t,
		acctest.FailingStep(config(s, 4), `RPO Requires Enhanced Replication.*\d: rpo_minutes =.*at least 5.*got 4`),
		resource.TestStep{
			Config: config(s, 4, "enhanced_replication = true"),
			Check: holds(t, s, "created", func(r gateway.Replication) bool {
				return r.Enhanced && r.RPOMinutes == 4
			}),
		}, resource.TestStep{
			Config: config(s, 15),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(address, tfjsonpath.New("name"),
					knownvalue.StringExact(s.Protected.VMs()[0].Name)),
			}},
			Check: holds(t, s, "changed", func(r gateway.Replication) bool { return r.Enhanced && r.RPOMinutes == 15 }),
		}, resource.TestStep{
			Config: config(s, 15, "enhanced_replication = false"),
			Check:  holds(t, s, "turned off", func(r gateway.Replication) bool { return !r.Enhanced }),
		},
		acctest.FailingStep(config(s, 3), "RPO Requires Enhanced Replication"),
	)
}

// TestAccReplication_encrypted verifies that an encrypted VM is replicated with network encryption. If
// network_encryption is not set, this is not reported as drift. If it is false, the plan is rejected.
func TestAccReplication_encrypted(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	k := gateway.DefaultCapability()
	k.VMEncrypted = true
	s.SetCapability(s.VM(0), k)
	encrypted := func(r gateway.Replication) bool { return r.Encryption }
	s.Run(
		t,
		acctest.FailingStep(config(s, 15, "network_encryption = false"), "Not Supported by VM.*the VM is encrypted"),
		resource.TestStep{
			Config:            config(s, 15),
			ConfigStateChecks: []statecheck.StateCheck{value("network_encryption", knownvalue.Bool(true))},
			Check:             holds(t, s, "created", encrypted),
		},
		resource.TestStep{Config: config(s, 30), Check: holds(t, s, "changed", encrypted)},
		acctest.FailingStep(config(s, 30, "network_encryption = false"), "Not Supported by VM.*the VM is encrypted"),
	)
}

func TestAccReplication_busy(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"by an answer": {BusyFor: 2 * time.Minute},
		"by a task":    {BusyFor: 2 * time.Minute, FailInTask: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, switches)
			waits := 0
			unknown := false
			s.Sleep(func(ctx context.Context, d time.Duration) error {
				s.Advance(d)
				waits++
				if unknown && waits > 3 {
					s.SetStatus(s.VM(0), "")
				}
				return ctx.Err()
			})
			rpo := func(minutes int64) resource.TestCheckFunc {
				return holds(t, s, "changed", func(r gateway.Replication) bool { return r.RPOMinutes == minutes })
			}
			s.Run(
				t,
				resource.TestStep{Config: config(s, 15)},
				resource.TestStep{Config: config(s, 30), Check: rpo(30)},
				acctest.After(func() {
					assert.GreaterOrEqual(t, s.Traffic().Count("reconfigureReplication"), 2)
					s.Advance(2 * time.Minute) // the replication is no longer busy
					s.SetStatus(s.VM(0), "UNKNOWN")
					waits = 0
					unknown = true
				}, resource.TestStep{Config: config(s, 60), Check: rpo(60)}),
			)
		})
	}
}

func TestAccReplication_places(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	wrong := "Datastore:" + s.Protected.Datastores()[0].ID + ":" + s.LocalVCenterID()
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	s.Run(
		t,
		acctest.FailingStep(strings.Replace(config(s, 15), s.Datastore(0), wrong, 1),
			`Datastore of Another Site.*\d: target_datastore_id =.*The target of this replication is vCenter`),
		acctest.FailingStep(config(s, 15, fmt.Sprintf("disks = { %q = { target_datastore_id = %q } }", key, wrong)),
			"Datastore of Another Site.*belongs to vCenter"),
		acctest.FailingStep(config(s, 15, `target_storage_policy_id = "no-such-policy"`),
			`Unable to Check Storage Policy.*\d: target_storage_policy_id =`),
	)
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
}
